"""A certificate of accuracy: a condition on the answer that fails with probability at most β, and how to see it.

The one idea: like every certificate it only names the creative steps. These are what is assumed of each draw and how
often it is made, the probability with which one such assumption may fail, what loops keep true, and how large the
margins in the condition have to be. Who checks it rebuilds every condition from the source.

Formulas are strings in Python's expression syntax, with the words of :mod:`lapwing.kernel.symbolic.formulas_of_runs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.evidence.values import Value, inputs_from_json, number_from_json, value_to_json
from lapwing.kernel.evidence.witness_format import FORMAT, check_format
from lapwing.kernel.formulas.reading import MAX_FORMULA

_READ = Reader("C102", "C103", "lapwing accuracy --certificates", MAX_FORMULA)


@dataclass(frozen=True, slots=True)
class Site:
    """The draws of one site: ``assumed`` (margin, true, false or nothing) of each of at most ``count``.

    ``failure`` is the probability with which one of them does not keep what is assumed; the margin ``gamma(site)``
    follows from it by the rule of the noise.
    """

    site: int
    assumed: str
    count: str
    failure: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A part of the condition (``gamma``, or the margin as it is written) that stands for ``value``.

    ``value`` is at least ``need``, a formula over the margins ``gamma(k)``, and that is all the proof uses of it.
    """

    part: str
    value: str
    need: str


@dataclass(frozen=True, slots=True)
class AccuracyCertificate:
    """``condition`` on the answer of ``function`` fails with probability at most ``beta``.

    ``total`` is the value of ``beta`` where the mechanism has no such parameter, and else ``beta`` again.
    """

    file: str
    function: str
    source: str
    condition: str
    beta: str
    total: str
    sites: tuple[Site, ...]
    bounds: tuple[Bound, ...]
    invariants: tuple[Invariant, ...]

    def to_json(self) -> dict[str, object]:
        """The certificate as a JSON object."""
        return {
            "kind": "accuracy",
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "condition": self.condition,
            "beta": self.beta,
            "total": self.total,
            "sites": [
                {"site": s.site, "assumed": s.assumed, "count": s.count, "failure": s.failure} for s in self.sites
            ],
            "bounds": [{"part": each.part, "value": each.value, "need": each.need} for each in self.bounds],
            "invariants": [{"loop": each.loop, "formula": each.formula} for each in self.invariants],
        }

    @classmethod
    def from_json(cls, data: object) -> AccuracyCertificate:
        """The certificate that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        texts = ("file", "function", "source", "condition", "beta", "total")
        fields = _READ.fields(data, "certificate", ("kind", *texts, "sites", "bounds", "invariants"))
        if fields["kind"] != "accuracy":
            raise InvalidInput("C102", "the object's kind is not 'accuracy'", _READ.again)
        return cls(
            **{name: _READ.text(fields[name], name) for name in texts[:-1]},
            total=_formula(fields["total"], "total"),
            sites=tuple(_site(each) for each in _READ.items(fields["sites"], "sites")),
            bounds=tuple(_bound(each) for each in _READ.items(fields["bounds"], "bounds")),
            invariants=tuple(_invariant(each) for each in _READ.items(fields["invariants"], "invariants")),
        )


@dataclass(frozen=True, slots=True)
class AccuracyWitness:
    """Inputs on which ``condition`` fails with at least ``probability``, which is above ``beta``.

    Names that condition and beta leave open have their values in ``given``.
    """

    file: str
    function: str
    source: str
    condition: str
    beta: str
    given: Mapping[str, Value]
    inputs: Mapping[str, Value]
    probability: Fraction

    def to_json(self) -> dict[str, object]:
        """The witness as a JSON object."""
        return {
            "kind": "inaccuracy",
            "format": FORMAT,
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "condition": self.condition,
            "beta": self.beta,
            "given": {name: value_to_json(value) for name, value in self.given.items()},
            "inputs": {name: value_to_json(value) for name, value in self.inputs.items()},
            "probability": str(self.probability),
        }

    @classmethod
    def from_json(cls, data: object) -> AccuracyWitness:
        """The witness that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        texts = ("file", "function", "source", "condition", "beta")
        names = ("kind", "format", *texts, "given", "inputs", "probability")
        if isinstance(data, Mapping):
            check_format(data, "witness", "lapwing accuracy")
        fields = _READ.fields(data, "witness", names)
        if fields["kind"] != "inaccuracy":
            raise InvalidInput("C102", "the object's kind is not 'inaccuracy'", _READ.again)
        return cls(
            **{name: _READ.text(fields[name], name) for name in texts},
            given=inputs_from_json(fields["given"], "given"),
            inputs=inputs_from_json(fields["inputs"], "inputs"),
            probability=number_from_json(fields["probability"], "probability"),
        )


def accuracy_from_json(data: object) -> AccuracyCertificate | AccuracyWitness | None:
    """The evidence about accuracy that ``data`` is, if it is such."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == "accuracy":
        return AccuracyCertificate.from_json(data)
    return AccuracyWitness.from_json(data) if kind == "inaccuracy" else None


def write_accuracy(evidence: AccuracyCertificate | AccuracyWitness) -> str:
    """The evidence as JSON text."""
    return json.dumps(evidence.to_json(), indent=2, ensure_ascii=False) + "\n"


def _site(data: object) -> Site:
    fields = _READ.fields(data, "site", ("site", "assumed", "count", "failure"))
    assumed, count, failure = _READ.text(fields["assumed"], "assumed"), fields["count"], fields["failure"]
    position = _READ.position(fields["site"], "site")
    return Site(position, assumed, _formula(count, "count"), _formula(failure, "failure"))


def _bound(data: object) -> Bound:
    fields = _READ.fields(data, "bound", ("part", "value", "need"))
    return Bound(*(_formula(fields[name], name) for name in ("part", "value", "need")))


def _invariant(data: object) -> Invariant:
    fields = _READ.fields(data, "invariant", ("loop", "formula"))
    return Invariant(_READ.position(fields["loop"], "loop"), _formula(fields["formula"], "formula"))


def _formula(data: object, name: str) -> str:
    return _READ.formula(data, name, frozenset())

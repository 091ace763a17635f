"""Evidence about information flow: a certificate that a secret stays one, or two runs that give it away.

The one idea: both are complete and neither is believed. A certificate names labels (for the typing rules) or what both
runs of a loop keep alike (for self-composition); a witness names two inputs that differ in what is hidden only.

A certificate with ``match`` speaks of secrets that answer alike every ``match`` that either run asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast, get_args

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader
from lapwing.kernel.evidence.values import (
    Value,
    inputs_from_json,
    json_type,
    number_from_json,
    value_from_json,
    value_to_json,
)

CERTIFICATE, WITNESS = "flow-certificate", "flow-witness"
_READ = Reader("W110", "W110", "lapwing flow")
#: What is written for a run that never answers.
NEVER = "never"
#: What a fact may speak of besides variables: whether a run left the loop, has returned, and what.
LEFT, RETURNED, RESULT = "%left", "%returned", "%result"

FactKind = Literal["same", "equals", "at least", "at most"]


@dataclass(frozen=True, slots=True)
class Typing:
    """A label for the value, and for the length, of every variable: (name, value, length)."""

    labels: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """What holds at the head of loop ``loop`` (numbered from 1, in program order) whenever both runs are there.

    ``same``: the variable has one value in both runs. The other kinds compare it, in each run, with ``value``.
    """

    loop: int
    kind: FactKind
    name: str
    value: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """Two runs side by side: the facts that hold at the loops, from which equal answers follow."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All inputs are truth values: every answer there is, each as likely whatever is hidden."""

    answers: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FlowCertificate:
    """``function`` in ``file``, whose fingerprint is ``source``, answers alike whatever is hidden."""

    file: str
    function: str
    source: str
    match: bool
    proof: Typing | Composition | Enumeration

    @property
    def method(self) -> str:
        """``typing``, ``composition`` or ``enumeration``."""
        return type(self.proof).__name__.lower()

    def to_json(self) -> dict[str, object]:
        """The certificate as a JSON object."""
        proof: dict[str, object]
        if isinstance(self.proof, Typing):
            proof = {"labels": [list(each) for each in self.proof.labels]}
        elif isinstance(self.proof, Composition):
            proof = {"facts": [_fact_to_json(fact) for fact in self.proof.facts]}
        else:
            proof = {"answers": [value_to_json(answer) for answer in self.proof.answers]}
        return {
            "kind": CERTIFICATE,
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "match": self.match,
            "method": self.method,
            "proof": proof,
        }

    @classmethod
    def from_json(cls, data: object) -> FlowCertificate:
        """The certificate that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        fields = _READ.fields(data, "certificate", ("kind", "file", "function", "source", "match", "method", "proof"))
        if fields["kind"] != CERTIFICATE or fields["method"] not in ("typing", "composition", "enumeration"):
            raise InvalidInput("W110", "this is no certificate of flow", "Give the object that lapwing flow wrote")
        if not isinstance(fields["match"], bool):
            raise InvalidInput("W110", f"match is a JSON {json_type(fields['match'])}", "Give true or false")
        proof: Typing | Composition | Enumeration
        if fields["method"] == "typing":
            rows = _READ.items(_READ.fields(fields["proof"], "proof", ("labels",))["labels"], "labels")
            proof = Typing(tuple(_labels(row) for row in rows))
        elif fields["method"] == "composition":
            facts = _READ.items(_READ.fields(fields["proof"], "proof", ("facts",))["facts"], "facts")
            proof = Composition(tuple(_fact_from_json(fact) for fact in facts))
        else:
            answers = _READ.items(_READ.fields(fields["proof"], "proof", ("answers",))["answers"], "answers")
            proof = Enumeration(tuple(value_from_json(answer, "an answer") for answer in answers))
        file, function, source = (_READ.text(fields[name], name) for name in ("file", "function", "source"))
        return cls(file, function, source, fields["match"], proof)


@dataclass(frozen=True, slots=True)
class Answers:
    """What two runs without noise answer; ``None`` for a run that never does."""

    left: Value | None
    right: Value | None


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely one answer is in each run of a program with noise."""

    output: Value
    left: Fraction
    right: Fraction


@dataclass(frozen=True, slots=True)
class FlowWitness:
    """Two inputs that look alike to whoever sees the result, and that the result tells apart."""

    file: str
    function: str
    source: str
    left: Mapping[str, Value]
    right: Mapping[str, Value]
    observed: Answers | Chances

    def to_json(self) -> dict[str, object]:
        """The witness as a JSON object."""
        observed: dict[str, object]
        if isinstance(self.observed, Answers):
            observed = {
                side: NEVER if answer is None else value_to_json(answer)
                for side, answer in (("left", self.observed.left), ("right", self.observed.right))
            }
        else:
            observed = {
                "output": value_to_json(self.observed.output),
                "probability_left": str(self.observed.left),
                "probability_right": str(self.observed.right),
            }
        return {
            "kind": WITNESS,
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "left": {name: value_to_json(value) for name, value in self.left.items()},
            "right": {name: value_to_json(value) for name, value in self.right.items()},
            "observed": observed,
        }

    @classmethod
    def from_json(cls, data: object) -> FlowWitness:
        """The witness that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        fields = _READ.fields(data, "witness", ("kind", "file", "function", "source", "left", "right", "observed"))
        if fields["kind"] != WITNESS:
            raise InvalidInput("W110", "this is no witness of flow", "Give the object that lapwing flow wrote")
        left, right = (inputs_from_json(fields[side], side) for side in ("left", "right"))
        file, function, source = (_READ.text(fields[name], name) for name in ("file", "function", "source"))
        return cls(file, function, source, left, right, _observed(fields["observed"]))


def write_flow(evidence: FlowCertificate | FlowWitness) -> str:
    """The evidence as JSON text."""
    return json.dumps(evidence.to_json(), indent=2, ensure_ascii=False) + "\n"


def flow_from_json(data: object) -> FlowCertificate | FlowWitness | None:
    """The evidence of flow in ``data``; ``None`` if it is some other kind of evidence."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == CERTIFICATE:
        return FlowCertificate.from_json(data)
    return FlowWitness.from_json(data) if kind == WITNESS else None


def _observed(data: object) -> Answers | Chances:
    if isinstance(data, Mapping) and "output" in data:
        fields = _READ.fields(data, "chance", ("output", "probability_left", "probability_right"))
        chances = [number_from_json(fields[f"probability_{side}"], "a probability") for side in ("left", "right")]
        return Chances(value_from_json(fields["output"], "output"), *chances)
    fields = _READ.fields(data, "pair of answers", ("left", "right"))
    left, right = (
        None if fields[side] == NEVER else value_from_json(fields[side], f"observed.{side}")
        for side in ("left", "right")
    )
    return Answers(left, right)


def _fact_to_json(fact: Fact) -> dict[str, object]:
    data: dict[str, object] = {"loop": fact.loop, "fact": fact.kind, "of": fact.name}
    return data if fact.value is None else {**data, "value": str(fact.value)}


def _fact_from_json(data: object) -> Fact:
    valued = isinstance(data, Mapping) and "value" in data
    fields = _READ.fields(data, "fact", ("loop", "fact", "of", "value") if valued else ("loop", "fact", "of"))
    loop, kind = _READ.position(fields["loop"], "loop"), fields["fact"]
    if kind not in get_args(FactKind) or valued == (kind == "same"):
        raise InvalidInput("W110", "a fact is of no known kind", f"Write one of {', '.join(get_args(FactKind))}")
    value = number_from_json(fields["value"], "value") if valued else None
    return Fact(loop, cast("FactKind", kind), _READ.text(fields["of"], "of"), value)


def _labels(row: object) -> tuple[str, str, str]:
    parts = [_READ.text(each, "a label") for each in _READ.items(row, "labels")]
    if len(parts) != 3:
        raise InvalidInput("W110", "labels holds something other than triples", "Give [name, label, label of length]")
    return parts[0], parts[1], parts[2]

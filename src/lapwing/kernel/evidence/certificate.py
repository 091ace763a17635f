"""A certificate of a privacy bound: everything needed to check the proof again, and nothing that has to be believed.

The one idea: a certificate only names the creative steps (how noise is shifted, what a loop keeps true, how far a
variable can move); whoever checks it reads the source again and rebuilds every condition from there.

**Formulas** are strings in Python's expression syntax: ``+ - * /``, comparisons, ``and or not``, ``a if c else b``,
``abs``, ``min``, ``max``, numbers (read to their last digit), ``True``, ``False``, and

* ``x``, ``xs[i]``: a variable, an element of a list parameter, in the first run; ``hat(e)``: the value of e in the
  second run less that in the first; ``other(e)``: its value in the second run;
* ``len(xs)``: the length of a list parameter or variable (the same in both runs);
* ``round(k)``: how many rounds of loop ``k`` were begun and ended (loops and sites are numbered from 1, in program
  order; a ``for`` at its head is about to begin round ``round(k)``, counted from 0);
* ``cost(k)``: the sum of the absolute shifts so far at site ``k``;
* ``where(xs)``: the position at which a ``one`` or ``replaced`` list differs;
* ``rising(xs)``: whether a ``monotone`` list rises (otherwise it falls);
* ``draw()``: the first run's noise (only in the guards of the alignment of that site);
* ``output()``: the ghost, the one answer considered (only when ``ghost`` is ``"output"``); ``answered()``: whether a
  run has given its answer, and ``other(answer())``: the second run's;
* ``next(xs)``: what the answer considered has at the place that ``xs`` has reached (when ``ghost`` is ``"lists"``);
* ``left(k)``: whether a run has left loop ``k`` by ``break``;
* ``place()``: the position in its list of the element that an :class:`Element` speaks of.

Loops are those of the mechanism as it is walked, in which list comprehensions, sums and largest elements are loops too
(:mod:`lapwing.kernel.relational.plain`).

Proofs of (ε, δ) have a few words more: :mod:`lapwing.kernel.evidence.approximate`.

A *bound* is an expression over public parameters and ``len`` of private lists, as claims are. In the measure
``approximate`` it is two, ε and δ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence import approximate
from lapwing.kernel.evidence.approximate import Pairing, Spread, Subset, Tail
from lapwing.kernel.evidence.composition import Stretch, stretch_from_json, stretch_to_json
from lapwing.kernel.evidence.deferred import (
    Apart,
    Deferral,
    apart_from_json,
    apart_to_json,
    deferral_from_json,
    deferral_to_json,
)
from lapwing.kernel.evidence.fields import Reader
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.evidence.values import json_type
from lapwing.kernel.formulas.reading import MAX_FORMULA

#: Deeper trees than any proof needs; limits keep hostile input from exhausting the stack.
MAX_TREE_DEPTH, MAX_NESTING = 12, 10
#: The certificates that are read: since 2, noise is real-valued, and what is shown holds in both orders of neighbours.
FORMAT = 2
_READ = Reader("C102", "C103", "lapwing prove --certificates", MAX_FORMULA)
#: What only some couplings have; :mod:`lapwing.kernel.evidence.approximate`.
_FURTHER = ("bad", "intervals", "pairs", "elements", "deferral", "apart")

Measure = Literal["epsilon", "approximate", "rho"]
Ghost = Literal["none", "output", "lists"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A decision of an alignment: ``then`` where ``guard`` holds in the first run, else ``otherwise``."""

    guard: str
    then: Alignment
    otherwise: Alignment


#: How far a draw is shifted: a formula that does not speak of the draw, a decision between two of them, or an interval.
Alignment = str | Branch | Subset


@dataclass(frozen=True, slots=True)
class Site:
    """A draw in a coupling proof: its alignment, and a bound on the sum of all its absolute shifts in one run.

    The bound has to hold at every answer and, where a ``while`` might never end, in each of its rounds.
    ``total`` is the word ``joint`` when the site is bounded together with others.
    """

    site: int
    alignment: Alignment
    total: str


@dataclass(frozen=True, slots=True)
class Joint:
    """A bound on several sites at once: Σ weight · (sum of absolute shifts) is at most ``total``.

    Only for sites whose weight · scale is the same, so that the sum has a price: total / (weight · scale).
    """

    weights: tuple[tuple[int, int], ...]
    total: str


@dataclass(frozen=True, slots=True)
class Element:
    """What holds of each element of a built list (without one, both runs hold the same): ``hat(v[place()]) <= 1``."""

    name: str
    formula: str


@dataclass(frozen=True, slots=True)
class Coupling:
    """Noise shifted so that both runs answer alike ([AH18]); its price is the sum over sites of total / scale.

    ``ghost`` ``"none"``: the second run's answer equals the first's, always. ``"output"``: for every whole number or
    truth value s, if the first run answers s then so does the second, where alignments and invariants may mention s.
    ``"lists"``: the same for the elements, whole numbers and truth values, of the lists that are answered. Of a tuple
    with one whole number or truth value that is s, and the rest is equal wherever it is.

    With ``bad`` it shows (ε, δ), where δ is the probability of what is assumed not to happen.
    """

    ghost: Ghost
    sites: tuple[Site, ...]
    invariants: tuple[Invariant, ...]
    joint: tuple[Joint, ...] = ()
    bad: tuple[Tail, ...] = ()
    intervals: tuple[Spread, ...] = ()
    pairs: tuple[Pairing, ...] = ()
    elements: tuple[Element, ...] = ()
    deferral: Deferral | None = None
    apart: tuple[Apart, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """The price of one draw or call: ``distance`` is the sensitivity of what it protects, ``price`` its ε or ρ."""

    site: int
    distance: str
    price: str


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Distances of expressions and adaptive composition, for a body without private control ([RP10]).

    ``costs`` has one entry per draw and call in site order; ``callees`` one certificate per mechanism it calls.
    """

    costs: tuple[Cost, ...]
    callees: tuple[Certificate, ...] = ()


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All answers of a mechanism whose draws and private values are finite, computed as formulas in its parameters.

    ``rows``: the mechanism answers each element of its one private list alone (parallel composition); else it
    has one private truth value.
    """

    rows: bool


@dataclass(frozen=True, slots=True)
class Fold:
    """Sums over records: what one record adds to each released total is read off the program, and priced.

    There is nothing to suggest but the price itself (:mod:`lapwing.kernel.folds`).
    """


@dataclass(frozen=True, slots=True)
class Lift:
    """A mechanism on records proved as one on their totals (:mod:`lapwing.kernel.folds.lifting`).

    ``distances`` says of each total how far one record moves it, and whether a list of totals moves all one way;
    ``mechanism`` is the certificate of the mechanism on totals.
    """

    distances: tuple[tuple[str, bool], ...]
    mechanism: Certificate


@dataclass(frozen=True, slots=True)
class Composed:
    """A body cut into parts, each proved for itself (:mod:`lapwing.kernel.composition`)."""

    parts: tuple[Stretch, ...]


Method = Coupling | Sensitivity | Enumeration | Fold | Lift | Composed


@dataclass(frozen=True, slots=True)
class Certificate:
    """``function`` in ``file``, whose fingerprint is ``source``, has the privacy ``bound`` in ``measure``.

    ``claim`` is the source's own, printed, or None; the bound then has to be at most the claim. ``delta`` is the δ of
    an approximate bound, ``claimed_delta`` that of an approximate claim.
    """

    file: str
    function: str
    source: str
    measure: Measure
    bound: str
    claim: str | None
    proof: Method
    delta: str | None = None
    claimed_delta: str | None = None

    @property
    def stated(self) -> str:
        """The bound as people read it: ``epsilon``, or ``epsilon, delta``."""
        return self.bound if self.delta is None else f"{self.bound}, {self.delta}"

    @property
    def method(self) -> str:
        """``coupling``, ``sensitivity`` or ``enumeration``."""
        return type(self.proof).__name__.lower()

    def to_json(self) -> dict[str, object]:
        """The certificate as a JSON object."""
        return {
            "kind": "certificate",
            "format": FORMAT,
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "measure": self.measure,
            "bound": self.bound if self.delta is None else [self.bound, self.delta],
            "claim": self.claim if self.claimed_delta is None else [self.claim, self.claimed_delta],
            "method": self.method,
            "proof": _proof_to_json(self.proof),
        }

    @classmethod
    def from_json(cls, data: object, nesting: int = 0) -> Certificate:
        """The certificate that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        if isinstance(data, Mapping) and "format" not in data:
            problem = "the certificate is of a time when noise was a multiple of a step; noise is real-valued now"
            raise InvalidInput("C105", problem, "Prove the mechanism again with lapwing prove")
        names = ("kind", "format", "file", "function", "source", "measure", "bound", "claim", "method", "proof")
        fields = _READ.fields(data, "certificate", names)
        if fields["kind"] != "certificate":
            raise InvalidInput("C102", "the object's kind is not 'certificate'", "Give the object that prove wrote")
        if fields["format"] != FORMAT or isinstance(fields["format"], bool):
            raise InvalidInput("C105", f"the certificate's format is not {FORMAT}", "Prove the mechanism again")
        if nesting > MAX_NESTING:
            raise InvalidInput("C103", "certificates are nested too deep", "Give the object that prove wrote")
        measure = cast("Measure", _READ.word(fields["measure"], "measure", "epsilon", "approximate", "rho"))
        bound, delta = _numbers(fields["bound"], "bound", two=measure == "approximate")
        claim = fields["claim"]
        claimed = (None, None) if claim is None else _numbers(claim, "claim", two=isinstance(claim, list))
        return cls(
            file=_READ.text(fields["file"], "file"),
            function=_READ.text(fields["function"], "function"),
            source=_READ.text(fields["source"], "source"),
            measure=measure,
            bound=bound,
            claim=claimed[0],
            proof=_proof_from_json(fields["method"], fields["proof"], nesting),
            delta=delta,
            claimed_delta=claimed[1],
        )


def write_certificate(certificate: Certificate) -> str:
    """The certificate as JSON text."""
    return json.dumps(certificate.to_json(), indent=2, ensure_ascii=False) + "\n"


def _numbers(data: object, name: str, *, two: bool) -> tuple[str, str | None]:
    """ε or ρ; or ε and δ."""
    if not two:
        return _READ.formula(data, name), None
    parts = _READ.items(data, name)
    if len(parts) != 2:
        raise InvalidInput("C103", f"{name} is other than two numbers", "Give epsilon and delta")
    return _READ.formula(parts[0], name), _READ.formula(parts[1], name)


def _inner_to_json(certificate: object) -> object:
    return certificate.to_json() if isinstance(certificate, Certificate) else None


def _proof_to_json(proof: Method) -> dict[str, object]:
    match proof:
        case Coupling(ghost, sites, invariants, joint):
            further = {
                "bad": [approximate.tail_to_json(each) for each in proof.bad],
                "intervals": [approximate.spread_to_json(each) for each in proof.intervals],
                "pairs": [approximate.pairing_to_json(each, _tree_to_json) for each in proof.pairs],
                "elements": [{"list": each.name, "formula": each.formula} for each in proof.elements],
                "apart": [apart_to_json(each) for each in proof.apart],
                "deferral": None if proof.deferral is None else deferral_to_json(proof.deferral),
            }
            return {
                "ghost": ghost,
                "sites": [{"site": s.site, "alignment": _tree_to_json(s.alignment), "total": s.total} for s in sites],
                "invariants": [{"loop": each.loop, "formula": each.formula} for each in invariants],
                "joint": [{"weights": [list(pair) for pair in each.weights], "total": each.total} for each in joint],
                **{name: each for name, each in further.items() if each},
            }
        case Sensitivity(costs, callees):
            return {
                "costs": [{"site": c.site, "distance": c.distance, "price": c.price} for c in costs],
                "callees": [callee.to_json() for callee in callees],
            }
        case Enumeration(rows):
            return {"rows": rows}
        case Fold():
            return {}
        case Lift(distances, mechanism):
            totals = [{"distance": distance, "one_way": one_way} for distance, one_way in distances]
            return {"totals": totals, "mechanism": mechanism.to_json()}
        case Composed(parts):
            return {"parts": [stretch_to_json(each, _inner_to_json) for each in parts]}


def _proof_from_json(method: object, data: object, nesting: int) -> Method:
    match _READ.word(method, "method", "coupling", "sensitivity", "enumeration", "fold", "lift", "composed"):
        case "coupling":
            more = tuple(each for each in _FURTHER if isinstance(data, Mapping) and each in data)
            fields = _READ.fields(data, "proof", ("ghost", "sites", "invariants", "joint", *more))
            found = {name: _READ.items(fields[name], name) for name in more if name != "deferral"}
            ghost = cast("Ghost", _READ.word(fields["ghost"], "ghost", "none", "output", "lists"))
            sites = tuple(_site(each) for each in _READ.items(fields["sites"], "sites"))
            invariants = tuple(_invariant(each) for each in _READ.items(fields["invariants"], "invariants"))
            return Coupling(
                ghost,
                sites,
                invariants,
                tuple(_joint(each) for each in _READ.items(fields["joint"], "joint")),
                tuple(approximate.tail_from_json(_READ, each) for each in found.get("bad", ())),
                tuple(approximate.spread_from_json(_READ, each) for each in found.get("intervals", ())),
                tuple(approximate.pairing_from_json(_READ, each, _tree_from_json) for each in found.get("pairs", ())),
                tuple(_element(each) for each in found.get("elements", ())),
                deferral_from_json(_READ, fields["deferral"]) if "deferral" in more else None,
                tuple(apart_from_json(_READ, each) for each in found.get("apart", ())),
            )
        case "sensitivity":
            fields = _READ.fields(data, "proof", ("costs", "callees"))
            costs = tuple(_cost(each) for each in _READ.items(fields["costs"], "costs"))
            callees = _READ.items(fields["callees"], "callees")
            return Sensitivity(costs, tuple(Certificate.from_json(each, nesting + 1) for each in callees))
        case "composed":
            parts = _READ.items(_READ.fields(data, "proof", ("parts",))["parts"], "parts")
            inner = partial(Certificate.from_json, nesting=nesting + 1)
            return Composed(tuple(stretch_from_json(_READ, each, inner) for each in parts))
        case "fold":
            _READ.fields(data, "proof", ())
            return Fold()
        case "lift":
            fields = _READ.fields(data, "proof", ("totals", "mechanism"))
            totals = tuple(_total(each) for each in _READ.items(fields["totals"], "totals"))
            return Lift(totals, Certificate.from_json(fields["mechanism"], nesting + 1))
    rows = _READ.fields(data, "proof", ("rows",))["rows"]
    if not isinstance(rows, bool):
        raise InvalidInput("C103", f"rows is a JSON {json_type(rows)}", "Give true or false")
    return Enumeration(rows)


def _total(data: object) -> tuple[str, bool]:
    fields = _READ.fields(data, "total", ("distance", "one_way"))
    if not isinstance(fields["one_way"], bool):
        raise InvalidInput("C103", f"one_way is a JSON {json_type(fields['one_way'])}", "Give true or false")
    return _READ.formula(fields["distance"], "distance"), fields["one_way"]


def _site(data: object) -> Site:
    fields = _READ.fields(data, "site", ("site", "alignment", "total"))
    alignment = _tree_from_json(fields["alignment"], 0)
    return Site(_READ.position(fields["site"], "site"), alignment, _READ.formula(fields["total"], "total"))


def _joint(data: object) -> Joint:
    fields = _READ.fields(data, "joint", ("weights", "total"))
    pairs = [_READ.items(pair, "weights") for pair in _READ.items(fields["weights"], "weights")]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidInput("C103", "weights holds something other than pairs", "Give pairs [site, weight]")
    weights = tuple((_READ.position(site, "a site"), _READ.position(weight, "a weight")) for site, weight in pairs)
    return Joint(weights, _READ.formula(fields["total"], "total"))


def _invariant(data: object) -> Invariant:
    fields = _READ.fields(data, "invariant", ("loop", "formula"))
    return Invariant(_READ.position(fields["loop"], "loop"), _READ.formula(fields["formula"], "formula"))


def _element(data: object) -> Element:
    fields = _READ.fields(data, "element", ("list", "formula"))
    return Element(_READ.text(fields["list"], "list"), _READ.formula(fields["formula"], "formula"))


def _cost(data: object) -> Cost:
    fields = _READ.fields(data, "cost", ("site", "distance", "price"))
    site = _READ.position(fields["site"], "site")
    return Cost(site, _READ.formula(fields["distance"], "distance"), _READ.formula(fields["price"], "price"))


def _tree_to_json(tree: object) -> object:
    if isinstance(tree, Subset):
        return {"subset": list(tree.inside), "onto": list(tree.onto)}
    if not isinstance(tree, Branch):
        return tree
    return {"if": tree.guard, "then": _tree_to_json(tree.then), "else": _tree_to_json(tree.otherwise)}


def _tree_from_json(data: object, depth: int = 0) -> Alignment:
    if isinstance(data, str):
        return _READ.formula(data, "alignment")
    if isinstance(data, Mapping) and "subset" in data:
        return approximate.subset_from_json(_READ, data)
    if depth >= MAX_TREE_DEPTH:
        raise InvalidInput("C103", f"an alignment is nested more than {MAX_TREE_DEPTH} deep", "Give fewer decisions")
    fields = _READ.fields(data, "alignment", ("if", "then", "else"))
    then, otherwise = (_tree_from_json(fields[name], depth + 1) for name in ("then", "else"))
    return Branch(_READ.formula(fields["if"], "guard"), then, otherwise)

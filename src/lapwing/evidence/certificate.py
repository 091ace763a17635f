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
* ``output()``: the ghost, the one answer considered (only when ``ghost`` is ``"output"``).

A *bound* is an expression over public parameters and ``len`` of private lists, as claims are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, cast

from lapwing.errors import InvalidInput
from lapwing.evidence.fields import Reader
from lapwing.evidence.values import json_type

#: Deeper trees and longer formulas than any proof needs; limits keep hostile input from exhausting the stack.
MAX_TREE_DEPTH, MAX_FORMULA, MAX_NESTING = 12, 20_000, 10
_READ = Reader("C102", "C103", "lapwing prove --certificates", MAX_FORMULA)

Measure = Literal["epsilon", "rho"]
Ghost = Literal["none", "output"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A decision of an alignment: ``then`` where ``guard`` holds in the first run, else ``otherwise``."""

    guard: str
    then: Alignment
    otherwise: Alignment


#: How far a draw is shifted: a linear formula over distances and lattice values, or a decision between two of them.
Alignment = str | Branch


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
class Invariant:
    """What holds at the head of a loop, whenever control is there: before each test for another round."""

    loop: int
    formula: str


@dataclass(frozen=True, slots=True)
class Joint:
    """A bound on several sites at once: Σ weight · (sum of absolute shifts) is at most ``total``.

    Only for sites whose weight · scale is the same, so that the sum has a price: total / (weight · scale).
    """

    weights: tuple[tuple[int, int], ...]
    total: str


@dataclass(frozen=True, slots=True)
class Coupling:
    """Noise shifted so that both runs answer alike ([AH18]); its price is the sum over sites of total / scale.

    ``ghost`` ``"none"``: the second run's answer equals the first's, always. ``"output"``: for every number or truth
    value s, if the first run answers s then so does the second, where alignments and invariants may mention s.
    """

    ghost: Ghost
    sites: tuple[Site, ...]
    invariants: tuple[Invariant, ...]
    joint: tuple[Joint, ...] = ()


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


Method = Coupling | Sensitivity | Enumeration


@dataclass(frozen=True, slots=True)
class Certificate:
    """``function`` in ``file``, whose fingerprint is ``source``, has the privacy ``bound`` in ``measure``.

    ``claim`` is the source's own, printed, or None; the bound then has to be at most the claim.
    """

    file: str
    function: str
    source: str
    measure: Measure
    bound: str
    claim: str | None
    proof: Method

    @property
    def method(self) -> str:
        """``coupling``, ``sensitivity`` or ``enumeration``."""
        return type(self.proof).__name__.lower()

    def to_json(self) -> dict[str, object]:
        """The certificate as a JSON object."""
        return {
            "kind": "certificate",
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "measure": self.measure,
            "bound": self.bound,
            "claim": self.claim,
            "method": self.method,
            "proof": _proof_to_json(self.proof),
        }

    @classmethod
    def from_json(cls, data: object, nesting: int = 0) -> Certificate:
        """The certificate that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        names = ("kind", "file", "function", "source", "measure", "bound", "claim", "method", "proof")
        fields = _READ.fields(data, "certificate", names)
        if fields["kind"] != "certificate":
            raise InvalidInput("C102", "the object's kind is not 'certificate'", "Give the object that prove wrote")
        if nesting > MAX_NESTING:
            raise InvalidInput("C103", "certificates are nested too deep", "Give the object that prove wrote")
        return cls(
            file=_READ.text(fields["file"], "file"),
            function=_READ.text(fields["function"], "function"),
            source=_READ.text(fields["source"], "source"),
            measure=cast("Measure", _READ.word(fields["measure"], "measure", "epsilon", "rho")),
            bound=_READ.text(fields["bound"], "bound"),
            claim=None if fields["claim"] is None else _READ.text(fields["claim"], "claim"),
            proof=_proof_from_json(fields["method"], fields["proof"], nesting),
        )


def write_certificate(certificate: Certificate) -> str:
    """The certificate as JSON text."""
    return json.dumps(certificate.to_json(), indent=2, ensure_ascii=False) + "\n"


def _proof_to_json(proof: Method) -> dict[str, object]:
    match proof:
        case Coupling(ghost, sites, invariants, joint):
            return {
                "ghost": ghost,
                "sites": [{"site": s.site, "alignment": _tree_to_json(s.alignment), "total": s.total} for s in sites],
                "invariants": [{"loop": each.loop, "formula": each.formula} for each in invariants],
                "joint": [{"weights": [list(pair) for pair in each.weights], "total": each.total} for each in joint],
            }
        case Sensitivity(costs, callees):
            return {
                "costs": [{"site": c.site, "distance": c.distance, "price": c.price} for c in costs],
                "callees": [callee.to_json() for callee in callees],
            }
        case Enumeration(rows):
            return {"rows": rows}


def _proof_from_json(method: object, data: object, nesting: int) -> Method:
    match _READ.word(method, "method", "coupling", "sensitivity", "enumeration"):
        case "coupling":
            fields = _READ.fields(data, "proof", ("ghost", "sites", "invariants", "joint"))
            ghost = cast("Ghost", _READ.word(fields["ghost"], "ghost", "none", "output"))
            sites = tuple(_site(each) for each in _READ.items(fields["sites"], "sites"))
            invariants = tuple(_invariant(each) for each in _READ.items(fields["invariants"], "invariants"))
            return Coupling(
                ghost, sites, invariants, tuple(_joint(each) for each in _READ.items(fields["joint"], "joint"))
            )
        case "sensitivity":
            fields = _READ.fields(data, "proof", ("costs", "callees"))
            costs = tuple(_cost(each) for each in _READ.items(fields["costs"], "costs"))
            callees = _READ.items(fields["callees"], "callees")
            return Sensitivity(costs, tuple(Certificate.from_json(each, nesting + 1) for each in callees))
    rows = _READ.fields(data, "proof", ("rows",))["rows"]
    if not isinstance(rows, bool):
        raise InvalidInput("C103", f"rows is a JSON {json_type(rows)}", "Give true or false")
    return Enumeration(rows)


def _site(data: object) -> Site:
    fields = _READ.fields(data, "site", ("site", "alignment", "total"))
    alignment = _tree_from_json(fields["alignment"], 0)
    return Site(_READ.position(fields["site"], "site"), alignment, _READ.text(fields["total"], "total"))


def _joint(data: object) -> Joint:
    fields = _READ.fields(data, "joint", ("weights", "total"))
    pairs = [_READ.items(pair, "weights") for pair in _READ.items(fields["weights"], "weights")]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidInput("C103", "weights holds something other than pairs", "Give pairs [site, weight]")
    weights = tuple((_READ.position(site, "a site"), _READ.position(weight, "a weight")) for site, weight in pairs)
    return Joint(weights, _READ.text(fields["total"], "total"))


def _invariant(data: object) -> Invariant:
    fields = _READ.fields(data, "invariant", ("loop", "formula"))
    return Invariant(_READ.position(fields["loop"], "loop"), _READ.text(fields["formula"], "formula"))


def _cost(data: object) -> Cost:
    fields = _READ.fields(data, "cost", ("site", "distance", "price"))
    site = _READ.position(fields["site"], "site")
    return Cost(site, _READ.text(fields["distance"], "distance"), _READ.text(fields["price"], "price"))


def _tree_to_json(tree: Alignment) -> object:
    if isinstance(tree, str):
        return tree
    return {"if": tree.guard, "then": _tree_to_json(tree.then), "else": _tree_to_json(tree.otherwise)}


def _tree_from_json(data: object, depth: int) -> Alignment:
    if isinstance(data, str):
        return _READ.text(data, "alignment")
    if depth >= MAX_TREE_DEPTH:
        raise InvalidInput("C103", f"an alignment is nested more than {MAX_TREE_DEPTH} deep", "Give fewer decisions")
    fields = _READ.fields(data, "alignment", ("if", "then", "else"))
    then, otherwise = (_tree_from_json(fields[name], depth + 1) for name in ("then", "else"))
    return Branch(_READ.text(fields["if"], "guard"), then, otherwise)

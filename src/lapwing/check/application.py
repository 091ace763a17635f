"""Is the certificate of an application right: was the mechanism proved for these answers, and is its bound the price.

The one idea: three facts are derived again. The proof holds for the text of the mechanism (by the checker of proofs);
one person moves the vector no further than that proof is about (from the plans); and the bound, at the public
parameters and the length of the vector, is the price.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from lapwing.algebra.exact import exact
from lapwing.algebra.measures import PureDP
from lapwing.check.certificate import check_certificate
from lapwing.check.plans import Derived, Doubt, Record, change_of, derived, number, phrase, rows_of, whole
from lapwing.check.rejected import Rejected
from lapwing.evidence.certificate import Certificate
from lapwing.evidence.guarantee import Guarantee
from lapwing.program import fingerprint, ir, parse_text, types
from lapwing.program.draws import BITS
from lapwing.program.neighbours import Relation
from lapwing.program.printer import show

_FIELDS = {"kind", "mechanism", "source", "guarantee", "public", "neighbours", "queries", "plans", "price"}


def check_application(certificate: object) -> Derived | Rejected:
    """Derive what running the mechanism on these queries costs, and compare with what the certificate says."""
    return derived(_check, certificate)


def _check(certificate: Any) -> Derived:  # noqa: ANN401  # JSON, of any shape until it is checked
    if certificate["kind"] != "application" or set(certificate) != _FIELDS:
        raise Doubt("this is not the certificate of an application")
    guarantee, mechanism = _proved(certificate)
    if certificate["guarantee"] != guarantee.to_json():
        raise Doubt("the guarantee is not what the proof shows")
    changed = {"added": False, "replaced": True}[certificate["neighbours"]]
    plans, public = certificate["plans"], certificate["public"]
    if not plans or len(plans) != len(certificate["queries"]):
        raise Doubt("there is not one plan for each query")
    private = _one_private(mechanism, public)
    assert private.relation is not None  # noqa: S101  # a private parameter has one
    distance = _distance(private, private.relation, public)
    length = _length(private.relation, distance, plans, changed=changed)
    lengths = {} if private.relation.kind == "within" else {private.name: length}
    bound = guarantee.at(**public, **lengths)
    price = {"epsilon": bound.epsilon} if isinstance(bound, PureDP) else {"rho": bound.rho}
    if {name: number(value) for name, value in certificate["price"].items()} != price:
        raise Doubt("the price is not the bound of the mechanism at these parameters")
    text = ", ".join(f"{name} = {amount}" for name, amount in price.items())
    of = f"{mechanism.name} on {length} {'answer' if length == 1 else 'answers'}"
    return Derived(f"{of} costs {text} for one person {phrase(changed)}", price, len(plans))


def _proved(certificate: Record) -> tuple[Guarantee, ir.Mechanism]:
    """What the proof shows of the mechanism as it is written in the certificate."""
    proof, source = Certificate.from_json(certificate["mechanism"]), certificate["source"]
    if not isinstance(source, str):
        raise Doubt("the mechanism is not a text")
    verdict = check_certificate(proof, source)
    if isinstance(verdict, Rejected):
        raise Doubt(f"the proof of {proof.function} does not hold: {verdict.reason}")
    module = parse_text(source, proof.file, only=proof.function)
    mechanism = module[proof.function]
    guarantee = Guarantee(
        function=mechanism.name,
        neighbours={each.name: str(each.relation) for each in mechanism.parameters if each.relation is not None},
        measure=proof.measure,
        bound=proof.bound,
        source=fingerprint(module, mechanism.name),
        parameters={each.name: types.show(each.type) for each in mechanism.parameters},
        preconditions=tuple(show(condition) for condition in mechanism.preconditions),
    )
    return guarantee, mechanism


def _one_private(mechanism: ir.Mechanism, public: Mapping[str, object]) -> ir.Parameter:
    """The parameter that the vector is; all others are public, and given."""
    private = [each for each in mechanism.parameters if each.private]
    if len(private) != 1 or mechanism.flow is not None:
        raise Doubt("the mechanism does not take one private vector and nothing else that is secret")
    if set(public) != {each.name for each in mechanism.parameters if not each.private}:
        raise Doubt("the public parameters are not those of the mechanism")
    return private[0]


def _distance(private: ir.Parameter, relation: Relation, public: Mapping[str, Any]) -> Fraction:
    """How far apart the proof lets neighbours be; a multiple of the lattice step, so that rounding keeps it."""
    distance = relation.distance
    if isinstance(distance, str):
        if distance not in public:
            raise Doubt("how far apart neighbours are is not one of the public parameters")
        distance = exact(public[distance], distance)
    if distance is None:
        raise Doubt(f"the mechanism was proved for {relation}, which no queries are known to keep to")
    element = private.type.element if isinstance(private.type, ir.List) else private.type
    step = Fraction(1) if isinstance(element, ir.Integer) else Fraction(1, 2**BITS)
    if distance < 0 or distance % step:
        raise Doubt("how far apart neighbours are is not a multiple of the lattice step")
    return distance


def _length(relation: Relation, distance: Fraction, plans: Sequence[Record], *, changed: bool) -> int:
    """The length of the vector, if one person moves it no further than the relation says."""
    disjoint = relation.kind == "one"
    if relation.kind not in ("each", "monotone", "one", "within") or (relation.kind in ("one", "within") and plans[1:]):
        raise Doubt(f"queries do not give a vector of neighbours {relation}")
    if any(_moved(plan, grouped=disjoint, changed=changed) > distance for plan in plans):
        raise Doubt("one person can move an answer further than the mechanism was proved for")
    measured = [plan["measurements"][0] for plan in plans]
    if relation.kind == "monotone" and (changed or any(each["function"] == "total" for each in measured)):
        raise Doubt("the answers need not all rise or all fall together")
    if not disjoint:
        return len(plans)
    # a person whose weights, whole ones, add up to 1 at most is in one group at most; one who is changed is in two
    if changed or (measured[0]["rows_per_unit"], measured[0]["weight_steps"]) != (1, 1):
        raise Doubt("one person can be in several of the groups")
    return prod(len(key["values"]) for key in plans[0]["keys"])


def _moved(plan: Record, *, grouped: bool, changed: bool) -> Fraction:
    """How far one person moves the answer of a plan (the answers of all its groups together), in its own units."""
    keys, measurements = plan["keys"], plan["measurements"]
    if plan["node"] != "Aggregate" or plan["selection"] is not None or len(measurements) != 1:
        raise Doubt("a query measures something else than one number")
    if bool(keys) != grouped or any(not isinstance(key["values"], list) for key in keys):
        raise Doubt("the groups of a query are not those of the vector")
    measurement = measurements[0]
    step = number(measurement["step"])
    if measurement["function"] not in ("rows", "units", "total") or (measurement["function"] != "total" and step != 1):
        raise Doubt("a query is neither a count nor a sum")
    l1, _ = change_of(measurement, rows_of(plan["source"]), grouped=grouped, changed=changed)
    return l1 * step / whole(measurement["weight_steps"])

"""Is the certificate of an application right: was the mechanism proved for these answers, and is its bound the price.

The one idea: three facts are derived again. The proof holds for the program of the mechanism (by the kernel's checker
of proofs); one person moves the vector no further than that proof is about (from the plans); and the bound, at the
public parameters and the length of the vector, is the price.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from lapwing.algebra.exact import exact
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.evidence.application import ApplicationCertificate
from lapwing.kernel.evidence.guarantee import Guarantee
from lapwing.kernel.evidence.plan import Aggregate, Function
from lapwing.kernel.program import ir
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived, Protection, change_of, limit, rows_of
from lapwing.kernel.release.release import statement

#: How neighbours differ in a number that one query gives; in the answers of many; and in the groups of one.
NUMBERS, LISTS, GROUPS = ("within", "conditional"), ("each", "monotone"), ("one", "replaced", "added")


def check_application(certificate: ApplicationCertificate, module: ir.Module) -> Derived | Rejected:
    """Derive what running the mechanism of ``module`` on these queries costs, and compare with the certificate."""
    return judged(lambda: _check(certificate, _proved(certificate, module), None))


def check_charge(
    certificate: ApplicationCertificate, guarantee: Guarantee, policy: Protection | None
) -> Derived | Rejected:
    """The same for a mechanism whose proof was checked already, with the guarantee that came of it."""
    return judged(lambda: _check(certificate, guarantee, policy))


def _proved(certificate: ApplicationCertificate, module: ir.Module) -> Guarantee:
    """What the proof shows of the mechanism."""
    # a solver takes a moment to load, and a session has checked the proof before it applies a mechanism
    from lapwing.kernel.relational.certificate import check_certificate

    proof = certificate.mechanism
    verdict = check_certificate(proof, module)
    if isinstance(verdict, Rejected):
        raise Doubt(f"the proof of {proof.function} does not hold: {verdict.reason}")
    mechanism = module[proof.function]
    return Guarantee(mechanism, proof.measure, proof.bound, fingerprint(module, mechanism.name), proof.delta)


def _check(certificate: ApplicationCertificate, guarantee: Guarantee, policy: Protection | None) -> Derived:
    neighbours, plans = certificate.neighbours, certificate.plans
    if policy is not None and neighbours is not policy.neighbours:
        raise Doubt("the policy protects against another change")
    if not plans or len(plans) != len(certificate.queries):
        raise Doubt("there is not one plan for each query")
    private = _private(guarantee.mechanism, certificate)
    given = [plans] if len(private) == 1 else [(plan,) for plan in plans]
    length, public = len(plans), dict[str, object](certificate.public)
    for (parameter, relation), own in zip(private, given, strict=True):
        distance = _distance(parameter, relation, certificate)
        moved = [_moved(plan, relation, neighbours, policy) for plan in own]
        if distance is not None and max(moved) > distance:
            raise Doubt("one person can move an answer further than the mechanism was proved for")
        if relation.kind not in NUMBERS:
            length = _length(relation, own, neighbours)
        if relation.keeps_length and isinstance(parameter.type, ir.List):
            public[parameter.name] = length
    price = guarantee.at(**public)
    if certificate.price != price:
        raise Doubt("the price is not the bound of the mechanism at these parameters")
    of = f"{guarantee.function} on {length} {'answer' if length == 1 else 'answers'} costs"
    return Derived(statement(of, price, neighbours), price, len(plans), plans)


def _private(mechanism: ir.Mechanism, certificate: ApplicationCertificate) -> list[tuple[ir.Parameter, Relation]]:
    """The parameter that the vector is, or numbers with a query each; all others are public, and given."""
    private = [(each, each.relation) for each in mechanism.parameters if each.private and each.relation is not None]
    kinds, queries = [relation.kind for _, relation in private], len(certificate.plans)
    if mechanism.flow is not None or len(private) != sum(each.private for each in mechanism.parameters):
        raise Doubt("the mechanism takes something else that is secret")
    if set(certificate.public) != {each.name for each in mechanism.parameters if not each.private}:
        raise Doubt("the public parameters are not those of the mechanism")
    one = len(kinds) == 1 and (kinds[0] in LISTS or (kinds[0] in GROUPS and queries == 1))
    listed = [isinstance(each.type, ir.List) for each, _ in private]
    numbers = bool(kinds) and all(kind in NUMBERS for kind in kinds) and queries == len(kinds)
    if not (one and all(listed)) and not (numbers and not any(listed)):
        raise Doubt(f"queries do not give neighbours {', '.join(str(relation) for _, relation in private)}")
    return private


def _distance(private: ir.Parameter, relation: Relation, certificate: ApplicationCertificate) -> Fraction | None:
    """How far apart the proof lets neighbours be; whole for whole numbers, so that rounding down keeps it.

    Any distance will do (None) where one number is replaced; where one row is added, its group has one more.
    """
    element = private.type.element if isinstance(private.type, ir.List) else private.type
    if relation.kind == "replaced":
        if not isinstance(element, ir.Integer | ir.Real):
            raise Doubt("answers are numbers")
        return None
    distance = Fraction(1) if relation.kind == "added" else relation.distance
    if isinstance(distance, str):
        given = certificate.public.get(distance)
        if not isinstance(given, Fraction | int) or isinstance(given, bool):
            raise Doubt("how far apart neighbours are is not one of the public parameters")
        distance = exact(given, distance)
    if distance is None or distance < 0:
        raise Doubt(f"the mechanism was proved for {relation}, which no queries are known to keep to")
    if isinstance(element, ir.Integer) and distance.denominator != 1:
        raise Doubt("how far apart neighbours are is a fraction where numbers are whole")
    return distance


def _length(relation: Relation, plans: tuple[Aggregate, ...], neighbours: Neighbours) -> int:
    """How many answers there are, if one person moves them together as the relation says.

    Where the list is one of rows, each group gives as many as it counts, of its key: a person more is a row more.
    """
    changed, measured = neighbours is Neighbours.REPLACED, [plan.measurements[0] for plan in plans]
    if relation.kind == "monotone" and (changed or any(each.function is Function.TOTAL for each in measured)):
        raise Doubt("the answers need not all rise or all fall together")
    if relation.kind not in GROUPS:
        return len(plans)
    # a person whose weights, whole ones, add up to 1 at most is in one group at most; one who is changed is in two
    if changed or (measured[0].rows_per_unit, measured[0].weight_steps) != (1, 1):
        raise Doubt("one person can be in several of the groups")
    if relation.kind == "added" and (measured[0].function is Function.TOTAL or len(plans[0].keys) != 1):
        raise Doubt("rows are counted by one key")
    return prod(len(key.values or ()) for key in plans[0].keys)


def _moved(plan: Aggregate, relation: Relation, neighbours: Neighbours, policy: Protection | None) -> Fraction:
    """How far one person moves the answer of a plan (the answers of all its groups together), in its own units."""
    grouped = relation.kind in GROUPS
    if plan.selection is not None or len(plan.measurements) != 1:
        raise Doubt("a query measures something else than one number")
    if bool(plan.keys) != grouped or any(key.values is None for key in plan.keys):
        raise Doubt("the groups of a query are not those of the vector")
    measurement = plan.measurements[0]
    counted = measurement.function in (Function.ROWS, Function.UNITS) and measurement.step == 1
    if not counted and measurement.function is not Function.TOTAL:
        raise Doubt("a query is neither a count nor a sum")
    change = change_of(measurement, rows_of(plan.source, policy), grouped=grouped, neighbours=neighbours)
    return change.l1 * measurement.step / limit(measurement.weight_steps)

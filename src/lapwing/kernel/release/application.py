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

#: Proved for these, a mechanism may run on the answers to queries.
_VECTORS = ("each", "monotone", "one", "within")


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
    private, relation = _one_private(guarantee.mechanism, certificate)
    distance = _distance(private, relation, certificate)
    if any(_moved(plan, relation, neighbours, policy) > distance for plan in plans):
        raise Doubt("one person can move an answer further than the mechanism was proved for")
    length = _length(relation, plans, neighbours)
    lengths = {} if relation.kind == "within" else {private.name: length}
    price = guarantee.at(**certificate.public, **lengths)
    if certificate.price != price:
        raise Doubt("the price is not the bound of the mechanism at these parameters")
    of = f"{guarantee.function} on {length} {'answer' if length == 1 else 'answers'} costs"
    return Derived(statement(of, price, neighbours), price, len(plans), plans)


def _one_private(mechanism: ir.Mechanism, certificate: ApplicationCertificate) -> tuple[ir.Parameter, Relation]:
    """The parameter that the vector is, and how neighbours differ in it; all others are public, and given."""
    private = [each for each in mechanism.parameters if each.private]
    if len(private) != 1 or private[0].relation is None or mechanism.flow is not None:
        raise Doubt("the mechanism does not take one private vector and nothing else that is secret")
    if set(certificate.public) != {each.name for each in mechanism.parameters if not each.private}:
        raise Doubt("the public parameters are not those of the mechanism")
    relation = private[0].relation
    if relation.kind not in _VECTORS or (relation.kind in ("one", "within") and len(certificate.plans) > 1):
        raise Doubt(f"queries do not give a vector of neighbours {relation}")
    return private[0], relation


def _distance(private: ir.Parameter, relation: Relation, certificate: ApplicationCertificate) -> Fraction:
    """How far apart the proof lets neighbours be; whole for whole numbers, so that rounding down keeps it."""
    distance = relation.distance
    if isinstance(distance, str):
        given = certificate.public.get(distance)
        if not isinstance(given, Fraction | int) or isinstance(given, bool):
            raise Doubt("how far apart neighbours are is not one of the public parameters")
        distance = exact(given, distance)
    if distance is None or distance < 0:
        raise Doubt(f"the mechanism was proved for {relation}, which no queries are known to keep to")
    element = private.type.element if isinstance(private.type, ir.List) else private.type
    if isinstance(element, ir.Integer) and distance.denominator != 1:
        raise Doubt("how far apart neighbours are is a fraction where numbers are whole")
    return distance


def _length(relation: Relation, plans: tuple[Aggregate, ...], neighbours: Neighbours) -> int:
    """The length of the vector, if one person moves its numbers together as the relation says."""
    changed, measured = neighbours is Neighbours.REPLACED, [plan.measurements[0] for plan in plans]
    if relation.kind == "monotone" and (changed or any(each.function is Function.TOTAL for each in measured)):
        raise Doubt("the answers need not all rise or all fall together")
    if relation.kind != "one":
        return len(plans)
    # a person whose weights, whole ones, add up to 1 at most is in one group at most; one who is changed is in two
    if changed or (measured[0].rows_per_unit, measured[0].weight_steps) != (1, 1):
        raise Doubt("one person can be in several of the groups")
    return prod(len(key.values or ()) for key in plans[0].keys)


def _moved(plan: Aggregate, relation: Relation, neighbours: Neighbours, policy: Protection | None) -> Fraction:
    """How far one person moves the answer of a plan (the answers of all its groups together), in its own units."""
    grouped = relation.kind == "one"
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

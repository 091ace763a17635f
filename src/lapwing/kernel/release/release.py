"""Is the certificate of a release right? Every bound is derived again from its plan; one doubt rejects.

The one idea: what one person can change follows from five facts that can be read off a plan: whose a row is, how many
rows of one person reach the aggregate, how far a row's number is clipped, what noise was added, and how prices add up.
A session charges what is derived here, before it looks.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.evidence.plan import Bounding, Function, Measurement
from lapwing.kernel.evidence.release import (
    Change,
    NoisyMeasurement,
    Price,
    ReleaseCertificate,
    Selection,
    price_to_json,
)
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.families import families_of
from lapwing.kernel.release.plans import Derived, Ownership, Protection, change_of, has_everybody, limit, rows_of
from lapwing.noise.exponential import Exponential
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

#: The same on all neighbours.
_NOTHING = Change(0, 0)


def check_release(certificate: ReleaseCertificate, policy: Protection | None = None) -> Derived | Rejected:
    """Derive what a release costs, and compare with what its certificate says.

    Under a policy, the tables of the plan are compared with it; without one they are taken to be what the plan says.
    """
    return judged(lambda: _check(certificate, policy))


def statement(subject: str, price: Price, neighbours: Neighbours) -> str:
    """What is known in the end."""
    text = ", ".join(f"{name} = {amount}" for name, amount in price_to_json(price).items())
    who = "changed" if neighbours is Neighbours.REPLACED else "more or fewer"
    return f"{subject} {text} for one person {who}"


def _check(certificate: ReleaseCertificate, policy: Protection | None) -> Derived:
    neighbours, selection, noisy = certificate.neighbours, certificate.selection, certificate.noisy
    if policy is not None and neighbours is not policy.neighbours:
        raise Doubt("the policy protects against another change")
    if any(key.values is None for key in certificate.keys) != (selection is not None):
        raise Doubt("unknown keys, and only those, need a private choice of groups")
    if not noisy or len({each.measurement.name for each in noisy}) < len(noisy):
        raise Doubt("nothing was measured, or two measurements have one name")
    rows = rows_of(certificate.source, policy)
    families = families_of(certificate)
    price: Price = _sum([_dearest([_claim(each, rows, certificate, family) for each in family]) for family in families])
    if selection is not None:
        if not isinstance(price, PureDP):
            raise Doubt("groups are chosen at a price in epsilon")
        price = ApproxDP(price.epsilon, _selection_delta(selection, neighbours))
    if certificate.price != price:
        raise Doubt("the price is not what the measurements cost together")
    return Derived(statement("the answers cost", price, neighbours), price, len(noisy), certificate.plans)


# --- what each measurement costs -------------------------------------------------------------------------


def _sum(claims: list[PureDP | ZCDP]) -> PureDP | ZCDP:
    """Sequential composition: ε adds up, and so does ρ ([DR14] Thm 3.16, [BS16] Lemma 2.3)."""
    return _joined(claims, lambda prices: sum(prices, Fraction(0)), "added up")


def _dearest(claims: list[PureDP | ZCDP]) -> PureDP | ZCDP:
    """What a family costs: as much as its dearest member alone (see ``families``)."""
    return _joined(claims, max, "compared")


def _joined(claims: list[PureDP | ZCDP], how: Callable[[list[Fraction]], Fraction], done: str) -> PureDP | ZCDP:
    epsilons = [each.epsilon for each in claims if isinstance(each, PureDP)]
    rhos = [each.rho for each in claims if isinstance(each, ZCDP)]
    if epsilons and rhos:
        raise Doubt(f"prices of different kinds were {done}")
    return PureDP(how(epsilons)) if epsilons else ZCDP(how(rhos))


def _claim(
    part: NoisyMeasurement, rows: Ownership, certificate: ReleaseCertificate, family: list[NoisyMeasurement]
) -> PureDP | ZCDP:
    """What the mechanism of one measurement costs for the change that is derived here."""
    grouped = bool(certificate.keys) or len(family) > 1  # members of a family are like further groups
    change = change_of(part.measurement, rows, grouped=grouped, neighbours=certificate.neighbours)
    if part.change == _NOTHING and not grouped and _is_fixed(part.measurement, certificate):
        change = _NOTHING
    if part.change != change:
        raise Doubt("what one person can change is not what follows from the plan")
    if (part.measurement.function is Function.QUANTILE) != isinstance(part.mechanism, Exponential):
        raise Doubt("a quantile is a choice, and nothing else is")
    claim: PureDP | ZCDP
    match part.mechanism:
        case Laplace():
            claim = part.mechanism.claim(L1(change.l1))
        case Gaussian():
            claim = part.mechanism.claim(L2(squared=change.l2_squared))
        case Exponential():
            in_rho = isinstance(part.claim, ZCDP)
            claim = (part.mechanism.zcdp_claim if in_rho else part.mechanism.claim)(Linf(change.l1))
    if part.claim != claim:
        raise Doubt("a mechanism does not give what is claimed of it")
    return claim


def _is_fixed(measurement: Measurement, certificate: ReleaseCertificate) -> bool:
    """Whether neighbours agree: a person who is changed is one row before, and one after, whatever is in it."""
    every = measurement.function is Function.ROWS and measurement.argument is None
    counted = every and measurement.bounding is Bounding.NONE
    return counted and certificate.neighbours is Neighbours.REPLACED and has_everybody(certificate.source)


def _selection_delta(selection: Selection, neighbours: Neighbours) -> Fraction:
    """δ of showing a group that only one person is in: each of at most k is shown with a chance of δ/k at most."""
    part, delta = selection.part, selection.delta
    measurement = part.measurement
    alone = measurement.bounding is Bounding.NONE and measurement.rows_per_unit == 1
    # where a person has one row, rows are people
    people = measurement.function is Function.UNITS or (measurement.function is Function.ROWS and alone)
    if not people or measurement.argument is not None:
        raise Doubt("groups are chosen by something else than the people in them")
    if measurement.bounding is Bounding.WEIGHTS:
        raise Doubt("with weights a person can be in any number of groups")
    groups = measurement.rows_per_unit * (2 if neighbours is Neighbours.REPLACED else 1)
    if not isinstance(part.mechanism, Laplace) or not 0 < delta < 1:
        raise Doubt("groups are chosen by another mechanism")
    chance = part.mechanism.upper_tail(limit(selection.threshold) - measurement.weight_steps)
    if chance.upper * groups > delta:
        raise Doubt("a group of one person is shown more often than delta")
    return delta

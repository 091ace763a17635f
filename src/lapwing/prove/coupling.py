"""Proving by coupling: alignments from :mod:`synthesis`, invariants from :mod:`invariants`, written as a certificate.

The one idea: totals are tried from cheap to dear, so the first proof found has the smallest bound these templates give,
and no claim is needed to find it; a claim only cuts the list short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.errors import LapwingError
from lapwing.evidence.certificate import Alignment, Branch, Coupling, Invariant, Joint, Site
from lapwing.program import ir
from lapwing.program.claims import enclosed
from lapwing.program.printer import show
from lapwing.prove.blocked import Blocked
from lapwing.prove.bounds import price
from lapwing.prove.invariants import Invariants, Stuck, prove_every_size
from lapwing.prove.linear import number, times
from lapwing.prove.outcome import Failed, Found
from lapwing.prove.product import Ghost
from lapwing.prove.suspects import Suspect
from lapwing.prove.synthesis import Choice, Choices, Search
from lapwing.prove.totals import Meter, Point, Totals, alone, points, scales, together

#: Alignments that pass the unrolled search and still fail to have an invariant: after this many, totals grow.
TRIES = 4


def by_coupling(mechanism: ir.Mechanism, deadline: float) -> Found | Failed:
    """A coupling proof of the claim; of the smallest bound found, if there is no claim."""
    if mechanism.claim is not None and not isinstance(mechanism.claim, ir.PureClaim):
        return Failed("couplings here prove pure ε claims only", mechanism.claim.span)
    failed = Failed("there is no draw to align", mechanism.span)
    suspects: list[Suspect] = []
    best: tuple[Fraction, Found] | None = None
    for ghost, meters in product(_ghosts(mechanism), dict.fromkeys((alone(mechanism), together(mechanism)))):
        try:
            found = _attempt(mechanism, ghost, meters, deadline, None if best is None else best[0])
        except Blocked as blocked:
            found = Failed(blocked.reason, blocked.span)
        except z3.Z3Exception:
            found = Failed("the solver cannot read this mechanism", mechanism.span)
        if isinstance(found, Failed):
            failed = found
            suspects += found.suspects
        elif mechanism.claim is not None:
            return found[1]
        elif best is None or found[0] < best[0]:
            best = found
    return replace(failed, suspects=tuple(suspects)) if best is None else best[1]


def _ghosts(mechanism: ir.Mechanism) -> tuple[Ghost, ...]:
    """With a single number or truth value as the answer, the ghost only helps."""
    match mechanism.returns:
        case ir.Integer() | ir.Boolean():
            return ("output",)
        case ir.Real():
            return ("none", "output")
    return ("none",)


def _attempt(
    mechanism: ir.Mechanism, ghost: Ghost, meters: tuple[Meter, ...], deadline: float, most: Fraction | None
) -> tuple[Fraction, Found] | Failed:
    """A proof with its price where prices are compared, which is below ``most``."""
    search = Search(mechanism, ghost, meters, deadline)
    search.prepare()
    places = points(mechanism)
    if not places:
        return Failed("no values of the public parameters satisfy the asserts", mechanism.span)
    scale = scales(mechanism)
    stuck: Failed | None = None
    for chosen in search.combinations(places[0]):
        totals = {meter: search.forms[meter][index] for meter, index in chosen.items()}
        cost = places[0].price(totals, scale)
        if cost is None or (most is not None and cost >= most):
            break
        if not _within_claim(mechanism, totals, scale, places):
            continue
        for _, choices in zip(range(TRIES), search.alignments(chosen), strict=False):
            invariants = prove_every_size(mechanism, ghost, choices, totals, deadline)
            if not isinstance(invariants, Stuck):
                found = Found("epsilon", _bound(totals, scale), _written(ghost, choices, totals, invariants))
                return cost, found
            open_inside = () if invariants.suspect is None else (invariants.suspect,)
            stuck = Failed(
                f"{invariants.reason}, for all that the invariants tried can tell", invariants.span, open_inside
            )
    if stuck is not None:
        return replace(stuck, suspects=(*stuck.suspects, *search.suspects()))
    reason, span = search.obstacle()
    return Failed(f"no alignment that was tried works at this price: in the last, {reason}", span, search.suspects())


def _within_claim(mechanism: ir.Mechanism, totals: Totals, scale: Mapping[int, ir.Expression], at: list[Point]) -> bool:
    """Whether the price is at most the claim at every point tried: a filter, the checker decides."""
    if not isinstance(mechanism.claim, ir.PureClaim):
        return True
    for point in at:
        cost = point.price(totals, scale)
        if cost is None:
            continue
        try:
            claim = enclosed(mechanism.claim.epsilon, dict(point.values))
        except (LapwingError, ZeroDivisionError):
            continue
        if cost > claim.upper:
            return False
    return True


def _bound(totals: Totals, scale: Mapping[int, ir.Expression]) -> str:
    """The sum of total / (weight · scale), as text."""
    return price([(total, times(number(meter[0][1]), scale[meter[0][0]])) for meter, total in totals.items()])


def _written(ghost: Ghost, choices: Choices, totals: Totals, invariants: Invariants) -> Coupling:
    single = {meter[0][0]: show(total) for meter, total in totals.items() if len(meter) == 1}
    joint = tuple(Joint(meter, show(total)) for meter, total in totals.items() if len(meter) > 1)
    sites = tuple(Site(site, _alignment(choices[site]), single.get(site, "joint")) for site in sorted(choices))
    formulas = (Invariant(loop, _conjunction(invariants[loop])) for loop in sorted(invariants))
    return Coupling(ghost, sites, tuple(formulas), joint)


def _alignment(choice: Choice) -> Alignment:
    if choice.guard is None:
        return show(choice.then)
    return Branch(show(choice.guard), show(choice.then), show(choice.otherwise))


def _conjunction(facts: tuple[ir.Expression, ...]) -> str:
    if not facts:
        return "True"
    return show(facts[0] if len(facts) == 1 else ir.And(facts))

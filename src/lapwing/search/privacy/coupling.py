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

from lapwing.kernel.evidence.certificate import Alignment, Branch, Coupling, Element, Joint, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.told_by_place import as_walked
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.bounds import price
from lapwing.search.privacy.invariants import Invariants, Stuck, prove_every_size
from lapwing.search.privacy.linear import number, times
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.product import Ghost
from lapwing.search.privacy.suspects import Suspect
from lapwing.search.privacy.synthesis import Choice, Choices, Search
from lapwing.search.privacy.totals import Meter, Point, Totals, alone, points, scales, together
from lapwing.search.privacy.written_limits import Meant, generalised, with_choices, with_totals

#: Alignments that pass the unrolled search and still fail to have an invariant: after this many, totals grow.
TRIES = 4
#: How the reason begins where nothing works; and where something would, which is of more use.
NO_SHIFT, CLOSER = "no shift works at this price", ("a shift works", "not followed")


def by_coupling(mechanism: ir.Mechanism, deadline: float) -> Found | Failed:
    """A coupling proof of the claim; of the smallest bound found, if there is no claim."""
    if mechanism.claim is not None and not isinstance(mechanism.claim, ir.PureClaim):
        return Failed("couplings here prove pure ε claims only", mechanism.claim.span)
    mechanism = as_walked(mechanism)
    failed = Failed("there is no draw to align", mechanism.span)
    suspects: list[Suspect] = []
    best: tuple[Fraction, Found] | None = None
    ways = product(_ghosts(mechanism), dict.fromkeys((alone(mechanism), together(mechanism))))
    for (ghost, meters), (small, meant) in product(ways, _smaller(mechanism)):
        try:
            found = _attempt(mechanism, small, meant, ghost, meters, deadline, None if best is None else best[0])
        except Blocked as blocked:
            found = Failed(f"not followed: {blocked.reason}", blocked.span)
        except z3.Z3Exception:
            found = Failed("the solver cannot read this mechanism", mechanism.span)
        if isinstance(found, Failed):
            if not (found.reason.startswith(NO_SHIFT) and failed.reason.startswith(CLOSER)):
                failed = found
            suspects += found.suspects
        elif mechanism.claim is not None:
            return found[1]
        elif best is None or found[0] < best[0]:
            best = found
    return replace(failed, suspects=tuple(suspects)) if best is None else best[1]


def _ghosts(mechanism: ir.Mechanism) -> tuple[Ghost, ...]:
    """With a single whole number or truth value as the answer, the ghost only helps."""
    match mechanism.returns:
        case ir.Integer() | ir.Boolean():
            return ("output",)
    return ("none",)  # of real answers each has probability 0, so that one at a time says nothing


def _smaller(mechanism: ir.Mechanism) -> list[tuple[ir.Mechanism, Meant]]:
    """What a few rounds may be run of instead, and what its own parameters mean; at last the mechanism itself."""
    small = _small(mechanism)
    ways: list[tuple[ir.Mechanism, Meant]] = [generalised(small), (small, {})]
    return [*(each for each in ways[:1] if each[1]), *ways[1:], *([(mechanism, {})] if small != mechanism else [])]


def _small(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with limits from 1 on and lists of any length, where it asks for more than a few rounds reach."""

    def smaller(condition: ir.Expression) -> ir.Expression:
        match condition:
            case ir.And(operands):
                return ir.And(tuple(map(smaller, operands)))
            case ir.Compare(">=" | ">", ir.Name(name), ir.Number(value)) if value > 1:
                parameter = mechanism.parameter(name)
                if parameter is not None and isinstance(parameter.type, ir.Integer):
                    return ir.Compare(">=", ir.Name(name), number(1))
            case ir.Compare(_, ir.Builtin("len"), ir.Number(value)) if value > 1:
                return ir.Truth(True)
        return condition

    return replace(mechanism, preconditions=tuple(map(smaller, mechanism.preconditions)))


def _attempt(
    mechanism: ir.Mechanism,
    small: ir.Mechanism,
    meant: Meant,
    ghost: Ghost,
    meters: tuple[Meter, ...],
    deadline: float,
    most: Fraction | None,
) -> tuple[Fraction, Found] | Failed:
    """A proof with its price where prices are compared, which is below ``most``; ``small`` is what a few rounds run."""
    search = Search(small, ghost, meters, deadline)
    search.prepare()
    places = points(mechanism)
    if not places:
        return Failed(
            "none of the values that were tried for the public parameters satisfy the asserts", mechanism.span
        )
    scale = scales(mechanism)
    stuck: Failed | None = None
    values = {name: each.value for name, each in meant.items() if isinstance(each, ir.Number)}
    for chosen in search.combinations(Point({**places[0].values, **values})):
        totals = with_totals({meter: search.forms[meter][index] for meter, index in chosen.items()}, meant)
        cost = places[0].price(totals, scale)
        if cost is None or (most is not None and cost >= most):
            break
        if not _within_claim(mechanism, totals, scale, places):
            continue
        for _, found_choices in zip(range(TRIES), search.alignments(chosen), strict=False):
            choices = with_choices(found_choices, meant)
            invariants = prove_every_size(mechanism, ghost, choices, totals, deadline)
            if not isinstance(invariants, Stuck):
                found = Found("epsilon", _bound(totals, scale), coupling_of(ghost, choices, totals, invariants))
                return cost, found
            if invariants.meter is not None and isinstance(totals[invariants.meter], ir.Number):
                search.wait(invariants.meter)
            open_inside = () if invariants.suspect is None else (invariants.suspect,)
            stuck = Failed(
                "a shift works for three rounds, and no invariant was found that makes it work for all:"
                f" {invariants.reason}, for all that is known; whoever knows more may write it by hand",
                invariants.span,
                open_inside,
            )
    if stuck is not None:
        return replace(stuck, suspects=(*stuck.suspects, *search.suspects()))
    reason, span = search.obstacle()
    return Failed(f"{NO_SHIFT}: in the last one tried, {reason}", span, search.suspects())


def _within_claim(mechanism: ir.Mechanism, totals: Totals, scale: Mapping[int, ir.Expression], at: list[Point]) -> bool:
    """Whether the price is at most the claim at every point tried: a filter, the checker decides."""
    if not isinstance(mechanism.claim, ir.PureClaim):
        return True
    for point in at:
        cost, most = point.price(totals, scale), point.most(mechanism.claim.epsilon)
        if cost is not None and most is not None and cost > most:
            return False
    return True


def _bound(totals: Totals, scale: Mapping[int, ir.Expression]) -> str:
    """The sum of total / (weight · scale), as text."""
    return price([(total, times(number(meter[0][1]), scale[meter[0][0]])) for meter, total in totals.items()])


def coupling_of(ghost: Ghost, choices: Choices, totals: Totals, invariants: Invariants) -> Coupling:
    """What was found, as a certificate says it."""
    single = {meter[0][0]: show(total) for meter, total in totals.items() if len(meter) == 1}
    joint = tuple(Joint(meter, show(total)) for meter, total in totals.items() if len(meter) > 1)
    sites = tuple(Site(site, _alignment(choices[site]), single.get(site, "joint")) for site in sorted(choices))
    loops = sorted(each for each in invariants if isinstance(each, int))
    lists = sorted(each for each in invariants if isinstance(each, str))
    formulas = tuple(Invariant(loop, _conjunction(invariants[loop])) for loop in loops)
    elements = tuple(Element(name, _conjunction(invariants[name])) for name in lists)
    return Coupling(ghost, sites, formulas, joint, elements=elements)


def _alignment(choice: Choice) -> Alignment:
    if choice.guard is None:
        return show(choice.then)
    return Branch(show(choice.guard), show(choice.then), show(choice.otherwise))


def _conjunction(facts: tuple[ir.Expression, ...]) -> str:
    if not facts:
        return "True"
    return show(facts[0] if len(facts) == 1 else ir.And(facts))

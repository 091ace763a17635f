"""A claim: what is promised, and about whom.

The one idea: a bound without its neighbours and its unit is not a promise. Composition of claims first checks
that all speak about the same people, then applies the theorem of ``composition`` to the bare measures. Going
from one neighbour notion or unit to another is always a named function with its price, never automatic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import SupportsIndex

from lapwing.algebra import composition
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ApproxDP, Measure
from lapwing.algebra.neighbours import ROW, Neighbours, Unit, notion
from lapwing.errors import InvalidInput, NotComparable, Unbounded


@dataclass(frozen=True, slots=True)
class Claim:
    """Between any two ``neighbours`` that differ in one ``unit``, the loss is at most ``measure``."""

    measure: Measure
    neighbours: Neighbours
    unit: Unit = ROW

    def __post_init__(self) -> None:
        notion(self.neighbours)
        if not isinstance(self.measure, Measure):
            raise InvalidInput(
                "A403", f"a bound is a {type(self.measure).__name__}", "Give a measure, such as PureDP(1)"
            )


class Split(Enum):
    """What decides which part of the table a unit belongs to."""

    #: A public function of the unit's own data: changing the data may move the unit.
    BY_VALUE = "by value"
    #: Something no change of data can touch, such as the device that holds it (local privacy).
    BY_PLACE = "by place"


def postprocessed(claim: Claim) -> Claim:
    """The claim of anything computed from the answer alone."""
    return replace(claim, measure=composition.postprocessed(claim.measure))


def sequential(claims: Iterable[Claim]) -> Claim:
    """The claim of several answers from the same table, together."""
    parts = about_the_same(claims)
    return replace(parts[0], measure=composition.sequential([part.measure for part in parts]))


def advanced(claim: Claim, count: SupportsIndex, slack: Number) -> Claim:
    """The claim of ``count`` answers that each satisfy ``claim``, by advanced composition."""
    if not isinstance(claim.measure, ApproxDP):
        raise NotComparable(
            "A301",
            f"advanced composition is about ApproxDP, not {type(claim.measure).__name__}",
            "Convert the bound first (conversion.pure_to_approx)",
        )
    return replace(claim, measure=composition.advanced(claim.measure, count, slack))


def parallel(claims: Iterable[Claim], split: Split) -> Claim:
    """The claim of one answer from each part of a table, when a neighbour step touches one part only."""
    parts = about_the_same(claims)
    neighbours = parts[0].neighbours
    if not isinstance(split, Split):
        raise InvalidInput("A325", f"a split is a {type(split).__name__}", "Give Split.BY_VALUE or Split.BY_PLACE")
    if split is Split.BY_VALUE and neighbours is Neighbours.REPLACED:
        raise Unbounded(
            "A323",
            "the parts are split by value, so one changed unit may leave one part and enter another",
            "Use parallel_moving with claims about added units too, or claim about one unit more or fewer",
        )
    if split is Split.BY_PLACE and neighbours is Neighbours.ADDED:
        raise Unbounded(
            "A323",
            "the parts are split by place, and one unit more may shift all others to another place",
            "Split by value, or claim about one unit changed",
        )
    return replace(parts[0], measure=composition.parallel([part.measure for part in parts]))


def parallel_moving(added: Sequence[Claim], replaced: Sequence[Claim]) -> Claim:
    """The claim about one changed unit for parts split by value: the unit may move between parts.

    The i-th claim of each list is about the same mechanism, on the same part.
    """
    for claims, expected in ((added, Neighbours.ADDED), (replaced, Neighbours.REPLACED)):
        if any(claim.neighbours is not expected for claim in claims):
            raise NotComparable(
                "A320",
                f"a claim in the list about {expected.phrase} is about something else",
                "Give the claims about added units first, then those about changed units",
            )
    about_the_same([replace(claim, neighbours=Neighbours.REPLACED) for claim in (*added, *replaced)])  # one unit
    measure = composition.parallel_moving([claim.measure for claim in added], [claim.measure for claim in replaced])
    return replace(replaced[0], measure=measure)


def replaced_from_added(claim: Claim) -> Claim:
    """A claim about one unit changed, because a change is one removal and one addition: a group of two."""
    if claim.neighbours is Neighbours.REPLACED:
        raise NotComparable(
            "A320", "the claim is already about one unit changed", "Use it as it is, without doubling it again"
        )
    return replace(claim, measure=composition.group(claim.measure, 2), neighbours=Neighbours.REPLACED)


def added_from_replaced(claim: Claim) -> Claim:
    """Always refused: a claim about tables of one size says nothing about tables of different sizes.

    A mechanism that publishes the exact number of units is 0-private when one unit is changed, and not private
    at all when one is added.
    """
    raise Unbounded(
        "A322",
        f"a claim about {claim.neighbours.phrase} bounds nothing when a unit is added or removed",
        "Prove the mechanism for one unit more or fewer from its sensitivity",
    )


def per_unit(claim: Claim, rows: SupportsIndex, unit: Unit) -> Claim:
    """From one row more or fewer to one unit more or fewer, when a unit owns at most ``rows`` rows: a group."""
    if claim.neighbours is not Neighbours.ADDED:
        raise Unbounded(
            "A322",
            "a changed unit may own fewer or more rows than before, and the claim is about tables of one size",
            "Start from a claim about one row more or fewer, then use replaced_from_added",
        )
    if claim.unit != ROW or unit == ROW:
        raise InvalidInput(
            "A324",
            f"only rows group into units, and a claim about {claim.unit.name!r} was to become one about {unit.name!r}",
            "Start from a claim about single rows and name the unit that owns them",
        )
    return replace(claim, measure=composition.group(claim.measure, rows), unit=unit)


def about_the_same(claims: Iterable[Claim]) -> list[Claim]:
    """The claims as a list; refuses an empty one, and one that mixes neighbours or units."""
    found = list(claims)
    if not found:
        raise InvalidInput("A304", "there is nothing to compose", "Give at least one claim")
    if len({claim.neighbours for claim in found}) > 1:
        raise NotComparable(
            "A320",
            "claims about one unit more or fewer were mixed with claims about one unit changed",
            "Turn the former into the latter with replaced_from_added, at twice the price",
        )
    units = sorted({claim.unit.name for claim in found})
    if len(units) > 1:
        raise NotComparable(
            "A321",
            f"claims about different units were mixed: {', '.join(units)}",
            "Make every claim about the same unit, for example with per_unit",
        )
    return found

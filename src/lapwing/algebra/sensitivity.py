"""Sensitivity: how far a neighbour step can move a number or a vector.

The one idea: a sensitivity is a distance *in a metric, for a neighbour notion, for a unit*; every rule below
returns an upper bound for exactly those three. Roots are rounded up; lattice steps are rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import SupportsIndex, cast

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import Number, exact
from lapwing.algebra.metrics import L1, L2, Distance, Linf
from lapwing.algebra.neighbours import ROW, Neighbours, Unit, notion
from lapwing.errors import InvalidInput, NotComparable, Unbounded


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Between ``neighbours`` that differ in one ``unit``, the result moves by at most ``distance``."""

    distance: Distance
    neighbours: Neighbours
    unit: Unit = ROW

    def __post_init__(self) -> None:
        notion(self.neighbours)


# --- what a statistic of rows has ---


def count(neighbours: Neighbours) -> Sensitivity:
    """1 under both notions: one row more, fewer or different changes a count of rows by at most one."""
    return Sensitivity(L1(1), neighbours)


def bounded_sum(low: Number | None, high: Number | None, neighbours: Neighbours) -> Sensitivity:
    """max(|low|, |high|) when a row is added or removed, high - low when one is changed.

    ``None`` stands for "nothing bounds the values" and is refused: one row could then move the sum anywhere.
    """
    if low is None or high is None:
        raise Unbounded(
            "A340",
            "the sum of values that nothing bounds has no sensitivity",
            "Clip the values to a range that does not depend on the table",
        )
    lo, hi = parameters.interval(low, high)
    notion(neighbours)
    bound = max(abs(lo), abs(hi)) if neighbours is Neighbours.ADDED else hi - lo
    return Sensitivity(L1(bound), neighbours)


def mean(low: Number, high: Number, rows: SupportsIndex, neighbours: Neighbours) -> Sensitivity:
    """(high - low)/rows when one of a public number of rows is changed.

    Refused when a row is added or removed: then the number of rows is private, and so is anything divided by it.
    """
    if notion(neighbours) is Neighbours.ADDED:
        raise Unbounded(
            "A341",
            "a mean divides by the number of rows, which is private when rows are added or removed",
            "Release a noisy sum and a noisy count and divide, or claim about one unit changed",
        )
    total = bounded_sum(low, high, neighbours)
    return scaled(total, Fraction(1, parameters.whole(rows, "number of rows")))


def histogram(neighbours: Neighbours, metric: type[L1] | type[L2]) -> Sensitivity:
    """One row is in one bin: a row added moves one count by 1, a row changed moves two counts by 1 each."""
    moved = 1 if notion(neighbours) is Neighbours.ADDED else 2
    return Sensitivity(L2(squared=moved) if metric is L2 else L1(moved), neighbours)


# --- whom it is about ---


def per_unit(sensitivity: Sensitivity, rows: SupportsIndex, unit: Unit) -> Sensitivity:
    """``rows`` times as much, for a unit that owns at most so many rows: that many row steps, by the triangle rule."""
    if sensitivity.neighbours is not Neighbours.ADDED:
        raise Unbounded(
            "A322",
            "a changed unit may own fewer or more rows than before, and the sensitivity is about tables of one size",
            "Start from the sensitivity for one row more or fewer, then use replaced_from_added",
        )
    if sensitivity.unit != ROW:
        raise NotComparable(
            "A321",
            f"the sensitivity is already about one {sensitivity.unit.name!r}",
            "Start from the sensitivity for single rows",
        )
    return replace(scaled(sensitivity, parameters.whole(rows, "rows per unit")), unit=unit)


def replaced_from_added(sensitivity: Sensitivity) -> Sensitivity:
    """Twice as much for one unit changed, because a change is one removal and one addition."""
    if sensitivity.neighbours is Neighbours.REPLACED:
        raise NotComparable("A320", "the sensitivity is already about one unit changed", "Use it as it is")
    return replace(scaled(sensitivity, 2), neighbours=Neighbours.REPLACED)


# --- arithmetic on results ---


def scaled(sensitivity: Sensitivity, factor: Number) -> Sensitivity:
    """|factor| times as much, exactly."""
    size = abs(exact(factor, "factor"))
    distance: Distance
    match sensitivity.distance:
        case L2(squared):
            distance = L2(squared=squared * size**2)
        case L1(bound):
            distance = L1(bound * size)
        case Linf(bound):
            distance = Linf(bound * size)
    return replace(sensitivity, distance=distance)


def added(one: Sensitivity, other: Sensitivity) -> Sensitivity:
    """The sensitivity of the sum of two results, by the triangle inequality of their metric."""
    pair = _comparable([one, other])
    distance: Distance
    match pair[0].distance, pair[1].distance:
        case L2(a), L2(b):
            distance = L2(squared=a + b + 2 * _root_up(a * b))  # (√a + √b)²
        case L1(a), L1(b):
            distance = L1(a + b)
        case Linf(a), Linf(b):
            distance = Linf(a + b)
    return replace(one, distance=distance)


def concatenated(parts: Iterable[Sensitivity]) -> Sensitivity:
    """The sensitivity of several results side by side: L1 adds, L2 adds squares, L∞ takes the largest."""
    found = _comparable(parts)
    distances = [part.distance for part in found]
    distance: Distance
    match distances[0]:
        case L2():
            distance = L2(squared=sum((part.squared for part in cast(list[L2], distances)), Fraction(0)))
        case L1():
            distance = L1(sum((part.bound for part in cast(list[L1], distances)), Fraction(0)))
        case Linf():
            distance = Linf(max(part.bound for part in cast(list[Linf], distances)))
    return replace(found[0], distance=distance)


def clamped(sensitivity: Sensitivity, low: Number, high: Number, *, coordinates: SupportsIndex) -> Sensitivity:
    """At most as much as before, and at most the width of the range in each coordinate: clamping only contracts."""
    lo, hi = parameters.interval(low, high)
    k = parameters.whole(coordinates, "coordinates")
    distance: Distance
    match sensitivity.distance:
        case L2(squared):
            distance = L2(squared=min(squared, k * (hi - lo) ** 2))
        case L1(bound):
            distance = L1(min(bound, k * (hi - lo)))
        case Linf(bound):
            distance = Linf(min(bound, hi - lo))
    return replace(sensitivity, distance=distance)


# --- from one metric to another, in the direction that is true for every vector ---


def in_l1(sensitivity: Sensitivity, *, coordinates: SupportsIndex) -> Sensitivity:
    """At most √k times the L2 distance, and at most k times the L∞ distance, for k coordinates."""
    k = parameters.whole(coordinates, "coordinates")
    match sensitivity.distance:
        case L2(squared):
            return replace(sensitivity, distance=L1(_root_up(k * squared)))
        case Linf(bound):
            return replace(sensitivity, distance=L1(k * bound))
        case L1():
            return sensitivity


def in_l2(sensitivity: Sensitivity, *, coordinates: SupportsIndex) -> Sensitivity:
    """At most the L1 distance, and at most √k times the L∞ distance, for k coordinates."""
    k = parameters.whole(coordinates, "coordinates")
    match sensitivity.distance:
        case L1(bound):
            return replace(sensitivity, distance=L2(bound))
        case Linf(bound):
            return replace(sensitivity, distance=L2(squared=k * bound**2))
        case L2():
            return sensitivity


def in_linf(sensitivity: Sensitivity) -> Sensitivity:
    """At most the L1 distance, and at most the L2 distance: no coordinate moves further than the whole vector."""
    match sensitivity.distance:
        case L1(bound):
            return replace(sensitivity, distance=Linf(bound))
        case L2(squared):
            return replace(sensitivity, distance=Linf(_root_up(squared)))
        case Linf():
            return sensitivity


# --- onto the lattice ---


def in_steps(sensitivity: Sensitivity, step: Number, *, coordinates: SupportsIndex) -> Sensitivity:
    """The sensitivity in whole lattice steps after every coordinate was rounded down to a multiple of ``step``.

    Numbers d apart are at most ⌈d/step⌉ steps apart after rounding. In a vector *each* coordinate may cross a
    lattice point, however little it moved: L1 gains a step for every further coordinate, and L2 is at most the
    distance before plus √k.
    """
    k = parameters.whole(coordinates, "coordinates")
    size = parameters.scale(step, "lattice step")
    distance: Distance
    match sensitivity.distance:
        case L1(bound):
            distance = L1(math.ceil(bound / size) + k - 1 if bound else 0)
        case Linf(bound):
            distance = Linf(math.ceil(bound / size))
        case L2(squared):
            before = squared / size**2
            if k == 1:
                distance = L2(_ceil_root(before))
            else:  # a sum of squares of whole numbers is whole, so this may be rounded down
                distance = L2(squared=math.floor(before + 2 * _root_up(k * before) + k) if squared else 0)
    return replace(sensitivity, distance=distance)


def range_in_steps(low: Number, high: Number, step: Number) -> tuple[int, int]:
    """The range of a value in whole lattice steps after rounding down: its ends are rounded down too."""
    lo, hi = parameters.interval(low, high)
    size = parameters.scale(step, "lattice step")
    return math.floor(lo / size), math.floor(hi / size)


def _ceil_root(square: Fraction) -> int:
    """The least whole number whose square is at least ``square``."""
    return math.isqrt(math.ceil(square) - 1) + 1 if square else 0


def _root_up(square: Fraction) -> Fraction:
    """√square: exact when it is rational, otherwise rounded up."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return enclose(lambda: ball(square).sqrt()).upper


def _comparable(parts: Iterable[Sensitivity]) -> list[Sensitivity]:
    found = list(parts)
    if not found:
        raise InvalidInput("A304", "there is nothing to combine", "Give at least one sensitivity")
    kinds = sorted({type(part.distance).__name__ for part in found})
    if len(kinds) > 1:
        raise NotComparable(
            "A342",
            f"distances in different metrics were mixed: {', '.join(kinds)}",
            "Bring them to one metric with in_l1, in_l2 or in_linf",
        )
    if len({part.neighbours for part in found}) > 1:
        raise NotComparable(
            "A320",
            "sensitivities about one unit more or fewer were mixed with ones about one unit changed",
            "Turn the former into the latter with replaced_from_added",
        )
    units = sorted({part.unit.name for part in found})
    if len(units) > 1:
        raise NotComparable(
            "A321", f"sensitivities about different units were mixed: {', '.join(units)}", "Use one unit throughout"
        )
    return found

"""Connect the dots: a profile becomes a loss distribution on a grid that dominates it.

The one idea: as a function of α = e^ε a profile is convex, so its chords between grid points lie above it, and
a chain of chords *is* the profile of masses on the grid [DGKKM22]: the mass at a grid point is α times the
change of slope there. The gap is of second order in the grid step. Any choice of dots is sound; they are put
where the chords would otherwise lie too far above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import ceil, exp

import numpy as np
from flint import arb, fmpz_poly

from lapwing.algebra.accounting.loss import MAX_POINTS, Fineness, LossDistribution
from lapwing.algebra.accounting.pairs import Pair
from lapwing.algebra.accounting.sketch import Sketch
from lapwing.algebra.balls import ball, precision, upper
from lapwing.errors import Unbounded

#: The grid before refinement has this many cells, so that no feature hides between two dots that agree.
FIRST_CELLS = 64
#: Doublings tried to find the ends of a loss.
MAX_DOUBLINGS = 500


@dataclass(frozen=True, slots=True)
class Wish:
    """How tight the chords should be: (gap of a chord)·(its length)·e^(tilt·loss − log_moment) below ``tolerance``."""

    tolerance: float
    tilt: float = 0.0
    log_moment: float = 0.0
    dots: int = 6000


#: Dots enough to tell how wide a loss is.
SKETCH = Wish(tolerance=0.0, dots=400)


def discretised(pair: Pair, step: Fraction, fineness: Fineness, wish: Wish) -> LossDistribution:
    """A distribution on anchor + step·ℤ (or on a coarser grid, if that is too many points) that dominates ``pair``."""
    with precision(working_bits(fineness.bits, step)):
        curve = _Curve(pair, step)
        first, last = curve.ends(fineness)
        while last - first > 4 * MAX_POINTS:
            curve = _Curve(pair, 2 * curve.step)
            first, last = curve.ends(fineness)
        dots = _refined(curve, first, last, wish)
        return _connected(curve, dots, fineness)


def sketched(pair: Pair, fineness: Fineness) -> Sketch:
    """The pair in a few hundred dots and in floats."""
    step = Fraction(1, 1 << 20)
    while True:
        with precision(working_bits(fineness.bits, step)):
            curve = _Curve(pair, step)
            first, last = curve.ends(fineness)
            if last - first >= 1 << 14 or step.denominator.bit_length() > 4000:
                drawn = list(_masses(curve, _refined(curve, first, last, SKETCH)))
                break
        step /= 1 << 20
    losses = [float(curve.loss(index)) for index, _ in drawn]
    return Sketch(np.array(losses), np.array([max(0.0, float(mass)) for _, mass in drawn]))


def working_bits(bits: int, step: Fraction) -> int:
    """Second differences over one step lose twice its bits."""
    return bits + 64 + 2 * max(0, step.denominator.bit_length() - step.numerator.bit_length())


class _Curve:
    """The profile on grid points, each computed once."""

    def __init__(self, pair: Pair, step: Fraction) -> None:
        self.pair, self.step = pair, step
        self.known: dict[int, tuple[arb, arb]] = {}

    def loss(self, index: int) -> Fraction:
        return self.pair.anchor + index * self.step

    def at(self, index: int) -> tuple[arb, arb]:
        """(α, δ) at a grid point."""
        if index not in self.known:
            loss = ball(self.loss(index))
            self.known[index] = loss.exp(), self.pair.profile(loss)
        return self.known[index]

    def ends(self, fineness: Fineness) -> tuple[int, int]:
        """Grid points outside of which only as much lies as may be moved: tails are measured by δ itself."""
        unit = 1 << fineness.bits
        high = arb(fineness.high_tail + 1) / unit
        low = arb(fineness.low_tail + 1) / unit
        last = self._first_passing(lambda index: bool(self.at(index)[1] <= high), +1)
        # below the lowest loss, δ = 1 − α exactly
        first = self._first_passing(lambda index: bool(self.at(index)[1] - (1 - self.at(index)[0]) <= low), -1)
        return first, max(last, first + 1)

    def _first_passing(self, passes: Callable[[int], bool], sign: int) -> int:
        zero = round(-self.pair.anchor / self.step)
        far = 1
        while not passes(zero + sign * far):
            far *= 2
            if far.bit_length() > MAX_DOUBLINGS:
                raise Unbounded(
                    "A532", "the privacy loss has no end that can be told", "Use parameters of ordinary size"
                )
        near = far // 2
        while far - near > 1:
            middle = (near + far) // 2
            if passes(zero + sign * middle):
                far = middle
            else:
                near = middle
        return zero + sign * far


def _refined(curve: _Curve, first: int, last: int, wish: Wish) -> list[int]:
    """Dots from ``first`` to ``last``: the cell whose chord lies worst above the curve is halved, again and again."""
    size = max(1, (last - first) // FIRST_CELLS)
    dots = {first, last, *range(first, last, size)}
    edges = sorted(dots)
    worst = [_cell(curve, start, end, wish) for start, end in pairwise(edges)]
    heapify(worst)
    while worst and -worst[0][0] > wish.tolerance and len(dots) < wish.dots:
        _, start, end = heappop(worst)
        middle = (start + end) // 2
        if start < middle < end:
            dots.add(middle)
            for left, right in ((start, middle), (middle, end)):
                heappush(worst, _cell(curve, left, right, wish))
    return sorted(dots)


def _cell(curve: _Curve, start: int, end: int, wish: Wish) -> tuple[float, int, int]:
    """(minus how much a dot in the middle would gain, start, end)."""
    middle = (start + end) // 2
    if middle == start:
        return 0.0, start, end
    return -_gap(curve, start, middle, end) * _weight(curve, start, end, wish), start, end


def _gap(curve: _Curve, start: int, middle: int, end: int) -> float:
    """How far the chord lies above the curve in the middle; only steers where dots go."""
    (a, da), (b, db), (c, dc) = curve.at(start), curve.at(middle), curve.at(end)
    return float(da + (dc - da) * (b - a) / (c - a) - db)


def _weight(curve: _Curve, start: int, end: int, wish: Wish) -> float:
    length = float(curve.step)
    top = float(curve.pair.anchor) + end * length
    return exp(min(wish.tilt * top - wish.log_moment, 600.0)) * (end - start) * length


def _masses(curve: _Curve, dots: list[int]) -> Iterator[tuple[int, arb]]:
    """(dot, mass): their profile is the chain of chords from (0, 1) through the dots, and flat after the last."""
    alpha, delta = curve.at(dots[0])
    slope = (delta - 1) / alpha
    for index, following in pairwise(dots):
        alpha, delta = curve.at(index)
        next_alpha, next_delta = curve.at(following)
        next_slope = (next_delta - delta) / (next_alpha - alpha)
        yield index, (next_slope - slope) * alpha
        slope = next_slope
    yield dots[-1], -slope * curve.at(dots[-1])[0]


def _connected(curve: _Curve, dots: list[int], fineness: Fineness) -> LossDistribution:
    """The masses of the dots, and δ at the last one as the mass at +∞, all rounded up."""
    unit = 1 << fineness.bits
    masses = [0] * (dots[-1] - dots[0] + 1)
    for index, mass in _masses(curve, dots):
        masses[index - dots[0]] = max(0, ceil(upper(mass * unit)))
    infinite = max(0, ceil(upper(curve.at(dots[-1])[1] * unit)))
    return LossDistribution(curve.loss(dots[0]), curve.step, fmpz_poly(masses), infinite, fineness)

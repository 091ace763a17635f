"""A draw integrated away: ∫ Π Fᵢ(aᵢ·x + kᵢ·y) dx, as a function of y again.

The one idea: in the (x, y) plane every breakpoint of a factor is a line x = αy + β. Between two crossings of lines of
different slope the lines keep their order, and between neighbouring lines the product is a sum of
c·xᵐ·yᵏ·e^(λx + μy), which has a closed form between x = αy + β and x = α'y + β'.
"""

from __future__ import annotations

import itertools
import time
from math import comb
from operator import itemgetter

from flint import fmpq

from lapwing.kernel.distribution.pieces import (
    Calculus,
    Coefficient,
    Indicator,
    Key,
    Pieces,
    Segment,
    Terms,
    plus,
    rate,
    vanishes,
)

#: A factor: F(slope·x + other·y).
Slanted = tuple[Pieces, fmpq, fmpq]
#: xᵐ·yᵏ·e^(λx + μy) as (m, k, λ, μ).
Flat = dict[tuple[int, int, tuple[int, int], tuple[int, int]], Coefficient]
Line = tuple[fmpq, fmpq]


def integrate(calculus: Calculus, factors: list[Slanted]) -> Pieces | None:
    """Y ↦ ∫ Π F(a·x + k·y) dx; None where that is 0. At least one k is not 0."""
    quick = _half_line(calculus, factors)
    return quick if quick is not None else _Plane(calculus, factors).integral()


def _half_line(calculus: Calculus, factors: list[Slanted]) -> Pieces | None:
    """A density and one comparison: a cumulative function, moved."""
    if len(factors) != 2:
        return None
    (density, a, k), (test, b, j) = sorted(factors, key=lambda factor: factor[2] != 0)
    if k != 0 or not isinstance(test, Indicator) or (test.support[0] is None) == (test.support[1] is None):
        return None
    low, high = test.support
    end = low if low is not None else high
    assert end is not None  # noqa: S101  # one of the two
    # b·x + j·y > end (or below it), with x = t/a: on which side of (end - j·y)·a/b must t lie?
    above = (low is not None) == (b / a > 0)
    cumulative = calculus.beyond(density, above=above)
    scale = abs(1 / a)
    moved = calculus.moved(cumulative, -j * a / b, end * a / b)
    return moved if scale == 1 else calculus.times(moved, calculus.ring.number(scale))


class _Plane:
    def __init__(self, calculus: Calculus, factors: list[Slanted]) -> None:
        self.calculus, self.factors = calculus, factors
        self.lines = self._lines()
        self._products: dict[tuple[int, ...], Flat] = {}
        self._ends: dict[tuple[tuple[int, ...], int], list[tuple[Key, Coefficient]]] = {}

    def _lines(self) -> list[Line]:
        found: dict[tuple[tuple[int, int], tuple[int, int]], Line] = {}
        for pieces, a, k in self.factors:
            for at in pieces.breaks:
                line = -k / a, at / a
                found[rate(line[0]), rate(line[1])] = line
        return list(found.values())

    def _crossings(self) -> list[fmpq]:
        found: dict[tuple[int, int], fmpq] = {}
        for i, (slope, offset) in enumerate(self.lines):
            for other, its in self.lines[:i]:
                if other != slope:
                    y = (its - offset) / (slope - other)
                    found[rate(y)] = y
        return sorted(found.values())

    def integral(self) -> Pieces | None:
        cuts = [None, *self._crossings(), None]
        found: list[Segment] = []
        before: object = None
        for low, high in itertools.pairwise(cuts):
            if time.monotonic() > self.calculus.deadline:
                raise OverflowError
            strips = self._strips(_between(low, high))
            if found and strips == before and found[-1][1] == low:  # nothing happens at this crossing
                found[-1] = (found[-1][0], high, found[-1][2])
                continue
            before = strips
            terms: Terms = {}
            for combination, left, right in strips:
                for line, up in ((right, True), (left, False)):
                    for key, c in self._at(combination, line, up=up):
                        self.calculus.add(terms, key, c if up else c * fmpq(-1))
            if terms:
                found.append((low, high, terms))
        if sum(len(terms) for _, _, terms in found) > Calculus.MOST_TERMS:
            raise OverflowError
        return Pieces(tuple(found)) if found else None

    def _strips(self, y: fmpq) -> list[tuple[tuple[int, ...], int, int]]:
        """Where the product is not 0 at this y: the segment of each factor, the line on the left, that on the right."""
        places = [slope * y + offset for slope, offset in self.lines]
        order = [i for i, _ in sorted(enumerate(places), key=itemgetter(1))]
        walls = [-1, *order, -1]
        found = []
        for left, right in itertools.pairwise(walls):
            x = _between(None if left < 0 else places[left], None if right < 0 else places[right])
            combination = []
            for pieces, a, k in self.factors:
                t = a * x + k * y
                place = next(
                    (
                        i
                        for i, (low, high, _) in enumerate(pieces.segments)
                        if (low is None or low < t) and (high is None or t < high)
                    ),
                    None,
                )
                if place is None:
                    break
                combination.append(place)
            else:
                found.append((tuple(combination), left, right))
        return found

    def _at(self, combination: tuple[int, ...], line: int, *, up: bool) -> list[tuple[Key, Coefficient]]:
        """The antiderivative in x of a product, on a line: terms in y."""
        if line < 0:
            for _, _, (p, q), _ in self._antiderivative(combination):
                vanishes((0, p, q), up=up)
            return []
        if (combination, line) not in self._ends:
            slope, offset = self.lines[line]
            found: list[tuple[Key, Coefficient]] = []
            for (m, k, (p, q), there), c in self._antiderivative(combination).items():
                if p:
                    speed = fmpq(p, q)
                    there = plus(there, rate(speed * slope))
                    c = c * self.calculus.ring.exp(speed * offset) if offset != 0 else c
                for j in range(m + 1):
                    part = comb(m, j) * slope**j * offset ** (m - j)
                    if part != 0:
                        found.append(((k + j, *there), c * part if part != 1 else c))
            self._ends[combination, line] = found
        return self._ends[combination, line]

    def _antiderivative(self, combination: tuple[int, ...]) -> Flat:
        if combination not in self._products:
            product: Flat = {(0, 0, (0, 1), (0, 1)): self.calculus.one}
            for place, (pieces, a, k) in zip(combination, self.factors, strict=True):
                product = self._multiplied(product, self._flat(pieces.segments[place][2], a, k))
            self._products[combination] = self._integrated(product)
        return self._products[combination]

    def _flat(self, terms: Terms, a: fmpq, k: fmpq) -> Flat:
        """tᵐ·e^(λt) at t = a·x + k·y, expanded."""
        found: Flat = {}
        for (m, p, q), c in terms.items():
            speed = fmpq(p, q)
            speeds = rate(speed * a), rate(speed * k)
            for j in range(m + 1):
                part = comb(m, j) * a**j * k ** (m - j)
                if part != 0:
                    found[j, m - j, *speeds] = c * part if part != 1 else c
        return found

    def _multiplied(self, one: Flat, two: Flat) -> Flat:
        found: Flat = {}
        for (m, k, p, q), c in one.items():
            for (n, j, r, s), d in two.items():
                key = m + n, k + j, plus(p, r), plus(q, s)
                found[key] = found[key] + c * d if key in found else c * d
        return found

    def _integrated(self, product: Flat) -> Flat:
        found: Flat = {}

        def put(key: tuple[int, int, tuple[int, int], tuple[int, int]], c: Coefficient) -> None:
            found[key] = found[key] + c if key in found else c

        for (m, k, (p, q), there), c in product.items():
            if p == 0:
                put((m + 1, k, (0, 1), there), c * fmpq(1, m + 1))
                continue
            factor = fmpq(q, p)
            for j in range(m + 1):
                put((m - j, k, (p, q), there), c * factor)
                factor *= fmpq(-(m - j) * q, p)
        return found


def _between(low: fmpq | None, high: fmpq | None) -> fmpq:
    """A number strictly between two ends."""
    if low is None:
        return fmpq(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2

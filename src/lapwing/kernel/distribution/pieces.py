"""Functions of one real number that stay closed under what a program does with Laplace and exponential noise.

The one idea: between rational breakpoints a density is Σ c·tᵐ·e^(λt) with rational λ. Multiplying, adding, moving and
integrating give such functions again, so the law of what a program holds is known exactly, without cells or cut tails.
Coefficients come from a ring: balls that certainly contain them, or exact sums of exponentials.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import comb, gcd, inf
from typing import Any

from flint import arb, fmpq

#: (m, p, q) stands for tᵐ·e^(pt/q), in lowest terms: pairs of ints are hashed ten times as fast as fractions.
Key = tuple[int, int, int]
CONSTANT: Key = (0, 0, 1)


#: A number of the ring: a ball, or a closed form. Both add, and multiply with their like and with rationals.
Coefficient = Any
Terms = dict[Key, Coefficient]
#: An end of a segment; None is infinity.
End = fmpq | None
Segment = tuple[End, End, Terms]


class Diverges(Exception):
    """An integral that is infinite; no density of a program has one."""


class Pieces:
    """A function: ``segments`` in order, 0 elsewhere. Compared by identity: whether two balls are equal is unknown."""

    __slots__ = ("segments",)

    def __init__(self, segments: tuple[Segment, ...]) -> None:
        self.segments = segments

    @property
    def support(self) -> tuple[End, End]:
        """Ends between which all of it lies."""
        return self.segments[0][0], self.segments[-1][1]

    @property
    def size(self) -> int:
        """How many terms there are."""
        return sum(len(terms) for _, _, terms in self.segments)

    @property
    def breaks(self) -> list[fmpq]:
        """Every finite end of a segment."""
        ends = [end for low, high, _ in self.segments for end in (low, high) if end is not None]
        return [end for i, end in enumerate(ends) if i == 0 or ends[i - 1] != end]


class Indicator(Pieces):
    """1 between two ends, 0 elsewhere."""

    __slots__ = ()


class Ring:
    """Where coefficients come from: balls at the working precision of FLINT."""

    def number(self, value: fmpq) -> Coefficient:
        """A rational."""
        return arb(value)

    def exp(self, value: fmpq) -> Coefficient:
        """E to a rational."""
        return arb(value).exp()

    def is_zero(self, value: Coefficient) -> bool:
        """Whether this is exactly 0."""
        return bool(value == 0)


def rate(value: fmpq) -> tuple[int, int]:
    """A rational as two ints."""
    return int(value.p), int(value.q)


def plus(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    """The sum of two rationals in lowest terms."""
    (p, q), (r, s) = one, two
    if q == s == 1:
        return p + r, 1
    top, bottom = p * s + r * q, q * s
    shared = gcd(top, bottom)
    return top // shared, bottom // shared


class Calculus:
    """What is done with pieces, over one ring. Results are kept: a search asks the same again and again."""

    #: Results kept, at most, and terms that one result may have.
    KEPT, MOST_TERMS = 40_000, 20_000

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.one = ring.number(fmpq(1))
        #: when to give up, by the clock
        self.deadline = inf
        self._kept: dict[tuple[object, ...], Pieces | None] = {}

    def keep(self, key: tuple[object, ...], make: Callable[[], Pieces | None]) -> Pieces | None:
        """What was made under this key before, or else now."""
        if key not in self._kept:
            if len(self._kept) > self.KEPT:
                self._kept.clear()
            self._kept[key] = make()
        return self._kept[key]

    # --- making ---

    def density(self, kind: str, scale: fmpq) -> Pieces:
        """The density of ``laplace`` or ``exponential`` noise."""
        p, q = rate(1 / scale)
        zero = fmpq(0)

        def make() -> Pieces:
            height = self.ring.number(1 / scale if kind == "exponential" else 1 / (2 * scale))
            falling = (zero, None, {(0, -p, q): height})
            return Pieces((falling,) if kind == "exponential" else ((None, zero, {(0, p, q): height}), falling))

        found = self.keep((kind, p, q), make)
        assert found is not None  # noqa: S101  # it is never 0
        return found

    def indicator(self, low: End, high: End) -> Pieces:
        """1 between two ends."""
        found = self.keep(("indicator", low, high), lambda: Indicator(((low, high, {CONSTANT: self.one}),)))
        assert found is not None  # noqa: S101  # low is below high
        return found

    # --- changing; None is the function that is 0 ---

    def moved(self, pieces: Pieces, slope: fmpq, offset: fmpq) -> Pieces:
        """T ↦ pieces(slope·t + offset); slope is not 0."""
        if slope == 1 and offset == 0:
            return pieces
        found = self.keep(("moved", pieces, slope, offset), lambda: self._moved(pieces, slope, offset))
        assert found is not None  # noqa: S101  # what is not 0 is not 0 elsewhere
        return found

    def _moved(self, pieces: Pieces, slope: fmpq, offset: fmpq) -> Pieces:
        segments: list[Segment] = []
        for low, high, terms in pieces.segments:
            ends = [None if end is None else (end - offset) / slope for end in (low, high)]
            if slope < 0:
                ends.reverse()
            moved: Terms = {}
            for (m, p, q), c in terms.items():
                there = rate(slope * fmpq(p, q)) if p else (0, 1)
                c = c * self.ring.exp(offset * fmpq(p, q)) if p and offset != 0 else c
                for j in range(m + 1) if offset != 0 else (m,):
                    self.add(moved, (j, *there), c * (comb(m, j) * slope**j * offset ** (m - j)) if m else c)
            segments.append((ends[0], ends[1], moved))
        if slope < 0:
            segments.reverse()
        return (Indicator if isinstance(pieces, Indicator) else Pieces)(tuple(segments))

    def times(self, pieces: Pieces, factor: Coefficient) -> Pieces:
        """The function times a number that is not 0."""
        return Pieces(
            tuple((low, high, {k: c * factor for k, c in terms.items()}) for low, high, terms in pieces.segments)
        )

    def product(self, one: Pieces, two: Pieces) -> Pieces | None:
        """The product of two functions."""
        return self.keep(("product", one, two), lambda: self._product(one, two))

    def _product(self, one: Pieces, two: Pieces) -> Pieces | None:
        found: list[Segment] = []
        for low, high, terms in one.segments:
            for start, end, others in two.segments:
                left, right = higher(low, start), lower(high, end)
                if left is None or right is None or left < right:
                    found.append((left, right, self._multiplied(terms, others)))
        if not found:
            return None
        return (Indicator if isinstance(one, Indicator) and isinstance(two, Indicator) else Pieces)(tuple(found))

    def _multiplied(self, terms: Terms, others: Terms) -> Terms:
        if len(others) == 1 and CONSTANT in others and others[CONSTANT] is self.one:
            return terms
        if len(terms) == 1 and CONSTANT in terms and terms[CONSTANT] is self.one:
            return others
        found: Terms = {}
        for (m, p, q), c in terms.items():
            for (n, r, s), d in others.items():
                self.add(found, (m + n, *plus((p, q), (r, s))), c * d)
        return found

    def total(self, pieces: Pieces) -> Coefficient:
        """The integral over all numbers."""
        whole: Coefficient | None = None
        for low, high, terms in pieces.segments:
            anti = self.antiderivative(terms)
            for end, sign, up in ((high, 1, True), (low, -1, False)):
                for key, c in anti.items():
                    value = self._value(key, c, end, up=up)
                    if value is not None:
                        value = value if sign == 1 else value * fmpq(-1)
                        whole = value if whole is None else whole + value
        return self.ring.number(fmpq(0)) if whole is None else whole

    def _value(self, key: Key, c: Coefficient, at: End, *, up: bool) -> Coefficient | None:
        """A term at a number, or its limit at infinity; None for 0."""
        m, p, q = key
        if at is None:
            vanishes(key, up=up)
            return None
        if m and at == 0:
            return None
        c = c * at**m if m else c
        return c * self.ring.exp(at * fmpq(p, q)) if p and at != 0 else c

    def antiderivative(self, terms: Terms) -> Terms:
        """A function with this derivative: ∫tᵐe^(λt) = e^(λt)·Σⱼ (-1)ʲ·m!/(m-j)!·tᵐ⁻ʲ/λʲ⁺¹."""
        found: Terms = {}
        for (m, p, q), c in terms.items():
            if p == 0:
                self.add(found, (m + 1, 0, 1), c * fmpq(1, m + 1))
                continue
            factor = fmpq(q, p)
            for j in range(m + 1):
                self.add(found, (m - j, p, q), c * factor)
                factor *= fmpq(-(m - j) * q, p)
        return found

    def beyond(self, pieces: Pieces, *, above: bool) -> Pieces:
        """Y ↦ the integral over all numbers above y, or below it."""
        found = self.keep(("beyond", pieces, above), lambda: self._beyond(pieces, above))
        assert found is not None  # noqa: S101  # what is not 0 has a mass
        return found

    def _beyond(self, pieces: Pieces, above: bool) -> Pieces:
        """Segment by segment from the end at which the integral is 0, so that a far tail keeps its digits."""
        found: list[Segment] = []
        passed: Coefficient | None = None  # the mass of what lies behind
        last: End = None
        for low, high, terms in reversed(pieces.segments) if above else pieces.segments:
            near, far = (high, low) if above else (low, high)
            if found and last != near:  # a gap in which nothing is added
                assert passed is not None  # noqa: S101  # something lies behind it
                found.append((near, last, {CONSTANT: passed}) if above else (last, near, {CONSTANT: passed}))
            anti = self.antiderivative(terms)
            here: Terms = {key: c * fmpq(-1) for key, c in anti.items()} if above else dict(anti)
            start = passed
            for key, c in anti.items():
                value = self._value(key, c, near, up=above)
                if value is not None:
                    value = value if above else value * fmpq(-1)
                    start = value if start is None else start + value
            if start is not None:
                self.add(here, CONSTANT, start)
            found.append((low, high, here))
            passed = start
            if far is not None:
                for key, c in anti.items():
                    value = self._value(key, c, far, up=not above)
                    if value is not None:
                        value = value * fmpq(-1) if above else value
                        passed = value if passed is None else passed + value
            last = far
        if last is not None and passed is not None:
            found.append((None, last, {CONSTANT: passed}) if above else (last, None, {CONSTANT: passed}))
        return Pieces(tuple(reversed(found)) if above else tuple(found))

    def sum(self, one: Pieces, weight: Coefficient, two: Pieces, other: Coefficient) -> Pieces:
        """weight·one + other·two."""
        ends = sorted({*map(_Cut, one.breaks), *map(_Cut, two.breaks)})
        cuts = [None, *(cut.at for cut in ends), None]
        found: list[Segment] = []
        first, second = iter(one.segments), iter(two.segments)
        here, there = next(first, None), next(second, None)
        for low, high in itertools.pairwise(cuts):
            here, there = _forward(here, first, low), _forward(there, second, low)
            terms: Terms = {}
            for segment, factor in ((here, weight), (there, other)):
                if segment is not None and _starts(segment, low):
                    for key, c in segment[2].items():
                        self.add(terms, key, c if factor is self.one else c * factor)
            if terms:
                found.append((low, high, terms))
        return Pieces(tuple(found))

    def add(self, terms: Terms, key: Key, value: Coefficient) -> None:
        """Add a term to a sum."""
        known = terms.get(key)
        if known is None:
            terms[key] = value
            return
        value = known + value
        if self.ring.is_zero(value):
            del terms[key]
        else:
            terms[key] = value


class _Cut:
    """A finite number in a set: hashed as two ints."""

    __slots__ = ("at", "key")

    def __init__(self, at: fmpq) -> None:
        self.at, self.key = at, rate(at)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Cut) and self.key == other.key

    def __lt__(self, other: _Cut) -> bool:
        return bool(self.at < other.at)


def _forward(segment: Segment | None, rest: object, low: End) -> Segment | None:
    """The first segment that ends above ``low``."""
    while segment is not None and low is not None and segment[1] is not None and segment[1] <= low:
        segment = next(rest, None)  # type: ignore[call-overload]  # an iterator of segments
    return segment


def _starts(segment: Segment, low: End) -> bool:
    """Whether the segment holds what lies just above ``low``."""
    return segment[0] is None or (low is not None and segment[0] <= low)


def vanishes(key: Key, *, up: bool) -> None:
    """Raise Diverges unless the term goes to 0 at infinity."""
    if key[1] == 0 or (key[1] > 0) == up:
        raise Diverges


def higher(one: End, two: End) -> End:
    """The higher of two lower ends."""
    return two if one is None else one if two is None or two < one else two


def lower(one: End, two: End) -> End:
    """The lower of two upper ends."""
    return two if one is None else one if two is None or one < two else two

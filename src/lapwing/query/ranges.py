"""Intervals: what is known of a number before anyone looks at it.

The one idea: every operation returns an interval that holds all results, rounded outward; an end that nothing bounds is
None. Privacy does not rest on this file, usefulness does: whatever is summed is clipped again in the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

#: Ends beyond this are given up, and ends are kept to multiples of its inverse: numbers of a query stay small.
_LIMIT = 2**500

_INFINITE = math.inf  # only ever compared with; no float takes part in arithmetic on ends


def _tidy(end: Fraction | None, outward: Callable[[Fraction], int]) -> Fraction | None:
    if end is None or abs(end) > _LIMIT:
        return None
    return end if end.denominator <= _LIMIT else Fraction(outward(end * _LIMIT), _LIMIT)


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from ``low`` to ``high``; None: no end on that side."""

    low: Fraction | None = None
    high: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", _tidy(self.low, math.floor))
        object.__setattr__(self, "high", _tidy(self.high, math.ceil))

    @property
    def bounded(self) -> bool:
        """Whether both ends are known."""
        return self.low is not None and self.high is not None

    def contains(self, value: Fraction | int) -> bool:
        """Whether a number lies in the range."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


ANY = Range()


def add(a: Range, b: Range) -> Range:
    """All x + y."""
    return Range(
        None if a.low is None or b.low is None else a.low + b.low,
        None if a.high is None or b.high is None else a.high + b.high,
    )


def negate(a: Range) -> Range:
    """All -x."""
    return Range(None if a.high is None else -a.high, None if a.low is None else -a.low)


def multiply(a: Range, b: Range) -> Range:
    """All x·y: products are extreme at the corners."""
    corners = [_product(x, y) for x in _ends(a) for y in _ends(b)]
    return _between(min(corners), max(corners))


def divide(a: Range, b: Range, *, whole_divisor: bool) -> Range:
    """All x/y with y ≠ 0; a whole number that is not 0 is at least 1 away from it."""
    gap = Fraction(1) if whole_divisor else Fraction(0)
    pieces = [
        piece
        for piece in (Range(b.low, _least(b.high, -gap)), Range(_greatest(b.low, gap), b.high))
        if piece.low is None or piece.high is None or piece.low <= piece.high
    ]
    pieces = [piece for piece in pieces if not piece.low == piece.high == 0]  # nothing is divided by 0
    if any(piece.contains(0) for piece in pieces):
        return ANY
    return hull(multiply(a, _inverse(piece)) for piece in pieces) if pieces else Range(Fraction(0), Fraction(0))


def modulo(a: Range, b: Range, *, whole: bool) -> Range:
    """All remainders: smaller than the divisor and not larger than the dividend, with the dividend's sign."""
    sizes = absolute(b)
    most = None if sizes.high is None else sizes.high - 1 if whole and sizes.high >= 1 else sizes.high
    top = _least(None if a.high is None else max(a.high, Fraction(0)), most)
    bottom = _greatest(None if a.low is None else min(a.low, Fraction(0)), None if most is None else -most)
    return Range(bottom, top)


def absolute(a: Range) -> Range:
    """All |x|."""
    low = Fraction(0) if a.contains(0) else min(abs(end) for end in (a.low, a.high) if end is not None)
    high = None if a.low is None or a.high is None else max(abs(a.low), abs(a.high))
    return Range(low, high)


#: How far off the quotient of an engine may be, as a part of it: what is this near a whole number may be one.
_NEARLY = Fraction(1, 10**12)


def rounded(a: Range, digits: int, *, down: bool = True, up: bool = True) -> Range:
    """All x rounded at this many digits after the point: down, up or (both) to the nearest."""
    unit = Fraction(10) ** -digits
    low, high = (None if end is None else end / unit for end in (a.low, a.high))
    if low is not None:
        low = Fraction(math.floor(low) if down else math.ceil(low - abs(low) * _NEARLY))
    if high is not None:
        high = Fraction(math.ceil(high) if up else math.floor(high + abs(high) * _NEARLY))
    return Range(None if low is None else low * unit, None if high is None else high * unit)


#: Beyond this EXP is that of this.
FARTHEST = 700
_SLACK = 1e-12


def increasing(function: Callable[[float], float], a: Range, least: Fraction | None) -> Range:
    """The range of a function that only rises, of numbers above ``least``; a little wider, as engines round."""

    def end(value: Fraction | None, sign: int) -> Fraction | None:
        if value is None or (least is not None and value <= least):
            return None
        found = function(float(value))
        return Fraction(found + sign * (abs(found) + 1) * _SLACK)

    return Range(end(a.low, -1), end(a.high, 1))


def root(a: Range) -> Range:
    """All √x with x ≥ 0."""
    low = Fraction(0) if a.low is None or a.low <= 0 else Fraction(math.isqrt(math.floor(a.low)))
    high = None if a.high is None else Fraction(math.isqrt(math.ceil(max(a.high, Fraction(0)))) + 1)
    return Range(low, high)


def clip(a: Range, low: Fraction, high: Fraction) -> Range:
    """All x kept between two constants."""
    ends = [min(max(end, low), high) for end in (low if a.low is None else a.low, high if a.high is None else a.high)]
    return Range(*ends)


def hull(ranges: Iterable[Range]) -> Range:
    """The smallest range that holds all of them."""
    given = list(ranges)
    lows = [each.low for each in given if each.low is not None]
    highs = [each.high for each in given if each.high is not None]
    return Range(
        min(lows) if given and len(lows) == len(given) else None,
        max(highs) if given and len(highs) == len(given) else None,
    )


def meet(a: Range, b: Range) -> Range:
    """What is in both; ``a`` when nothing is."""
    return a if apart(a, b) else Range(_greatest(a.low, b.low), _least(a.high, b.high))


def apart(a: Range, b: Range) -> bool:
    """Whether nothing is in both."""
    low, high = _greatest(a.low, b.low), _least(a.high, b.high)
    return low is not None and high is not None and low > high


_End = Fraction | float  # a float is only ±infinity


def _ends(a: Range) -> tuple[_End, _End]:
    return (-_INFINITE if a.low is None else a.low, _INFINITE if a.high is None else a.high)


def _between(low: _End, high: _End) -> Range:
    return Range(low if isinstance(low, Fraction) else None, high if isinstance(high, Fraction) else None)


def _product(x: _End, y: _End) -> _End:
    if x == 0 or y == 0:
        return Fraction(0)
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    return _INFINITE if (x > 0) == (y > 0) else -_INFINITE


def _inverse(a: Range) -> Range:
    """All 1/y, where y is of one sign; the far end of an unbounded range gives 0."""
    low = Fraction(0) if a.high is None else 1 / a.high
    high = Fraction(0) if a.low is None else 1 / a.low
    return Range(low, high)


def _least(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return a if b is None else b if a is None else min(a, b)


def _greatest(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return a if b is None else b if a is None else max(a, b)

"""Values while a program is checked: exact numbers, and numbers that still hang on a draw.

The one idea: a draw stays a range until the program looks. ``x + laplace(s)`` is an :class:`Affine` number; comparing
it with a threshold only asks on which side of a cut the draw lies, which splits the range in two and costs two
probabilities, not one per lattice point. Whatever cannot be answered raises :class:`Undecided`, naming the draw and the
cut (or no cut: the value itself is needed); the interpreter then refines the state and asks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from lapwing.check.laws import Draw
from lapwing.errors import InvalidInput
from lapwing.evidence.event import AnyOf, Anything, Between, Event, Prefix
from lapwing.program import ir

Rational = int | Fraction
Draws = Sequence[Draw | None]
#: Longer products are not worth checking.
MAX_BITS = 1 << 16


@dataclass(frozen=True, slots=True)
class Affine:
    """The number ``offset + slope·k``, k being draw number ``draw`` of the state, in lattice steps; slope is not 0."""

    draw: int
    slope: Rational
    offset: Rational


Number = Rational | Affine
Value = Number | bool | tuple["Value", ...] | None  # None: not assigned yet


class Undecided(Exception):
    """The answer depends on whether ``draw`` is at least ``cut``, or (``cut`` None) on its value."""

    def __init__(self, draw: int, cut: int | None = None) -> None:
        super().__init__(draw, cut)
        self.draw = draw
        self.cut = cut


def plain(number: Fraction) -> Rational:
    """The same number, as an int where it is one: ints are hashed and compared faster."""
    return number.numerator if number.denominator == 1 else number


def concrete(value: Value) -> Rational:
    """The number itself."""
    if isinstance(value, Affine):
        raise Undecided(value.draw)
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise TypeError("a number was expected")
    return value


def add(left: Value, right: Value) -> Number:
    """The sum; of two draws it needs the value of the older one."""
    if not isinstance(left, Affine):
        left, right = right, left
    if not isinstance(left, Affine):
        return concrete(left) + concrete(right)
    if not isinstance(right, Affine):
        return Affine(left.draw, left.slope, left.offset + concrete(right))
    if left.draw != right.draw:
        raise Undecided(min(left.draw, right.draw))
    slope, offset = left.slope + right.slope, left.offset + right.offset
    return offset if slope == 0 else Affine(left.draw, slope, offset)


def multiply(left: Value, right: Value) -> Number:
    """The product."""
    if not isinstance(left, Affine):
        left, right = right, left
    factor = concrete(right)
    if not isinstance(left, Affine):
        return _short(concrete(left), factor)
    return 0 if factor == 0 else Affine(left.draw, left.slope * factor, left.offset * factor)


def _short(left: Rational, right: Rational) -> Rational:
    """The product, unless squaring again and again has made the numbers too long to go on with."""
    sizes = [each.bit_length() for number in (left, right) for each in (number.numerator, number.denominator)]
    if sum(sizes) > MAX_BITS:
        raise InvalidInput("C110", f"a number has more than {MAX_BITS} bits", "Give a smaller witness")
    return left * right


def compare(operator: str, left: Value, right: Value, draws: Draws) -> bool:
    """Whether ``left operator right`` holds, on numbers, or (== and !=) on truth values and lists."""
    if operator in ("==", "!="):
        return equal(left, right, draws) == (operator == "==")
    difference = add(left, multiply(right, -1))
    if operator in (">=", "<"):
        return _at_least_zero(difference, draws) == (operator == ">=")
    return _at_least_zero(multiply(difference, -1), draws) == (operator == "<=")


def equal(left: Value, right: Value, draws: Draws) -> bool:
    """Whether two values are the same; True is not 1."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(equal(a, b, draws) for a, b in zip(left, right, strict=True))
    if isinstance(left, bool | tuple) or isinstance(right, bool | tuple):
        return left is right
    difference = add(left, multiply(right, -1))
    if not isinstance(difference, Affine):
        return difference == 0
    root = Fraction(-difference.offset) / difference.slope
    if root.denominator != 1:
        return False
    return _at_least(difference.draw, int(root), draws) and not _at_least(difference.draw, int(root) + 1, draws)


def _at_least_zero(number: Number, draws: Draws) -> bool:
    if not isinstance(number, Affine):
        return number >= 0
    root = Fraction(-number.offset) / number.slope
    if number.slope > 0:
        return _at_least(number.draw, ceil(root), draws)
    return not _at_least(number.draw, floor(root) + 1, draws)


def _at_least(draw: int, cut: int, draws: Draws) -> bool:
    known = draws[draw]
    if known is None:
        raise AssertionError("a draw was used after its value was settled")
    if known.low is not None and known.low >= cut:
        return True
    if known.high is not None and known.high < cut:
        return False
    raise Undecided(draw, cut)


def matches(event: Event, answer: Value, draws: Draws) -> bool:
    """Whether ``answer`` is in ``event``."""
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return any(matches(one, answer, draws) for one in events)
        case Between(low, high):
            if isinstance(answer, bool | tuple):
                return False
            above = low is None or compare(">=", answer, low, draws)
            return above and (high is None or compare("<=", answer, high, draws))
        case Prefix(elements):
            return isinstance(answer, tuple) and len(answer) >= len(elements) and _elements(elements, answer, draws)
        case tuple():
            return isinstance(answer, tuple) and len(answer) == len(event) and _elements(event, answer, draws)
        case _:
            return equal(answer, event, draws)


def may_begin(event: Event, beginning: tuple[Value, ...], draws: Draws) -> bool:
    """Whether some list that begins with ``beginning`` is in ``event``."""
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return any(may_begin(one, beginning, draws) for one in events)
        case Prefix(elements):
            return _elements(elements, beginning, draws)
        case tuple():
            return len(beginning) <= len(event) and _elements(event, beginning, draws)
        case _:
            return False


def _elements(events: tuple[Event, ...], answers: tuple[Value, ...], draws: Draws) -> bool:
    return all(matches(event, answer, draws) for event, answer in zip(events, answers, strict=False))


def fits(value: Value, kind: ir.Type) -> bool:
    """Whether ``value`` is one of the type; True is no number, and noise no whole number."""
    match kind:
        case ir.Boolean():
            return isinstance(value, bool)
        case ir.List(element):
            return isinstance(value, tuple) and all(fits(each, element) for each in value)
        case ir.Tuple(parts):
            return isinstance(value, tuple) and len(value) == len(parts) and all(map(fits, value, parts))
        case ir.Integer():
            return isinstance(value, int | Fraction) and not isinstance(value, bool) and value.denominator == 1
        case ir.Real():
            return isinstance(value, int | Fraction | Affine) and not isinstance(value, bool)
    return False


def speaks_of(event: Event, kind: ir.Type) -> bool:
    """Whether ``event`` is an event of answers of the type: it may not tell answers apart that are none."""
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return all(speaks_of(one, kind) for one in events)
        case Between():
            return isinstance(kind, ir.Real | ir.Integer)
        case Prefix(elements):
            return isinstance(kind, ir.List) and all(speaks_of(each, kind.element) for each in elements)
        case tuple():
            if isinstance(kind, ir.Tuple):
                return len(event) == len(kind.elements) and all(map(speaks_of, event, kind.elements))
            return isinstance(kind, ir.List) and all(speaks_of(each, kind.element) for each in event)
        case bool():
            return isinstance(kind, ir.Boolean)
        case _:
            return isinstance(kind, ir.Real) or (isinstance(kind, ir.Integer) and event.denominator == 1)

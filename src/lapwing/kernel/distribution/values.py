"""Values while a program is walked: exact numbers, and forms, which are numbers that still hang on draws.

The one idea: a draw stays open until the program looks. ``x + laplace(s)`` is a form; comparing it with a threshold
splits the state in two, and neither needs the value of the draw. What cannot be answered yet raises
:class:`Undecided`, which says how to refine the state; it is then asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Protocol

from flint import fmpq

from lapwing.kernel.distribution.integers import Draw
from lapwing.kernel.evidence import values as written
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.program import ir
from lapwing.kernel.program.comparisons import COMPARED
from lapwing.kernel.uncomputable import TooMuch, Uncomputable

#: Whole numbers are ints: they are hashed ten times as fast.
Rational = int | fmpq
#: (draw, coefficient), by the draws' numbers; no coefficient is 0.
Mentions = tuple[tuple[int, Rational], ...]
#: Longer products are not worth computing.
MAX_BITS = 1 << 14


@dataclass(frozen=True, slots=True)
class Form:
    """``constant`` plus each mentioned draw times its coefficient; at least one is mentioned."""

    mentions: Mentions
    constant: Rational


@dataclass(frozen=True, slots=True)
class Divided:
    """``above / below``: numbers of real draws, the second of which hangs on some and is above 0 in this state."""

    above: Rational | Form
    below: Form


@dataclass(frozen=True, slots=True)
class Remaining:
    """Stands for a list that is held against an event while it grows: what the rest of it must be."""

    event: Event


Number = Rational | Form | Divided
Value = Number | bool | tuple["Value", ...] | Remaining | None  # None: not assigned yet


class Undecided(Exception):
    """The answer hangs on the sign of ``form``; or on a draw of whole numbers: being at least ``cut``, or its value."""

    def __init__(self, form: Form | None, draw: int = 0, cut: int | None = None) -> None:
        super().__init__(form, draw, cut)
        self.form, self.draw, self.cut = form, draw, cut


class Supported(Protocol):
    """Something that says between which ends a combination of draws lies; None is infinity."""

    @property
    def support(self) -> tuple[fmpq | None, fmpq | None]:
        """The two ends."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a state knows of its draws: ranges of whole ones, and where combinations of real ones lie."""

    whole: Mapping[int, Draw]
    real: Mapping[Mentions, Supported]


NOTHING = Known({}, {})


def plain(number: Fraction | fmpq | int) -> Rational:
    """The same number, as an int where it is one."""
    if isinstance(number, fmpq):
        return int(number.p) if number.q == 1 else number
    if isinstance(number, int):
        return number
    return number.numerator if number.denominator == 1 else fmpq(number.numerator, number.denominator)


def inward(value: written.Value) -> Value:
    """A value of evidence, as this room computes with it."""
    if isinstance(value, tuple):
        return tuple(map(inward, value))
    return value if isinstance(value, bool) else plain(value)


def outward(value: Value) -> written.Value:
    """The other way."""
    if isinstance(value, tuple):
        return tuple(map(outward, value))
    if isinstance(value, bool):
        return value
    return fraction(concrete(value))


def fraction(number: Rational) -> Fraction:
    """The number as Python writes it."""
    return Fraction(int(number.p), int(number.q)) if isinstance(number, fmpq) else Fraction(number)


def concrete(value: Value) -> Rational:
    """The number itself; a whole draw is enumerated for it, a real one cannot be."""
    if isinstance(value, Form | Divided):
        if isinstance(value, Divided) or len(value.mentions) > 1:
            raise Uncomputable("an exact number is needed where real noise is")
        raise Undecided(None, value.mentions[0][0])
    if isinstance(value, bool) or not isinstance(value, int | fmpq):
        raise TypeError("a number was expected")
    return value


def add(left: Value, right: Value, known: Known) -> Number:
    """The sum; a whole draw beside another draw is enumerated."""
    if isinstance(left, Divided) or isinstance(right, Divided):
        return _sum_of_shares(left, right, known)
    if not isinstance(left, Form):
        left, right = right, left
    if not isinstance(left, Form):
        return _short(concrete(left) + concrete(right))
    if not isinstance(right, Form):
        return Form(left.mentions, _short(left.constant + concrete(right)))
    total = dict(left.mentions)
    for draw, coefficient in right.mentions:
        total[draw] = plain(total.get(draw, 0) + coefficient)
    mentions = tuple((draw, total[draw]) for draw in sorted(total) if total[draw] != 0)
    constant = _short(left.constant + right.constant)
    if len(mentions) > 1:
        for draw, _ in mentions:
            if draw in known.whole:
                raise Undecided(None, draw)
    return Form(mentions, constant) if mentions else constant


def multiply(left: Value, right: Value) -> Number:
    """The product."""
    if isinstance(left, Divided) or isinstance(right, Divided):
        share, factor = (left, right) if isinstance(left, Divided) else (right, left)
        assert isinstance(share, Divided)  # noqa: S101  # one of them is
        above = multiply(share.above, factor)
        return above if above == 0 else Divided(_formed(above), share.below)
    if not isinstance(left, Form):
        left, right = right, left
    if not isinstance(left, Form):
        return _short(concrete(left) * concrete(right))
    if isinstance(right, Form) and len(right.mentions) + len(left.mentions) > 2:
        raise Uncomputable("draws are multiplied with each other")
    if isinstance(right, Form):
        raise Undecided(None, right.mentions[0][0])
    factor = concrete(right)
    if factor == 0:
        return 0
    return Form(tuple((draw, plain(c * factor)) for draw, c in left.mentions), _short(left.constant * factor))


def divide(left: Value, right: Value, known: Known) -> Number:
    """The quotient, and 0 where the divisor is 0; a whole draw in it is enumerated, and its sign settled."""
    if isinstance(left, Divided) and not isinstance(right, Form | Divided):
        return 0 if concrete(right) == 0 else multiply(left, plain(1 / fmpq(concrete(right))))
    if isinstance(left, Divided) or isinstance(right, Divided):
        raise Uncomputable("a quotient of noisy numbers is divided again")
    if not isinstance(right, Form):
        divisor = concrete(right)
        return 0 if divisor == 0 else multiply(left, plain(1 / fmpq(divisor)))
    for each in (left, right):
        if isinstance(each, Form) and each.mentions[0][0] in known.whole:
            raise Undecided(None, each.mentions[0][0])
    sign = 1 if _at_least_zero(right, known) else -1
    above, below = multiply(left, sign), multiply(right, sign)
    assert isinstance(below, Form)  # noqa: S101  # as the divisor is
    return above if above == 0 else Divided(_formed(above), below)


def _formed(number: Number) -> Rational | Form:
    if isinstance(number, Divided):
        raise Uncomputable("quotients of noisy numbers are multiplied")
    return number


def _sum_of_shares(left: Value, right: Value, known: Known) -> Number:
    share, other = (left, right) if isinstance(left, Divided) else (right, left)
    assert isinstance(share, Divided)  # noqa: S101  # one of them is
    if not isinstance(other, Divided):
        more = multiply(share.below, other)
    elif other.below == share.below:
        more = other.above
    else:
        raise Uncomputable("quotients of noisy numbers are added")
    above = add(share.above, more, known)
    return above if above == 0 else Divided(_formed(above), share.below)


def _excess(left: Value, right: Value, known: Known) -> Rational | Form:
    """A number that is above, at or below 0 as ``left`` is above, at or below ``right``."""
    difference = add(left, multiply(right, -1), known)
    return difference.above if isinstance(difference, Divided) else difference  # what it is divided by is above 0


def _short(number: Rational) -> Rational:
    """The number, unless squaring again and again has made it too long to go on with."""
    if isinstance(number, int):
        size = number.bit_length()
    else:
        size, number = number.height_bits(), plain(number)
    if size > MAX_BITS:
        raise TooMuch(f"a number has more than {MAX_BITS} bits")
    return number


def compare(operator: str, left: Value, right: Value, known: Known) -> bool:
    """Whether ``left operator right`` holds, on numbers, or (== and !=) on truth values and lists."""
    if operator in ("==", "!="):
        return equal(left, right, known) == (operator == "==")
    if not isinstance(left, int | fmpq | Form | Divided):  # a number of another kind, which compares itself
        return bool(COMPARED[operator](left, right))
    difference = _excess(left, right, known)
    if operator in (">=", "<"):
        return _at_least_zero(difference, known) == (operator == ">=")
    return _at_least_zero(_formed(multiply(difference, -1)), known) == (operator == "<=")


def equal(left: Value, right: Value, known: Known) -> bool:
    """Whether two values are the same; True is not 1, and a number with real noise is equal to nothing else."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(equal(a, b, known) for a, b in zip(left, right, strict=True))
    if isinstance(left, bool | tuple) or isinstance(right, bool | tuple):
        return left is right
    difference = _excess(left, right, known)
    if not isinstance(difference, Form):
        return difference == 0
    draw, slope = difference.mentions[0]
    if draw not in known.whole:
        return False
    root = fraction(-difference.constant) / fraction(slope)
    if root.denominator != 1:
        return False
    return _at_least(draw, int(root), known) and not _at_least(draw, int(root) + 1, known)


def primitive(form: Form) -> tuple[Mentions, Rational]:
    """The form's mentions divided by the first coefficient, and that coefficient."""
    scale = form.mentions[0][1]
    if scale == 1:
        return form.mentions, scale
    return tuple((draw, plain(fmpq(c) / scale)) for draw, c in form.mentions), scale


def _at_least_zero(number: Rational | Form, known: Known) -> bool:
    if not isinstance(number, Form):
        return bool(number >= 0)
    draw, slope = number.mentions[0]
    if draw in known.whole:
        root = fraction(-number.constant) / fraction(slope)
        return _at_least(draw, ceil(root), known) if slope > 0 else not _at_least(draw, floor(root) + 1, known)
    mentions, scale = primitive(number)
    there = known.real.get(mentions)
    low, high = (None, None) if there is None else there.support
    zero = -number.constant / fmpq(scale)
    if low is not None and low >= zero:
        return bool(scale > 0)
    if high is not None and high <= zero:
        return bool(scale < 0)
    raise Undecided(number)


def _at_least(draw: int, cut: int, known: Known) -> bool:
    _, low, high = known.whole[draw]
    if low is not None and low >= cut:
        return True
    if high is not None and high < cut:
        return False
    raise Undecided(None, draw, cut)


def fits(value: Value, kind: ir.Type, known: Known) -> bool:
    """Whether ``value`` is one of the type; True is no number, and real noise no whole number."""
    match kind:
        case ir.Boolean():
            return isinstance(value, bool)
        case ir.List(element):
            if isinstance(value, Remaining):
                return True
            return isinstance(value, tuple) and all(fits(each, element, known) for each in value)
        case ir.Tuple(parts):
            same = isinstance(value, tuple) and len(value) == len(parts)
            return same and all(fits(each, part, known) for each, part in zip(value, parts, strict=True))  # type: ignore[arg-type]  # a tuple
        case ir.Integer():
            if isinstance(value, Form):
                return value.mentions[0][0] in known.whole and isinstance(value.constant, int)
            return isinstance(value, int) and not isinstance(value, bool)
        case ir.Real():
            return isinstance(value, int | fmpq | Form | Divided) and not isinstance(value, bool)
    return False


def mentions_draws(value: Value) -> bool:
    """Whether a value hangs on a draw."""
    return any(map(mentions_draws, value)) if isinstance(value, tuple) else isinstance(value, Form | Divided)

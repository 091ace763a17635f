"""ln, exp and sqrt of exact numbers as exact numbers: rounded away from 0, so that noise is larger, never smaller.

The one idea: a program's ``sqrt(2)`` is one rational number, the same wherever it is computed: the real value rounded
away from 0 to :data:`DIGITS` binary digits. Where the real value is rational (``sqrt(4)``, ``ln(1)``, ``exp(0)``) it is
that. Other values are irrational (Lindemann for ``exp`` and ``ln``), so they lie strictly between two such numbers, and
precision is raised until it is certain between which.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from flint import arb

from lapwing.algebra.balls import MAX_BITS, ball, precision
from lapwing.errors import InvalidInput

#: Binary digits that are kept.
DIGITS = 64
#: Arguments of exp beyond this have values of more digits than any scale needs.
_MAX_EXPONENT = 10_000
_FUNCTIONS: dict[str, Callable[[arb], arb]] = {"ln": arb.log, "exp": arb.exp, "sqrt": arb.sqrt}


def outward(function: str, argument: Fraction | int) -> Fraction:
    """``function`` of an exact number, rounded away from 0; refuses what has no value, or one out of all proportion."""
    number = Fraction(argument)
    if (exactly := _rational(function, number)) is not None:
        return exactly
    bits = 2 * DIGITS
    while bits <= MAX_BITS:
        with precision(bits):
            value = _FUNCTIONS[function](ball(number))
            found = _rounded(value)
        if found is not None:
            return found
        bits *= 2
    raise InvalidInput("P217", f"{function}(…) of this number is too close to another to tell", "Give another number")


def _rational(function: str, number: Fraction) -> Fraction | None:
    """The value where it is rational; None where it is not."""
    match function:
        case "sqrt":
            if number < 0:
                raise InvalidInput("P217", "sqrt(…) of a number below 0", "Give parameters for which it is 0 or more")
            above, below = isqrt(number.numerator), isqrt(number.denominator)
            return Fraction(above, below) if (above**2, below**2) == number.as_integer_ratio() else None
        case "ln":
            if number <= 0:
                raise InvalidInput("P217", "ln(…) of a number that is not above 0", "Give parameters above 0")
            return Fraction(0) if number == 1 else None
    if abs(number) > _MAX_EXPONENT:
        raise InvalidInput("P217", f"exp(…) of a number beyond {_MAX_EXPONENT}", "Give smaller parameters")
    return Fraction(1) if number == 0 else None


def _rounded(value: arb) -> Fraction | None:
    """The number of :data:`DIGITS` binary digits next to the ball, away from 0, if there is only one."""
    size = abs(value)
    if not size.is_finite() or not size > 0:
        return None
    mantissa, exponent = size.mid().man_exp()
    shift = DIGITS - (int(mantissa).bit_length() + int(exponent))
    scaled = size * arb(2) ** shift
    floor = scaled.floor().unique_fmpz()
    if floor is None or not scaled > arb(floor):
        return None
    found = Fraction(int(floor) + 1) / Fraction(2) ** shift
    return found if value > 0 else -found

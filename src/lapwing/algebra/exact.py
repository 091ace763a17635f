"""Exact numbers: what a person writes becomes the rational they meant.

The one idea: a float is read as the decimal a person sees (``0.1`` is one tenth, not
0.1000000000000000055…), so ten charges of 0.1 empty a budget of 1 exactly. Every parameter of Lapwing passes
through :func:`exact` once, at the door, and is a :class:`~fractions.Fraction` from there on.
"""

from __future__ import annotations

import math
import operator
import re
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex

from lapwing.errors import InvalidInput

type_names = "an int, Fraction, Decimal, float, or a string such as '0.1', '1e-5' or '1/3'"

#: What :func:`exact` accepts. NumPy scalars are accepted too (they index, or print as decimals).
Number = int | float | Fraction | Decimal | str | SupportsIndex

#: Longer numerals are refused: a parameter of 10^(10^9) would exhaust memory before it could be refused.
MAX_EXPONENT = 5000
# 2,000 digits on either side of the point stay below the length at which Python refuses to read an integer.
_NUMERAL = re.compile(
    r"""\s*[+-]?(
        \d{1,2000}\s*/\s*\d{1,2000}                                       # 1/3
      | (?:\d{1,2000}\.?\d{0,2000}|\.\d{1,2000})(?:[eE](?P<exponent>[+-]?\d{1,9}))?  # 0.1, 1e-5
    )\s*""",
    re.VERBOSE | re.ASCII,
)


def exact(value: Number, name: str = "value") -> Fraction:
    """The rational number that ``value`` denotes; refuses NaN, infinities, booleans and anything else.

    What comes back has the operators of :class:`~fractions.Fraction`, whatever those of ``value`` do.
    """
    if isinstance(value, Fraction):
        return plain_fraction(value)
    if isinstance(value, bool):
        raise InvalidInput("A001", f"{name} is {value}, a truth value", f"Give {type_names}")
    if isinstance(value, str):
        return _from_numeral(value, name)
    if isinstance(value, float):  # includes numpy.float64, whose own repr is not a numeral
        return _from_numeral(float.__repr__(value), name)
    try:
        return Fraction(plain_whole(value))  # type: ignore[arg-type]  # Decimal has no __index__: caught below
    except TypeError:
        pass
    if isinstance(value, Decimal):
        return _from_numeral(Decimal.__str__(value), name)
    if type(value).__module__ == "numpy":
        return _from_numeral(str(value), name)
    raise InvalidInput("A001", f"{name} is a {type(value).__name__}, not a number", f"Give {type_names}")


def plain_fraction(value: Fraction) -> Fraction:
    """The number that a Fraction holds, read past anything that a subclass may answer in its place."""
    if type(value) is Fraction:
        return value
    top, bottom = (vars(Fraction)[slot].__get__(value) for slot in ("_numerator", "_denominator"))
    return Fraction(plain_whole(top), plain_whole(bottom))


def plain_whole(value: SupportsIndex) -> int:
    """The whole number that a value is, as an int itself and not a subclass."""
    return int.__index__(value if isinstance(value, int) else operator.index(value))


def _from_numeral(text: str, name: str) -> Fraction:
    text = str.__str__(text)  # past a subclass, too
    match = _NUMERAL.fullmatch(text)
    shown = text if len(text) <= 40 else text[:37] + "..."
    if match is None:
        raise InvalidInput("A001", f"{name} is {shown!r}, not a finite number", f"Give {type_names}")
    if abs(int(match["exponent"] or 0)) > MAX_EXPONENT:
        raise InvalidInput("A001", f"{name} is {shown!r}, beyond 10^±{MAX_EXPONENT}", "Give a number of ordinary size")
    try:
        return Fraction("".join(text.split()))
    except ZeroDivisionError:
        raise InvalidInput("A001", f"{name} is {shown!r}, a division by zero", f"Give {type_names}") from None


def decimal_up(value: Fraction, digits: int = 6) -> str:
    """``value`` as a decimal of ``digits`` significant digits, rounded up: never smaller than ``value``."""
    return _decimal(value, digits, up=True)


def decimal_down(value: Fraction, digits: int = 6) -> str:
    """``value`` as a decimal of ``digits`` significant digits, rounded down: never larger than ``value``."""
    return _decimal(value, digits, up=False)


def shown(number: Fraction | int) -> str:
    """A number in a message: as it is when that is short, else its first digits."""
    value = Fraction(number)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 60:
        return str(value)
    return f"{decimal_down(value)}…"


def float_up(value: Fraction) -> float:
    """The smallest float that is not below ``value``; infinity beyond the largest float."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def _decimal(value: Fraction, digits: int, *, up: bool) -> str:
    if value == 0:
        return "0"
    exponent = _decimal_exponent(abs(value))
    unit = Fraction(10) ** (exponent - digits + 1)
    steps = -((-value) // unit) if up else value // unit
    if abs(steps) == 10**digits:  # 9.9999 rounded to 10.000
        exponent += 1
    sign = "-" if steps < 0 else ""
    numeral = str(abs(steps))[:digits].rstrip("0")  # digits of the rounded value, from its first
    if -3 <= exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{numeral}"
    if 0 <= exponent < 16:
        whole, part = numeral[: exponent + 1].ljust(exponent + 1, "0"), numeral[exponent + 1 :]
        return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
    head, tail = numeral[0], numeral[1:]
    return f"{sign}{head}.{tail}e{exponent}" if tail else f"{sign}{head}e{exponent}"


def _decimal_exponent(magnitude: Fraction) -> int:
    """The k with 10^k <= magnitude < 10^(k+1), without printing integers: Python refuses to print long ones."""
    bits = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent = bits * 30103 // 100000  # 0.30103 is log10(2) to five digits; the loops below settle the rest
    while magnitude < Fraction(10) ** exponent:
        exponent -= 1
    while magnitude >= Fraction(10) ** (exponent + 1):
        exponent += 1
    return exponent

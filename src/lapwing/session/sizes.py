"""Numbers that people write about answers: exact, and of a size that floats, logarithms and printers can follow."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.exact import Number, exact
from lapwing.errors import InvalidInput

#: No group has more rows than this; it has room in 64 bits.
MOST_ROWS = 10**15
_DIGITS = 100
_LARGEST = Fraction(10**_DIGITS)


def sized(value: Number, what: str) -> Fraction:
    """The number that ``value`` denotes; refuses what is larger or closer to 0 than any price or answer is."""
    number = exact(value, what)
    if number and not 1 / _LARGEST <= abs(number) <= _LARGEST:
        raise InvalidInput("A001", f"{what} is beyond 10^±{_DIGITS}", "Give a number of ordinary size")
    return number

"""Exact numbers as text, of a length that a check can compute with."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput

#: Longer numbers take long to compute with, and Python refuses to print them.
MAX_BITS, MAX_DIGITS = 8000, 2500


def numeral(text: str, name: str) -> Fraction:
    """The number that ``text`` is."""
    # the digits of a long number take longer to read than to count
    number = exact(text, name) if len(text) <= MAX_DIGITS else None
    if number is None or number.numerator.bit_length() + number.denominator.bit_length() > MAX_BITS:
        raise InvalidInput("C103", f"{name} is longer than {MAX_BITS} bits", "Give a number of ordinary size")
    return number

"""Real-valued references in 120 digits, handed over as fractions so that no test rounds them again."""

from fractions import Fraction
from functools import wraps

import mpmath


def real(value):
    """A rational as a real number of the working precision; for use inside a ``digits`` function."""
    number = Fraction(value)
    return mpmath.mpf(number.numerator) / number.denominator


def digits(function):
    """Run in 120 digits, whatever other tests have left behind, and return the result as a fraction."""

    @wraps(function)
    def in_digits(*arguments):
        with mpmath.workdps(120):
            return Fraction(*mpmath.libmp.to_rational(mpmath.mpf(function(*arguments))._mpf_))

    return in_digits

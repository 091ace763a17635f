"""ln, exp and sqrt as exact numbers: never nearer to 0 than the real value, and hardly further."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.outward import DIGITS, outward
from lapwing.errors import InvalidInput

REAL = {"ln": mpmath.log, "exp": mpmath.exp, "sqrt": mpmath.sqrt}
POSITIVE = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**9)


def held(function, argument):
    with mpmath.workdps(80):
        real = abs(REAL[function](mpmath.mpf(argument.numerator) / argument.denominator))
        found = outward(function, argument)
        size = mpmath.mpf(abs(found).numerator) / abs(found).denominator
        assert size >= real * (1 - mpmath.mpf(10) ** -75)
        assert size <= real * (1 + mpmath.mpf(2) ** (1 - DIGITS)) + mpmath.mpf(10) ** -75
    return found


@given(POSITIVE)
def test_away_from_zero_and_close(argument):
    assert held("sqrt", argument) ** 2 >= argument
    log = held("ln", argument)
    assert (log > 0) == (argument > 1)
    assert (log < 0) == (argument < 1)
    exponent = argument if argument < 100 else 1 / argument
    assert held("exp", exponent) > 1
    assert 0 < held("exp", -exponent) < 1


@pytest.mark.parametrize(
    ("function", "argument", "value"),
    [
        ("sqrt", Fraction(4), 2),
        ("sqrt", Fraction(9, 49), Fraction(3, 7)),
        ("sqrt", Fraction(0), 0),
        ("ln", Fraction(1), 0),
        ("exp", Fraction(0), 1),
    ],
)
def test_rational_values_are_kept(function, argument, value):
    assert outward(function, argument) == value


@pytest.mark.parametrize(("function", "argument"), [("sqrt", -1), ("ln", 0), ("ln", -2), ("exp", 10**9)])
def test_what_has_no_value_is_refused(function, argument):
    with pytest.raises(InvalidInput, match="P217"):
        outward(function, argument)


def test_the_same_number_whatever_the_precision_around():
    from flint import ctx

    found = outward("ln", 2)
    with ctx.workprec(20):
        assert outward("ln", 2) == found

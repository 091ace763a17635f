"""Quotients of noisy numbers: exact arithmetic, comparisons and floors that end, and 0 where the divisor is 0."""

import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.errors import LapwingError
from lapwing.noise.forms import LONGEST, Form, draw, total
from lapwing.noise.ratios import NoisyQuotient, divided

LAWS = ["laplace", "exponential", "gaussian"]
SMALL = st.fractions(-5, 5, max_denominator=9)


@given(SMALL, SMALL, SMALL)
@settings(max_examples=40)
def test_arithmetic_is_the_arithmetic_of_numbers(a, b, c):
    m, n = draw("gaussian", 2) + a, draw("exponential", 5) + b
    quotient = divided(m, n)
    assert quotient * n == m
    assert quotient + c == divided(m + c * n, n)
    assert c - quotient == divided(c * n - m, n)
    assert quotient * c == divided(c * m, n)
    assert quotient + divided(a, n) == divided(m + a, n)
    assert divided(quotient, m) == divided(1, n)
    assert divided(1, quotient) == divided(n, m)
    assert quotient - quotient == 0
    assert total([quotient, m, 1, quotient]) == 2 * quotient + m + 1
    assert abs(quotient) >= 0


def test_what_does_not_hang_on_a_draw_has_a_floor_all_the_same():
    """The balls of n/n hold 1 for ever: that it is a constant is seen in the polynomials."""
    n = draw("laplace", 3)
    for number, expected in ((divided(n, n), 1), (divided(3 * n + 6, n + 2), 3), (divided(n * n, -2 * n * n), -0.5)):
        assert number.floor_to(20) == Fraction(expected)
        assert (number >= Fraction(expected), number > Fraction(expected)) == (True, False)
    long = total([draw("laplace", 1) for _ in range(3 * LONGEST)])
    assert divided(long + 1, total([long, 1])).floor_to(20) == 1
    hidden = (long + n) - n - long * 1 + 3
    assert divided(6, hidden).floor_to(20) == 2
    assert divided(long, hidden) * 3 == long


def test_operators_divide():
    m, n = draw("laplace", 3), draw("laplace", 1)
    assert isinstance(m / n, NoisyQuotient)
    assert m / n == divided(m, n)
    assert 1 / n == Fraction(2, 2) / n == divided(1, n)
    assert (m / n) / n == m / (n * n)
    assert m / (m / n) == n
    assert (m / n) / 2 == m / (2 * n)
    assert m / (1 - m / n) == m * n / (n - m)


def test_a_divisor_of_0_gives_0():
    n = draw("laplace", 3)
    assert divided(n, 0) == 0
    assert divided(n, n - n) == 0
    assert divided(divided(n, n + 1), 0) == 0
    bundled = total([draw("laplace", 1) for _ in range(3 * LONGEST)])
    hidden = (bundled + n) - n - bundled * 1
    assert divided(5, hidden) == 0
    assert divided(5, divided(hidden, n)) == 0


@pytest.mark.parametrize("law", LAWS)
def test_a_floor_is_the_floor_of_the_quotient_of_the_floors(law):
    """Against the interval in which digits of both leave it; with the sign of either."""
    for shift in (-3, 0, 2):
        above, below = draw(law, 2) + shift, draw(law, Fraction(1, 3)) - shift
        found = divided(above, below)
        assert isinstance(found, NoisyQuotient)
        floor = found.floor_to(20)
        a, b = above.floor_to(300), below.floor_to(300)
        step = Fraction(1, 2**300)
        ends = [x / y for x in (a, a + step) for y in (b, b + step)]
        assert min(ends) - Fraction(1, 2**20) <= floor <= max(ends)
        assert floor <= found < floor + Fraction(1, 2**20)
        assert (found > 0) == ((above > 0) == (below > 0))
        assert (above < found, found < above) in ((True, False), (False, True))


def test_one_number_for_everybody():
    number = divided(draw("laplace", 1), draw("laplace", 1))
    assert copy.copy(number) is copy.deepcopy(number) is number
    assert number.weight() > 64
    assert "quotient" in repr(number)
    with pytest.raises(LapwingError):
        pickle.dumps(number)
    with pytest.raises(TypeError):
        number + "1"
    assert number != "1"
    assert isinstance(divided(draw("laplace", 1), 2), Form)

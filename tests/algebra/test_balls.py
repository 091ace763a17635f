from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.balls import (
    BITS,
    MAX_BITS,
    Interval,
    ball,
    certified_floor,
    enclose,
    lower,
    precision,
    to_interval,
    upper,
)
from lapwing.errors import Unbounded


@given(st.fractions(-50, 50))
def test_an_enclosure_contains_the_truth_and_is_narrow(x):
    found = enclose(lambda: ball(x).exp())
    with mpmath.workdps(80):
        truth = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.lower, found.upper))
        assert low * (1 - mpmath.mpf(10) ** -75) <= truth <= high * (1 + mpmath.mpf(10) ** -75)
    assert found.width <= found.upper / 2**80


@given(st.integers(-(2**300), 2**300), st.integers(-400, 400))
def test_ends_do_not_depend_on_the_precision_outside(mantissa, exponent):
    number = Fraction(mantissa) * Fraction(2) ** exponent
    assert enclose(lambda: ball(number), bits=320) == Interval.point(number)


def test_cancellation_is_met_with_more_precision():
    tiny = Fraction(1, 10**60)
    found = enclose(lambda: 1 - (-ball(tiny)).exp())
    assert 0 < found.lower < tiny
    assert found.upper < tiny
    assert found.width < tiny / 2**80


def test_a_hidden_zero_stays_an_interval_around_zero():
    found = enclose(lambda: ball(Fraction(1, 3)).exp().log() - ball(Fraction(1, 3)))
    assert 0 in found


def exp_of(exponent):
    with precision(BITS):
        return ball(exponent).exp()


def test_numbers_too_near_to_zero_are_rounded_outward():
    found = to_interval(exp_of(-(10**30)))
    assert found.lower == 0 < found.upper == Fraction(1, 2**MAX_BITS)
    mirrored = to_interval(-exp_of(-(10**30)))
    assert mirrored.lower == -Fraction(1, 2**MAX_BITS)
    assert mirrored.upper == 0


@pytest.mark.parametrize("value", [arb("inf"), arb("nan"), exp_of(10**30)])
def test_infinite_bounds_are_refused(value):
    with pytest.raises(Unbounded, match="A201"):
        upper(value)


def test_the_safe_side_of_a_huge_number_is_still_below_it():
    assert lower(exp_of(10**30)) == Fraction(2) ** MAX_BITS


def test_an_interval_upside_down_is_a_bug_in_lapwing():
    with pytest.raises(AssertionError):
        Interval(Fraction(1), Fraction(0))


@given(st.fractions(-1000, 1000))
def test_floors_are_certain(x):
    assert certified_floor(lambda: ball(x) + arb(2).sqrt()) == int(
        mpmath.floor(mpmath.mpf(x.numerator) / x.denominator + mpmath.sqrt(2))
    )


def test_a_floor_that_needs_more_bits():
    near = Fraction(10**80 - 1, 10**80)
    assert certified_floor(lambda: ball(near)) == 0
    with pytest.raises(Unbounded, match="A202"):
        certified_floor(lambda: ball(2).sqrt() ** 2)

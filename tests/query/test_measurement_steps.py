"""The engine's floating-point clip and floor land on exactly the lattice points that sensitivities are made of."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lapwing.query import measurement_steps
from lapwing.query.ranges import Range

ENDS = st.one_of(
    st.fractions(min_value=-(10**6), max_value=10**6),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e30, max_value=1e30).map(Fraction),
    st.sampled_from([Fraction(0), Fraction(1) - Fraction(1, 10**30), Fraction(10**20), Fraction(1, 10**20)]),
)
LATTICES = (
    measurement_steps.around_zero,
    measurement_steps.around_middle,
)


@given(ENDS, ENDS, st.sampled_from(LATTICES), st.booleans(), st.sampled_from([1, 2**16]))
def test_a_lattice(first, second, make, whole, weights):
    low, high = sorted((first, second))
    if whole:
        low, high = Fraction(math.floor(low)), Fraction(math.floor(high))
    limits = Range(low, high)
    points = make(limits, whole=whole, weight_steps=weights)
    # the ends are the lattice points around those asked for, so that every value has a nearest one
    assert points.low == limits.low // points.step * points.step
    assert points.high == -(-limits.high // points.step) * points.step
    assert points.step.numerator == 1 or points.step.denominator == 1
    assert (points.step.numerator * points.step.denominator).bit_count() == 1  # a power of two
    # and a 64-bit float holds each of them exactly
    assert Fraction(float(points.low)) == points.low
    assert Fraction(float(points.high)) == points.high
    # what a row can count leaves room for 2^25 rows in 61 bits
    most = max(abs(end / points.step - points.centre) for end in (points.low, points.high))
    assert most * weights <= 2**37
    assert int(most**2) // 2 ** measurement_steps.shift_of(points, weights) * weights <= 2**37
    assert not whole or points.step >= 1


@given(st.fractions(min_value=0, max_value=10**9), st.sampled_from([2**11, 2**16, 2**30]))
def test_a_step_is_the_smallest_power_of_two_that_is_coarse_enough(width, steps):
    step = measurement_steps.power_of_two_step(width, steps)
    assert width / step <= steps
    assert width == 0 or width / step > steps / 2


def test_whole_numbers_stay_whole():
    points = measurement_steps.around_zero(Range(Fraction(0), Fraction(200_000)), whole=True, weight_steps=2**16)
    assert (points.step, points.high) == (1, 200_000)

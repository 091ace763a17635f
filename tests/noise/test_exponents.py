import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import balls
from lapwing.noise.exponents import CUT, RELATIVE_ERROR, Exponents, below_best


def true_exp(x):
    return balls.enclose(lambda: (-balls.ball(x)).exp())


units = st.fractions(min_value=Fraction(1, 10**30), max_value=10**6, max_denominator=10**30)


@given(steps=st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 1000), min_size=1, max_size=20), unit=units)
def test_the_approximation_keeps_its_promise(steps, unit):
    exponents = Exponents(np.array(steps, dtype=np.uint64), unit)
    for i, approximate in enumerate(exponents.approximate_exp().tolist()):
        if exponents.exact(i) > CUT + 1:
            assert approximate == 0
        elif exponents.exact(i) >= CUT - Fraction(1, 1000):
            assert approximate <= 2.0**-91
        else:
            truth = true_exp(exponents.exact(i)).lower
            assert abs(Fraction(approximate) - truth) <= Fraction(RELATIVE_ERROR) * truth


def test_the_approximation_is_close_over_all_cells():
    exponents = Exponents(np.arange(64 * 640, dtype=np.uint64), Fraction(1, 640))
    expected = [math.exp(-i / 640) for i in range(64 * 640)]
    assert exponents.approximate_exp() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("unit", [Fraction(10) ** 4000, Fraction(1, 10**4000), Fraction(1, 3)])
def test_units_beyond_floats(unit):
    approximate = Exponents(np.array([0, 1], dtype=np.uint64), unit).approximate_exp()
    assert approximate[0] == 1
    assert approximate[1] == pytest.approx(math.exp(-float(min(unit, 100))), abs=1e-12)


@given(
    scores=st.lists(st.integers(-(2**70), 2**70) | st.fractions(max_denominator=1000), min_size=1, max_size=8),
    scale=st.fractions(min_value=Fraction(1, 1000), max_value=1000),
)
def test_gaps_are_exact(scores, scale):
    exponents = below_best(scores, scale)
    assert [exponents.exact(i) for i in range(len(scores))] == [(max(scores) - score) / scale for score in scores]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_gaps_of_arrays_do_not_wrap(dtype):
    limits = np.iinfo(dtype)
    scores = np.array([limits.min, 0, limits.max], dtype=dtype)
    exponents = below_best(scores, Fraction(1))
    assert [exponents.exact(i) for i in range(3)] == [limits.max - limits.min, limits.max, 0]

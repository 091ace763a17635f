import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lapwing.errors import InvalidInput
from lapwing.noise.lattice import LARGEST, Lattice, exact_sum

steps = st.sampled_from(["1", "1/1024", "1/1048576", "1024", "1/10", "1/3", "7/5", "1e-6", "3", "1000003/7"])
ranges = st.tuples(st.fractions(-1000, 1000), st.fractions(-1000, 1000)).map(sorted)
INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])


def expected(value, step, low, high):
    """⌊clamped value/step⌋ in Fractions."""
    if math.isinf(value):
        return (high if value > 0 else low) // step
    return min(max(Fraction(value), low), high) // step


@given(
    values=arrays.arrays(np.float64, st.integers(0, 8), elements=st.floats(allow_nan=False)), step=steps, ends=ranges
)
def test_floats_are_floored_exactly(values, step, ends):
    found = Lattice(step).to_steps(values, *ends)
    assert found.dtype == np.int64
    assert found.tolist() == [expected(value, Fraction(step), *ends) for value in values.tolist()]


@given(data=st.data(), step=steps, ends=ranges)
def test_integers_are_floored_exactly(data, step, ends):
    values = data.draw(arrays.arrays(data.draw(INTEGERS), st.integers(0, 8)))
    found = Lattice(step).to_steps(values, *ends)
    assert found.tolist() == [expected(value, Fraction(step), *ends) for value in values.tolist()]


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_are_what_they_are(kind):
    value = np.array([0.1], dtype=kind)
    assert Lattice("1e-9").to_steps(value, -1, 1)[0] == Fraction(float(value[0])) // Fraction(1, 10**9)


def test_a_rounded_quotient_would_be_wrong():
    # The float 1.7 is a little less than seventeen tenths, but dividing it by the float 0.1 rounds up to 17.
    assert Fraction(1.7) < Fraction(17, 10)
    assert math.floor(1.7 / 0.1) == 17
    assert Lattice("1/10").to_steps(np.array([1.7, 3.4, 3.9]), 0, 10).tolist() == [16, 33, 38]


def test_tiny_negative_numbers_are_below_zero():
    for step in ("1024", "1000", "1/1024", "1/10"):
        assert Lattice(step).to_steps(np.array([-5e-324, -0.0, 5e-324]), -(10**4), 10**4).tolist() == [-1, 0, 0]


def test_missing_has_one_declared_meaning():
    lattice, nan = Lattice("1/4"), np.array([np.nan, 1.0])
    assert lattice.to_steps(nan, -2, 2).tolist() == [-8, 4]
    assert lattice.to_steps(nan, -2, 2, missing=0).tolist() == [0, 4]
    assert lattice.to_steps(nan, -2, 2, missing=100).tolist() == [8, 4]
    assert Lattice("1/3").to_steps(nan, -2, 2, missing=1).tolist() == [3, 3]


@given(
    pair=st.tuples(st.floats(-100, 100), st.floats(-100, 100)),
    step=steps,
)
def test_sensitivity_in_steps_is_never_too_small(pair, step):
    lattice = Lattice(step)
    a, b = lattice.to_steps(np.array(pair), -100, 100).tolist()
    assert abs(a - b) <= lattice.sensitivity(abs(Fraction(pair[0]) - Fraction(pair[1])))


def test_sensitivity_is_rounded_up():
    assert Lattice(1).sensitivity("0.5") == 1
    assert Lattice(1).sensitivity("1.0000001") == 2
    assert Lattice("1/3").sensitivity("2/3") == 2
    assert Lattice(1).sensitivity(0) == 0


@given(arrays.arrays(np.int64, st.integers(0, 50)))
def test_sums_are_exact(values):
    assert exact_sum(values) == sum(values.tolist())


@given(values=arrays.arrays(np.int64, st.integers(1, 8)), step=steps)
def test_floats_come_back_rounded_once(values, step):
    lattice = Lattice(step)
    nearest = [float(value * Fraction(step)) for value in values.tolist()]  # a Fraction converts with one rounding
    assert lattice.to_float(values).tolist() == nearest
    assert [lattice.to_float(value) for value in values.tolist()] == nearest
    assert [lattice.to_float(np.int64(value)) for value in values.tolist()] == nearest


def test_no_integer_makes_conversion_fail():
    assert Lattice(1).to_float(10**400) == math.inf
    assert Lattice("1/3").to_float(-(10**400)) == -math.inf
    assert Lattice(Fraction(1, 2**900)).to_float(np.array([2**62 + 1]))[0] == 2.0**-838


@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf"), True, None, "1e-999", "1e999"])
def test_bad_steps_are_refused_in_one_line(bad):
    with pytest.raises(InvalidInput) as refused:
        Lattice(bad)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("low", "high", "code"), [(1, 0, "A106"), (0, 2 * LARGEST, "N251"), ("nan", 1, "A001")])
def test_bad_ranges_are_refused(low, high, code):
    with pytest.raises(InvalidInput, match=f"^{code} "):
        Lattice(1).to_steps(np.array([1.0]), low, high)


@pytest.mark.parametrize(
    "bad", [[1.0], 1.0, None, np.array(["a"]), np.array([1.0], dtype=object), np.array([True]), np.array([1j])]
)
def test_values_are_refused_by_type_alone(bad):
    with pytest.raises(InvalidInput, match=r"^N252 "):
        Lattice(1).to_steps(bad, 0, 1)


def test_wrong_sums_and_conversions_are_refused():
    with pytest.raises(InvalidInput, match=r"^N254 "):
        exact_sum(np.array([1.0]))
    with pytest.raises(InvalidInput, match=r"^N253 "):
        Lattice(1).to_float(np.array([1.0]))
    for bad in (1.0, True, None):
        with pytest.raises(InvalidInput, match=r"^N253 "):
            Lattice(1).to_float(bad)


def test_shapes_are_kept():
    for step in ("1/4", "1/3"):
        lattice = Lattice(step)
        assert lattice.to_steps(np.zeros((2, 3)), 0, 1).shape == (2, 3)
        assert lattice.to_steps(np.zeros((2, 3), dtype=int), 0, 1).shape == (2, 3)
        assert lattice.to_float(np.zeros((2, 3), dtype=int)).shape == (2, 3)
        for one in (np.array(0.5), np.array(np.nan), np.array(1), np.array(1, dtype=np.float32)):
            assert lattice.to_steps(one, 0, 1).shape == ()

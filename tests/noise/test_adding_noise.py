import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.noise.adding_noise import add_noise
from lapwing.noise.pool import Pool

BOUND = 2**61
values = st.integers(-(2**63), 2**63 - 1)
#: Any size of noise, given as samplers give it: beyond 2^62 only as some number beyond.
noises = st.integers(-(2**62) - 2**36, 2**62 + 2**36)


def constant(noise):
    return Pool(lambda n: np.full(n, noise, dtype=np.int64))


def clamp(value):
    return max(-BOUND, min(value, BOUND))


@given(value=values, noise=noises)
def test_sums_are_those_of_unbounded_integers_clamped(value, noise):
    expected = clamp(clamp(value) + noise)
    assert add_noise(value, constant(noise)) == expected
    assert add_noise(np.array([value], dtype=np.int64), constant(noise)).tolist() == [expected]


@given(value=st.integers(0, 2**64 - 1), noise=noises)
def test_unsigned_values_too(value, noise):
    assert add_noise(np.array([value], dtype=np.uint64), constant(noise))[0] == clamp(clamp(value) + noise)


@given(value=values, sign=st.sampled_from([-1, 1]), size=st.integers(2**62, 2**62 + 2**36))
def test_noise_beyond_the_limit_gives_one_answer_whatever_its_size_and_the_value(value, sign, size):
    """Why noise cut off at 2^62 costs no privacy: the clamped sum is the same as with the true, larger noise."""
    assert add_noise(value, constant(sign * size)) == sign * BOUND


@given(a=values, b=values)
def test_clamping_moves_no_two_values_further_apart(a, b):
    zero = constant(0)
    assert abs(add_noise(a, zero) - add_noise(b, zero)) <= abs(a - b)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_the_array_given_is_not_changed(dtype):
    given_values = np.full(100, np.iinfo(dtype).max, dtype=dtype)
    before = given_values.copy()
    add_noise(given_values, constant(1))
    assert (given_values == before).all()

"""What every mechanism promises, whoever wrote it."""

import copy
import dataclasses
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import ball, enclose
from lapwing.errors import InvalidInput
from tests.contracts.mechanisms import ADDITIVE, CLAIMING, NOISE

claiming = pytest.mark.parametrize("case", CLAIMING, ids=lambda case: case.name)
additive = pytest.mark.parametrize("case", ADDITIVE, ids=lambda case: case.name)
noise = pytest.mark.parametrize("noise", NOISE, ids=repr)


def loss(claim):
    return next(getattr(claim, name) for name in ("epsilon", "rho") if hasattr(claim, name))


# --- claims ---


@claiming
def test_is_frozen_data(case):
    mechanism = case.mechanism
    assert dataclasses.is_dataclass(mechanism)
    assert not hasattr(mechanism, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(mechanism, dataclasses.fields(mechanism)[0].name, 1)
    twins = [pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism)]  # noqa: S301  # our own bytes
    assert all(twin == mechanism and hash(twin) == hash(mechanism) for twin in twins)


@claiming
def test_nothing_moves_nothing_is_lost(case):
    assert loss(case.mechanism.claim(case.right(0))) == 0


@claiming
def test_claim_grows_with_distance_and_is_exact(case):
    losses = [loss(case.mechanism.claim(case.right(Fraction(d, 3)))) for d in range(6)]
    assert all(isinstance(value, Fraction) for value in losses)
    assert losses == sorted(set(losses))


@additive
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_claim_covers_the_exact_distribution(case, steps):
    """A shift by so many steps: the worst ratio for a pure claim, the Rényi divergence of order 2 for zCDP."""
    mechanism = case.mechanism
    claim = mechanism.claim(case.right(steps))
    spread = min(mechanism.interval("0.999") + steps, 400)
    pairs = [(mechanism.pmf(k), mechanism.pmf(k - steps)) for k in range(-spread, spread + 1)]
    if hasattr(claim, "epsilon"):
        largest = max(here.lower / there.upper for here, there in pairs if there.upper)
        assert largest <= enclose(ball(claim.epsilon).exp).upper
        assert largest >= enclose(ball(claim.epsilon).exp).lower * (
            1 - Fraction(1, 10**12)
        )  # and is no more than needed
    else:
        moment = sum((here.lower**2 / there.upper for here, there in pairs if there.upper), Fraction(0))
        assert moment <= enclose(ball(2 * claim.rho).exp).upper


@claiming
def test_the_wrong_metric_is_refused(case):
    for distance in case.wrong:
        with pytest.raises(InvalidInput) as refused:
            case.mechanism.claim(distance)
        assert type(distance).__name__ in str(refused.value)
        assert "\n" not in str(refused.value)


# --- distributions ---


@noise
def test_probabilities_sum_to_one_and_agree_with_the_cdf(noise):
    reach = noise.interval("0.999")
    lower = noise.cdf(-reach - 1)
    low, high = lower.lower, lower.upper
    for k in range(-reach, reach + 1):
        low, high = low + noise.pmf(k).lower, high + noise.pmf(k).upper
        cdf = noise.cdf(k)
        assert low <= cdf.upper
        assert cdf.lower <= high
    assert high - low < Fraction(1, 2**60)
    beyond = noise.tail(reach + 1)
    assert 1 - Fraction(1, 1000) <= 1 - beyond.lower
    assert low - lower.upper + beyond.lower <= 1 <= high - lower.lower + beyond.upper


@noise
@settings(max_examples=20, deadline=None)
@given(t=st.integers(-3, 2000))
def test_tail_is_both_ends_of_the_cdf(noise, t):
    tail = noise.tail(t)
    if t <= 0:
        assert tail.is_exact
        assert tail.lower == 1
        return
    left, right = noise.cdf(-t), noise.cdf(t - 1)
    assert tail.lower <= left.upper + 1 - right.lower
    assert left.lower + 1 - right.upper <= tail.upper
    assert tail.lower <= noise.tail(t - 1).upper


@noise
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999999"])
def test_interval_is_certified_and_smallest(noise, confidence):
    t = noise.interval(confidence)
    assert noise.tail(t + 1).upper <= 1 - Fraction(confidence)
    if t:
        assert noise.tail(t).upper > 1 - Fraction(confidence)


@noise
def test_variance_is_that_of_the_probabilities(noise):
    reach = noise.interval(1 - Fraction(1, 2**80))
    points = range(-reach, reach + 1)
    mean = sum(k * float(noise.pmf(k)) for k in points)
    spread = sum((k - mean) ** 2 * float(noise.pmf(k)) for k in points)
    assert spread == pytest.approx(float(noise.variance()), rel=1e-9)


@noise
def test_draws_have_the_right_kind_and_size(noise):
    assert type(noise.sample()) is int
    for size in (0, 1, 50, 1000, np.int64(3)):
        drawn = noise.sample(size)
        assert drawn.shape == (int(size),)
        assert drawn.dtype == np.int64


@noise
def test_draws_have_the_stated_variance(noise):
    n = 200_000
    drawn = noise.sample(n).astype(float)
    mean = float(noise.mean()) if hasattr(noise, "mean") else 0.0
    true = float(noise.variance())
    squares = (drawn - mean) ** 2
    # Six standard errors of the mean of squares, as seen in the sample.
    assert abs(squares.mean() - true) < 6 * squares.std() / n**0.5


@noise
@pytest.mark.parametrize("bad", [0.5, "1", None, True, -(2**63)])
def test_a_probability_is_asked_at_whole_numbers_only(noise, bad):
    for function in (noise.pmf, noise.cdf, noise.tail):
        with pytest.raises(InvalidInput):
            function(bad)


@noise
@pytest.mark.parametrize("bad", [1, 2, -1, "nan", float("inf"), True])
def test_impossible_confidence_is_refused(noise, bad):
    with pytest.raises(InvalidInput) as refused:
        noise.interval(bad)
    assert "\n" not in str(refused.value)


@noise
@pytest.mark.parametrize("bad", [-1, 2.0, "3", True])
def test_impossible_size_is_refused(noise, bad):
    with pytest.raises(InvalidInput):
        noise.sample(bad)


# --- releases ---


@additive
def test_release_keeps_kind_and_shape(case):
    release = case.mechanism.release
    assert type(release(5)) is int
    assert type(release(np.int32(5))) is int
    for dtype in (np.int8, np.uint16, np.int64, np.uint64):
        released = release(np.ones((3, 40), dtype=dtype))
        assert released.shape == (3, 40)
        assert released.dtype == np.int64
    assert release(np.array(7)).shape == ()


@additive
def test_release_is_centred_on_the_value(case):
    n = 100_000
    off = case.mechanism.release(np.full(n, 10**6)) - 10**6
    assert abs(off.mean()) < 6 * (float(case.mechanism.variance()) / n) ** 0.5


@additive
@pytest.mark.parametrize(
    "bad",
    [1.0, True, None, "1", [1, 2], np.array([1.5]), np.array([True]), np.array([1], dtype=object), np.float64(1)],
    ids=repr,
)
def test_what_is_not_whole_is_refused_by_its_type_alone(case, bad):
    with pytest.raises(InvalidInput) as refused:
        case.mechanism.release(bad)
    assert re.fullmatch(r"N201 noise was to be added to (a|an array of) \w+\. Give .*", str(refused.value))


@additive
@settings(max_examples=30, deadline=None)
@given(value=st.integers(-(2**80), 2**80))
def test_no_value_makes_release_fail_or_wrap(case, value):
    released = case.mechanism.release(value)
    assert abs(released) <= 2**61
    if abs(value) > 2**61 + 2**50:
        assert (released > 0) == (value > 0)


@additive
def test_extreme_arrays_do_not_wrap(case):
    ends = np.array([2**63 - 1, -(2**63), 2**62, -(2**62)])
    assert (np.sign(case.mechanism.release(ends)) == np.sign(ends)).all()
    assert (case.mechanism.release(np.full(3, 2**64 - 1, dtype=np.uint64)) > 2**60).all()

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.errors import InvalidInput
from lapwing.noise import categorical as module
from lapwing.noise.categorical import categorical, probabilities
from tests.noise.scripted import Scripted


@pytest.mark.parametrize("scale", ["1/3", "7/5", "1000003/7"])
def test_as_frequent_as_the_exact_probabilities(scale):
    scores, n = [0, 1, 1, Fraction(-1, 2), 2], 200_000
    seen = np.bincount(categorical(scores, scale, n), minlength=5)
    expected = np.array([float(p) for p in probabilities(scores, scale)])
    assert stats.chisquare(seen, expected / expected.sum() * n).pvalue > 1e-6


def test_arrays_lists_and_fractions_are_one():
    as_list = probabilities([3, 1, -2], 2)
    assert as_list == probabilities(np.array([3, 1, -2], dtype=np.int8), 2)
    assert as_list == probabilities([np.int64(3), np.uint8(1), -2], 2)
    assert as_list == probabilities([Fraction(3), Fraction(1), Fraction(-2)], 2)


@settings(max_examples=50, deadline=None)
@given(
    scores=st.lists(st.integers(-20, 20), min_size=2, max_size=8),
    scale=st.fractions(min_value=Fraction(1, 4), max_value=50),
    side=st.integers(-3, 3),
    data=st.data(),
)
def test_near_every_threshold_the_index_is_the_exact_one(scores, scale, side, data):
    # A word a few units from a threshold: no float can tell, the balls must.
    chances = probabilities(scores, scale)
    ends = list(accumulate(chance.lower for chance in chances))
    cut = data.draw(st.integers(0, len(scores) - 2))
    word = int(ends[cut] * 2**64) + side
    if side and 0 <= word < 2**64:
        certain = sum(end * 2**64 <= word for end in ends[:-1])
        unsure = any(0 <= end * 2**64 - word < 1 for end in ends[:-1])  # then further bits decide
        drawn = categorical(scores, scale, 1, Scripted(fine=[word]))[0]
        assert drawn == certain or unsure


def test_a_tie_of_64_bits_is_decided_by_the_next():
    first = probabilities([0, 1], 1)[0].lower
    high, low = int(first * 2**64), int(first * 2**128) & (2**64 - 1)
    assert categorical([0, 1], 1, 1, Scripted(fine=[high], bits=[low - 2**40]))[0] == 0
    assert categorical([0, 1], 1, 1, Scripted(fine=[high], bits=[low + 2**40]))[0] == 1


def test_thresholds_that_are_dyadic_or_thirds():
    assert categorical([5, 5], 1, 2, Scripted(fine=[2**63 - 1, 2**63])).tolist() == [0, 1]
    third = 2**64 // 3
    assert categorical([5, 5, 5], 1, 2, Scripted(fine=[third - 1, third + 1])).tolist() == [0, 1]
    assert categorical([5, 5, 5], 1, 1, Scripted(fine=[third], bits=[0]))[0] == 0
    assert categorical([5, 5, 5], 1, 1, Scripted(fine=[third], bits=[2**64 - 1]))[0] == 1


def test_what_is_rarer_than_a_word_can_be_drawn():
    # The second has probability e^-100, about 2^-144: it is drawn when U starts with 144 ones.
    scores, top = [100, 0], 2**64 - 1
    source = Scripted(fine=[top], bits=[top, top])
    assert categorical(scores, 1, 1, source)[0] == 1
    assert source.used_up
    assert categorical(scores, 1, 1, Scripted(fine=[top], bits=[top - 1]))[0] == 0


def test_a_rare_first_candidate_is_drawn_from_zeros():
    assert categorical([0, 100], 1, 1, Scripted(fine=[0], bits=[0, 0, 0]))[0] == 0
    assert categorical([0, 100], 1, 1, Scripted(fine=[0], bits=[1]))[0] == 1


def test_the_filter_leaves_little_to_the_balls(monkeypatch):
    calls = []
    decide = module._decide
    monkeypatch.setattr(module, "_decide", lambda *args: calls.append(1) or decide(*args))
    categorical(np.arange(1000) % 17, 3, 100_000)
    assert len(calls) <= 3  # expected: 100,000 · 1,000 · 2^-39.9 = 0.0001


def test_single_draws_and_many_candidates():
    assert type(categorical([1, 2], 1)) is int
    assert categorical([7], 1) == 0
    scores = np.zeros(100_000, dtype=np.int64)
    scores[77] = 100
    assert categorical(scores, 1) == 77


@pytest.mark.parametrize("scale", [0, -1, "nan", float("inf"), None, True])
def test_bad_scales_are_refused(scale):
    with pytest.raises(InvalidInput) as refused:
        categorical([1, 2], scale)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("size", [-1, 1.5, "3", True])
def test_bad_sizes_are_refused(size):
    with pytest.raises(InvalidInput):
        categorical([1, 2], 1, size)

import numpy as np
import pytest
from scipy import stats

from lapwing.errors import InvalidInput
from lapwing.noise.source import SECURE
from lapwing.noise.uniform import uniform
from tests.noise.scripted import Scripted


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 1000])
def test_every_number_is_as_frequent(n):
    drawn = uniform(n, 100_000)
    assert drawn.dtype == np.int64
    seen = np.bincount(drawn, minlength=n)
    assert len(seen) == n
    assert n == 1 or stats.chisquare(seen).pvalue > 1e-6
    seen = np.bincount([uniform(n) for _ in range(5000)], minlength=n)
    assert n == 1 or stats.chisquare(seen).pvalue > 1e-6


@pytest.mark.parametrize("n", [2**63 - 1, 2**63, 2**63 + 1, 2**64, 3 * 2**64, 10**40])
def test_large_ranges_are_filled_evenly(n):
    drawn = [int(value) for value in uniform(n, 3000)] + [uniform(n) for _ in range(3000)]
    assert all(0 <= value < n for value in drawn)
    assert stats.chisquare(np.bincount([10 * value // n for value in drawn], minlength=10)).pvalue > 1e-6
    assert type(uniform(n)) is int
    assert uniform(n, 3).dtype == (np.int64 if n <= 2**63 else object)


def test_words_past_the_last_full_multiple_are_drawn_again():
    n = 3 * 2**61  # 2^64 holds it twice, with 2^62 words left over
    last = 2 * n - 1
    assert uniform(n, 2, Scripted(fine=[last, 0])).tolist() == [n - 1, 0]
    source = Scripted(fine=[last + 1, 5, 2**64 - 1, 7])
    assert uniform(n, 2, source).tolist() == [7, 5]
    assert source.used_up


def test_a_modulus_without_rejection_would_be_seen():
    # Of 2^64 words, n = 3·2^61 takes 2^64 % n = 2^62 more in its first two thirds: 3:3:2 without the rejection.
    n = 3 * 2**61
    assert stats.chisquare(np.bincount(uniform(n, 30_000) // 2**61, minlength=3)).pvalue > 1e-6
    biased = (SECURE.words(30_000) % np.uint64(n)).astype(np.int64)
    assert stats.chisquare(np.bincount(biased // 2**61, minlength=3)).pvalue < 1e-6


def test_scalars_are_drawn_again_too():
    assert uniform(5, source=Scripted(bits=[7, 5, 4])) == 4


@pytest.mark.parametrize("bad", [0, -1, 1.0, "3", True, None])
def test_bad_ranges_are_refused(bad):
    for size in (None, 3):
        with pytest.raises(InvalidInput) as refused:
            uniform(bad, size)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True])
def test_bad_sizes_are_refused(bad):
    with pytest.raises(InvalidInput):
        uniform(3, bad)

"""Bug 4: a lie drawn from all k categories, the truth among them, so that the odds and the claim were off by one."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from lapwing.noise.randomized_response import RandomizedResponse


@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_every_row_is_exactly_keep_and_even_lies(k):
    response = RandomizedResponse("2/5", k)
    for value in range(k):
        row = [response.pmf(report, value).lower for report in range(k)]
        assert all(response.pmf(report, value).is_exact for report in range(k))
        assert row[value] == Fraction(2, 5)
        assert all(p == Fraction(3, 5) / (k - 1) for report, p in enumerate(row) if report != value)
        assert sum(row) == 1


@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_a_mechanism_that_always_lies_never_tells_the_truth_and_reaches_every_lie(k):
    for value in range(k):
        reports = RandomizedResponse(0, k).release(np.full(5000, value))
        assert set(reports.tolist()) == set(range(k)) - {value}


@pytest.mark.parametrize("k", [3, 4, 10])
def test_draws_fit_the_rows_and_not_lies_from_all_categories(k):
    n, response = 100_000, RandomizedResponse("2/5", k)
    wrong = np.full(k, 0.6 / k)
    wrong[1] += 0.4
    seen = np.bincount(response.release(np.ones(n, dtype=int)), minlength=k)
    right = np.array([float(response.pmf(report, 1)) for report in range(k)])
    assert stats.chisquare(seen, right * n).pvalue > 1e-6
    assert stats.chisquare(seen, wrong * n).pvalue < 1e-6


def test_the_claim_is_that_of_k_minus_one_lies():
    assert RandomizedResponse("2/5", 4).loss_ratio == 2  # 0.4 against 0.2; with lies from all four it would be 11/3

"""Quantiles among 2^30 candidates, chosen by the gaps between the values that are there."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lapwing.errors import InvalidInput
from lapwing.noise import Exponential
from lapwing.noise.categorical import categorical
from lapwing.session.noising import _candidates
from tests.session.tables import protected


def one_by_one(count, rows, numerator, denominator):
    """The score of every bucket by its definition."""
    wanted, below, scores = numerator * sum(rows.values()), 0, []
    for bucket in range(count):
        upto = below + rows.get(bucket, 0)
        scores.append(-max(0, wanted - denominator * upto, denominator * below - wanted))
        below = upto
    return scores


@given(
    st.integers(1, 40).flatmap(
        lambda count: st.tuples(st.just(count), st.dictionaries(st.integers(0, count - 1), st.integers(1, 2**58)))
    ),
    st.fractions("1/100", "99/100", max_denominator=100),
)
def test_runs_have_the_scores_of_their_buckets(given_rows, fraction):
    count, rows = given_rows
    buckets = np.array(sorted(rows), np.int64)
    weights = np.array([rows[b] for b in sorted(rows)], np.int64)
    firsts, many, scores = _candidates(count, buckets, weights, fraction.numerator, fraction.denominator)
    spread = [int(score) for score, times in zip(scores, many, strict=True) for _ in range(int(times))]
    assert spread == one_by_one(count, rows, fraction.numerator, fraction.denominator)
    assert [int(first) for first in firsts] == [int(sum(many[:at])) for at in range(len(many))]


def test_a_score_that_stands_for_many_is_drawn_as_often_as_all_of_them():
    times, n = [1, 50, 1000], 100_000
    weights = np.array(times) * np.exp(np.array([0, -2, -6]) / 2)
    seen = np.bincount(categorical([0, -2, -6], 2, n, times=times), minlength=3)
    assert stats.chisquare(seen, weights / weights.sum() * n).pvalue > 1e-6
    for wrong in ([1, 2], [1, 2, 0], [1, 2, 2**36], [1.0, 2.0, 3.0]):
        with pytest.raises(InvalidInput):
            Exponential(Fraction(2)).choose([0, -2, -6], wrong)


def test_a_wide_range_does_not_hurt(tmp_path):
    """The 95 % error of a median of 20,000 values at a price of 1; on 1,024 equal parts it was 32."""
    values = np.random.default_rng(4).normal(50, 15, 20_000).clip(0, 100)
    with protected(tmp_path, pa.table({"x": values}), epsilon=10**6, bounds={"x": (0, 100_000)}, keys={}) as session:
        found = [
            session.sql(f"SELECT MEDIAN(x) AS m FROM people WHERE x > -{at}", epsilon=1).table["m"][0].as_py()
            for at in range(60)
        ]
    assert np.quantile(np.abs(np.array(found) - np.median(values)), 0.95) <= 0.02

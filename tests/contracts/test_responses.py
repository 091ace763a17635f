"""What every randomized response promises."""

import copy
import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.algebra import balls
from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from tests.contracts.mechanisms import RESPONSES

responses = pytest.mark.parametrize("response", RESPONSES, ids=repr)


def row(response, value):
    found = [response.pmf(report, value) for report in range(categories(response))]
    return [p if isinstance(p, Interval) else Interval.point(p) for p in found]


def categories(response):
    return getattr(response, "categories", 2)


@responses
def test_is_frozen_data(response):
    assert not hasattr(response, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(response, dataclasses.fields(response)[0].name, 1)
    assert pickle.loads(pickle.dumps(response)) == copy.deepcopy(response) == response  # noqa: S301  # our own bytes


@responses
def test_every_row_sums_to_one(response):
    for value in range(categories(response)):
        assert sum(p.lower for p in row(response, value)) <= 1 <= sum(p.upper for p in row(response, value))


@responses
def test_the_claim_is_the_worst_loss_over_reports_and_both_directions(response):
    values = range(categories(response))
    rows = [row(response, value) for value in values]
    worst = max(rows[a][y].upper / rows[b][y].lower for a in values for b in values for y in values)
    least = max(rows[a][y].lower / rows[b][y].upper for a in values for b in values for y in values)
    epsilon = response.claim().epsilon
    assert balls.enclose(lambda: balls.ball(least).log()).lower <= epsilon
    assert epsilon <= balls.enclose(lambda: balls.ball(worst).log()).upper + Fraction(1, 2**60)
    assert response.claim(3).epsilon == 3 * epsilon
    assert response.claim(0).epsilon == 0


@responses
def test_reports_are_as_frequent_as_the_pmf_says(response):
    n = 60_000
    for value in range(categories(response)):
        reports = np.bincount(response.release(np.full(n, value)), minlength=categories(response))
        expected = np.array([float(p) for p in row(response, value)]) * n
        assert stats.chisquare(reports, expected * n / expected.sum()).pvalue > 1e-6


@responses
def test_estimates_are_unbiased_with_the_stated_variance(response):
    k, n, rounds = categories(response), 400, 600
    truth = np.minimum(np.arange(n) // 60, k - 1)
    having = int((truth == k - 1).sum())
    found = [response.estimate(response.release(truth)) for _ in range(rounds)]
    last = np.array([float((one if k == 2 and not isinstance(one, list) else one[k - 1]).count) for one in found])
    variance = float(response.variance(having, n))
    assert abs(last.mean() - having) < 6 * (variance / rounds) ** 0.5
    assert last.var() == pytest.approx(variance, rel=6 * (2 / rounds) ** 0.5)


@responses
def test_kind_and_shape(response):
    assert type(response.release(1)) is int
    assert type(response.release(np.uint8(1))) is int
    assert type(response.release(True)) is int
    for dtype in (np.bool_, np.int8, np.uint64, np.int64):
        reports = response.release(np.ones((2, 30), dtype=dtype))
        assert reports.shape == (2, 30)
        assert reports.dtype == np.int64
    assert response.release(np.array([], dtype=int)).shape == (0,)
    assert response.release(np.array(1)).shape == response.release(np.array(True)).shape == ()


@responses
@settings(max_examples=30, deadline=None)
@given(value=st.integers(-(2**70), 2**70))
def test_no_code_makes_release_fail(response, value):
    assert 0 <= response.release(value) < categories(response)
    if -(2**63) <= value < 2**63:
        assert 0 <= response.release(np.array([value]))[0] < categories(response)


@responses
@pytest.mark.parametrize("bad", [1.0, None, "1", [1], np.array([1.5]), np.array(["a"]), np.array([1], dtype=object)])
def test_values_are_refused_by_type_alone(response, bad):
    with pytest.raises(InvalidInput, match=r"^N241 ") as refused:
        response.release(bad)
    assert "\n" not in str(refused.value)


@responses
@pytest.mark.parametrize("bad", [[], np.array([]), np.array([-1]), np.array([10**6]), np.array([0.5]), None])
def test_reports_that_no_release_made_are_refused(response, bad):
    with pytest.raises(InvalidInput, match=r"^N242 "):
        response.estimate(bad)


@responses
@pytest.mark.parametrize("bad", [-1, 10**6, 0.5, None, True])
def test_a_probability_is_asked_of_categories_only(response, bad):
    for report, value in ((bad, 0), (0, bad)):
        with pytest.raises(InvalidInput):
            response.pmf(report, value)

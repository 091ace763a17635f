from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import balls
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.randomized_response import RandomizedResponse


def test_three_quarters_is_ln_three():
    response = RandomizedResponse("3/4")
    assert response.loss_ratio == 3
    log = balls.enclose(lambda: balls.ball(Fraction(3)).log())
    assert log.lower <= response.claim().epsilon
    assert response.claim().epsilon - log.lower < Fraction(1, 2**70)


@given(keep=st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000)), k=st.integers(2, 6))
def test_the_ratio_is_the_worst_over_the_whole_table(keep, k):
    response = RandomizedResponse(keep, k)
    table = [[response.pmf(report, value).lower for report in range(k)] for value in range(k)]
    assert response.loss_ratio == max(a[y] / b[y] for a in table for b in table for y in range(k))


@given(epsilon=st.fractions(min_value=Fraction(1, 1000), max_value=20), k=st.integers(2, 50))
def test_made_for_epsilon_claims_exactly_epsilon_and_has_it(epsilon, k):
    response = RandomizedResponse.for_epsilon(epsilon, k)
    assert response.claim() == PureDP(epsilon)
    keep, lie = response.pmf(0, 0), response.pmf(1, 0)
    exp = balls.enclose(lambda: balls.ball(epsilon).exp())
    assert keep.lower / lie.upper <= exp.upper
    assert exp.lower <= keep.upper / lie.lower
    assert keep.lower + (k - 1) * lie.lower <= 1 <= keep.upper + (k - 1) * lie.upper


def test_large_and_small_epsilon_are_no_trouble():
    assert (RandomizedResponse.for_epsilon(10**6, 3).release(np.arange(3)) == np.arange(3)).all()
    assert 0 <= RandomizedResponse.for_epsilon("1e-4000", 3).release(1) < 3


@pytest.mark.parametrize(("keep", "categories"), [(0, 2), (1, 2), (1, 5), (0, 3)])
def test_a_report_that_excludes_a_truth_has_no_bound(keep, categories):
    response = RandomizedResponse(keep, categories)
    assert response.loss_ratio is None
    with pytest.raises(Unbounded, match=r"^N240 "):
        response.claim()


def test_an_even_report_loses_nothing_and_says_nothing():
    response = RandomizedResponse("1/4", 4)
    assert response.claim().epsilon == 0
    with pytest.raises(InvalidInput, match=r"^N245 "):
        response.estimate(np.array([0, 1]))
    with pytest.raises(InvalidInput, match=r"^N245 "):
        response.variance(1, 2)


def test_estimates_of_a_rational_mechanism_are_rational():
    first, second = RandomizedResponse("3/4").estimate(np.array([0] * 30 + [1] * 70))
    assert (first.count.lower, second.count.lower) == (10, 90)  # (30 - 100/4)/(1/2) and (70 - 100/4)/(1/2)
    assert first.count.is_exact
    assert first.variance.lower == 100 * Fraction(3, 16) / Fraction(1, 4)
    assert first.standard_error == pytest.approx(75**0.5)


@pytest.mark.parametrize("bad", [-0.1, "1.1", "nan", float("inf"), True, None])
def test_bad_probabilities_are_refused_in_one_line(bad):
    with pytest.raises(InvalidInput) as refused:
        RandomizedResponse(bad)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("bad", [0, 1, -1, 2.0, "3", True, 2**40])
def test_bad_numbers_of_categories_are_refused(bad):
    with pytest.raises(InvalidInput):
        RandomizedResponse("1/2", bad)
    with pytest.raises(InvalidInput):
        RandomizedResponse.for_epsilon(1, bad)


@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf")])
def test_bad_epsilons_are_refused(bad):
    with pytest.raises(InvalidInput, match=r"^A"):
        RandomizedResponse.for_epsilon(bad)


def test_an_irrational_ratio_is_not_given_as_a_fraction():
    with pytest.raises(InvalidInput, match=r"^N244 "):
        _ = RandomizedResponse.for_epsilon(1).loss_ratio

"""Randomized response with a coin, as in Fredrikson, lecture 18, section 2.1 and Theorem 4."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import balls
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.coin_response import CoinResponse

probabilities = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000))


def test_two_fair_coins_are_ln_three():
    response = CoinResponse("1/2")
    assert [response.pmf(answer, value) for value in (0, 1) for answer in (0, 1)] == [
        Fraction(3, 4),
        Fraction(1, 4),
        Fraction(1, 4),
        Fraction(3, 4),
    ]
    assert response.loss_ratio == 3
    log = balls.enclose(lambda: balls.ball(3).log())
    assert log.upper <= response.claim().epsilon < log.lower + Fraction(1, 2**70)


@given(p=probabilities)
def test_one_coin_for_both_has_the_probabilities_of_the_lecture(p):
    response = CoinResponse(p)
    assert response.pmf(0, 0) == p + (1 - p) ** 2
    assert response.pmf(1, 1) == 2 * p - p**2


@given(p=probabilities)
def test_the_rarer_forced_answer_decides_the_claim(p):
    zero = (p + (1 - p) ** 2) / (1 - p) ** 2
    one = (2 * p - p**2) / (p * (1 - p))
    assert CoinResponse(p).loss_ratio == max(zero, one)
    assert (zero > one) == (p > Fraction(1, 2))


@pytest.mark.parametrize(("truth", "yes"), [(1, "1/2"), ("1/2", 0), ("1/2", 1), (1, None)])
def test_an_answer_only_one_truth_can_give_has_no_bound(truth, yes):
    with pytest.raises(Unbounded, match=r"^N240 "):
        CoinResponse(truth, yes).claim()


def test_a_coin_alone_tells_nothing():
    response = CoinResponse(0, "1/3")
    assert response.claim().epsilon == 0
    assert CoinResponse(0, 1).claim().epsilon == 0
    with pytest.raises(InvalidInput, match=r"^N245 "):
        response.estimate(np.array([0, 1]))


def test_estimate_is_rational():
    estimate = CoinResponse("1/2").estimate(np.array([True] * 40 + [False] * 60))
    assert estimate.count.lower == estimate.count.upper == 30  # (40 - 100/4)/(1/2)


@pytest.mark.parametrize("bad", [-0.1, "1.1", "nan", float("inf"), True])
def test_bad_probabilities_are_refused_in_one_line(bad):
    for make in (lambda: CoinResponse(bad), lambda: CoinResponse("1/2", bad)):
        with pytest.raises(InvalidInput) as refused:
            make()
        assert "\n" not in str(refused.value)

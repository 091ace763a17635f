from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.algebra import balls
from lapwing.noise.exponential import Exponential
from lapwing.noise.permute_and_flip import PermuteAndFlip, permute_and_flip


def by_definition(scores, scale):
    """The probabilities by walking every order of the candidates [MS20, Algorithm 1], as floats."""
    best = max(scores)
    with balls.precision(200):
        coins = [(balls.ball(Fraction(score - best) / scale)).exp() for score in scores]
        chance = [arb(0)] * len(scores)
        orders = list(permutations(range(len(scores))))
        for order in orders:
            reach = arb(1)
            for index in order:
                chance[index] = chance[index] + reach * coins[index] / len(orders)
                reach = reach * (1 - coins[index])
        return [float(value) for value in chance]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.fractions(min_value=Fraction(1, 3), max_value=9))
def test_flipping_all_coins_at_once_is_the_walk_in_random_order(scores, scale):
    found = [float(p) for p in PermuteAndFlip(scale).pmf(scores)]
    assert found == pytest.approx(by_definition(scores, scale), rel=1e-12)


@pytest.mark.parametrize("scale", ["1/3", "7/5", 20])
def test_chosen_as_often_as_by_definition(scale):
    scores, n = [0, 2, 1, 2], 8000
    seen = np.bincount([permute_and_flip(scores, scale) for _ in range(n)], minlength=4)
    expected = np.array(by_definition(scores, Fraction(scale)))
    assert stats.chisquare(seen, expected / expected.sum() * n).pvalue > 1e-6


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_never_worse_than_the_exponential_mechanism(scores):
    def shortfall(mechanism):
        return sum(float(p) * (max(scores) - score) for p, score in zip(mechanism.pmf(scores), scores, strict=True))

    assert shortfall(PermuteAndFlip(2)) <= shortfall(Exponential(2)) + 1e-12

"""Bug 21: a Rényi conversion that gave ε = 0, and numerical loss distributions below the truth at tiny δ."""

from fractions import Fraction

import pytest

from lapwing.algebra.accounting import account
from lapwing.algebra.accounting.gaussian import gaussian_epsilon
from lapwing.algebra.accounting.optimal import optimal_epsilon
from lapwing.algebra.accounting.privacy_loss import privacy_loss_epsilon
from lapwing.algebra.accounting.renyi import renyi_epsilon
from lapwing.algebra.accounting.terms import Gaussian, Laplace, Pure
from lapwing.algebra.measures import PureDP


@pytest.mark.parametrize("delta", ["1e-5", "1e-9", "1e-12", "1e-14", "1e-20", "1e-50"])
def test_loss_distribution_never_below_the_exact_epsilon(delta):
    exact = optimal_epsilon(PureDP("0.01"), 1000, delta)
    bound = privacy_loss_epsilon([(1000, Pure("0.01"))], Fraction(delta))
    assert exact * (1 - Fraction(1, 10**20)) <= bound <= exact * (1 + Fraction(1, 10**8))


def test_the_floating_point_estimate_is_below_the_truth_and_not_called_a_bound():
    pytest.importorskip("dp_accounting")
    result = account("1000 * pure(0.01)", "1e-14")
    estimate = result.rows[-1]
    assert not estimate.rigorous
    assert estimate.epsilon < result.best.epsilon - Fraction(1, 100)
    assert result.best.rigorous


@pytest.mark.parametrize("delta", ["0.1", "1e-3", "1e-5", "1e-14"])
@pytest.mark.parametrize("sigma", ["1/2", "1", "10"])
def test_renyi_never_gives_less_than_the_exact_gaussian(sigma, delta):
    exact = gaussian_epsilon(1 / Fraction(sigma) ** 2, delta)
    assert renyi_epsilon([(1, Gaussian(sigma))], Fraction(delta))[0] >= exact


def test_epsilon_is_zero_only_if_delta_covers_everything():
    # The total variation of Laplace noise at scale 10 is 1 − e^(−1/20) ≈ 0.0488.
    assert renyi_epsilon([(1, Laplace(10))], Fraction("0.0487"))[0] > 0
    assert privacy_loss_epsilon([(1, Laplace(10))], Fraction("0.0487")) > 0
    assert privacy_loss_epsilon([(1, Laplace(10))], Fraction("0.0489")) == 0

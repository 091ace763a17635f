from fractions import Fraction

import numpy as np
import pytest

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from lapwing.refute.noises import ENTRY_ROUNDINGS, lattice_noise
from lapwing.refute.weights import FloatWeights, widened

SCALES = [Fraction(1), Fraction(2), Fraction(7, 3), Fraction(40)]
PEERS = {"laplace": Laplace, "exponential": Geometric, "gaussian": Gaussian}
cases = pytest.mark.parametrize(("kind", "scale"), [(kind, scale) for kind in PEERS for scale in SCALES])
K = np.arange(-30, 31)


@cases
def test_entries_are_within_their_roundings_of_the_exact_masses(kind, scale):
    peer, noise = PEERS[kind](scale), lattice_noise(kind, scale)
    slack = Fraction(ENTRY_ROUNDINGS, 2**53)
    for k, entry in zip(K, noise.pmf(K), strict=True):
        truth = peer.pmf(int(k))
        if entry == 0:
            assert truth.lower < Fraction(1, 2**999)
        else:
            assert truth.lower * (1 - slack) <= Fraction(entry) <= truth.upper * (1 + slack)


@cases
def test_cumulative_entries_are_sums_of_masses(kind, scale):
    noise = lattice_noise(kind, scale)
    below, above = noise.at_most(K), noise.at_least(K)
    assert np.allclose(np.diff(below), noise.pmf(K[1:]), rtol=1e-9, atol=1e-16)
    assert np.allclose(-np.diff(above), noise.pmf(K[:-1]), rtol=1e-9, atol=1e-16)
    assert np.allclose(below[:-1] + above[1:], 1, rtol=0, atol=1e-15)


@cases
def test_what_is_outside_the_reach_is_within_the_stated_tail(kind, scale):
    noise = lattice_noise(kind, scale)
    low, high = noise.reach(60)
    inside = sum(map(Fraction, noise.pmf(np.arange(low, high + 1))))
    assert 1 - inside <= Fraction(noise.tail(low, high)) + Fraction(1, 2**45)
    assert noise.tail(low, high) < 2.0**-59


def test_far_tails_keep_their_relative_precision():
    noise = lattice_noise("laplace", Fraction(2))
    far = noise.at_least(np.array([800]))[0]
    assert far > 0
    assert abs(far / (noise.pmf(np.array([800]))[0] / (1 - np.exp(-0.5))) - 1) < 1e-12


def test_counted_roundings_cover_a_long_product():
    factors = np.random.default_rng(1).uniform(0.5, 1, 900)
    weights, exact = FloatWeights(np.array([1.0])), Fraction(1)
    for factor in factors:
        weights = weights.times(np.array([factor]), 0)
        exact *= Fraction(factor)
    assert weights.roundings == len(factors)
    assert exact <= Fraction(widened(float(weights.array[0]), weights.roundings))
    assert Fraction(weights.array[0]) <= exact * (1 + Fraction(2 * weights.roundings, 2**53))


def test_counted_roundings_cover_sums_in_any_order():
    weights = FloatWeights(np.random.default_rng(2).uniform(0, 1, 1000), 7)
    order = np.random.default_rng(3).permutation(1000)
    summed = weights.summed(order, np.array([0, 400]))
    assert summed.roundings == 7 + 599
    for total, rows in zip(summed.array, (order[:400], order[400:]), strict=True):
        exact = sum(map(Fraction, weights.array[rows]))
        assert abs(Fraction(total) - exact) <= exact * Fraction(599, 2**53)


def test_a_product_too_small_for_doubles_becomes_nothing_and_is_dust():
    weights = FloatWeights(np.array([2.0**-600, 0.5])).times(np.array([2.0**-600, 0.5]), 0)
    assert weights.present().tolist() == [False, True]

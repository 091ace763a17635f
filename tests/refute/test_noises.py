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


def test_a_widened_double_is_above_every_product_it_may_stand_for():
    weights = FloatWeights(np.array([0.1]))
    exact = Fraction(0.1)
    for factor in (0.3, 0.7, 1 / 3):
        weights = weights.times(np.array([factor]), 0)
        exact *= Fraction(factor)
    assert exact <= Fraction(widened(float(weights.array[0]), weights.roundings))

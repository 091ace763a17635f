"""Draws against exact probabilities: chi-squared at awkward rational scales, tails, digits and serial independence."""

import numpy as np
import pytest

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from tests.statistics.chi_squared import THRESHOLD, against_cdf, edges_with, p_value

DRAWS = 2_000_000
KINDS = [Laplace, Gaussian, Geometric]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


@kinds
@pytest.mark.parametrize("scale", ["1/3", "7/5", "10", "33"])
def test_every_lattice_point_has_its_probability(kind, scale):
    noise = kind(scale)
    assert against_cdf(noise.sample(DRAWS), noise, edges_with(noise, DRAWS)) > THRESHOLD


@kinds
@pytest.mark.parametrize("scale", ["1/3", "7/5"])
def test_pool_draws_have_the_same_distribution(kind, scale):
    noise = kind(scale)
    draws = np.array([noise.sample() for _ in range(200_000)])
    assert against_cdf(draws, noise, edges_with(noise, len(draws))) > THRESHOLD


@kinds
@pytest.mark.parametrize("scale", ["1000003/7", "1000", 2**40])
def test_cells_of_large_scales_have_their_probability(kind, scale):
    noise = kind(scale)
    draws = noise.sample(DRAWS)
    unit = int(float(noise.variance()) ** 0.5)
    positions = np.linspace(-3.5, 3.5, 321) if kind is not Geometric else np.linspace(0.02, 8, 321)
    assert against_cdf(draws, noise, [int(position * unit) for position in positions]) > THRESHOLD


@kinds
@pytest.mark.parametrize("scale", ["1000003/7", 10**6, 2**40])
@pytest.mark.parametrize("modulus", [7, 64, 97, 1024])
def test_low_digits_are_uniform_at_large_scales(kind, scale, modulus):
    # At these scales residues are uniform to within 1e-2/scale·modulus, far below what two million draws can see.
    residues = kind(scale).sample(DRAWS) % modulus
    assert p_value(np.bincount(residues, minlength=modulus), np.full(modulus, 1 / modulus)) > THRESHOLD


@kinds
def test_points_near_zero_at_a_scale_with_two_digits(kind):
    noise = kind(150)
    draws = noise.sample(4 * DRAWS)
    first = 0 if kind is Geometric else -100
    edges = [first - 1, *range(first, 101)] if kind is not Geometric else list(range(101))
    assert against_cdf(draws, noise, edges) > THRESHOLD


@kinds
@pytest.mark.parametrize("scale", ["7/5", "1000003/7"])
def test_tail_masses_are_exact(kind, scale):
    noise = kind(scale)
    draws = np.abs(noise.sample(5_000_000))
    for share in ("0.9", "0.999", "0.99999"):
        t = noise.interval(share) + 1
        mass = float(noise.tail(t))
        seen = int((draws >= t).sum())
        expected = mass * len(draws)
        assert abs(seen - expected) < 6 * expected**0.5, f"{seen} draws beyond {t}, {expected:.1f} expected"


@kinds
@pytest.mark.parametrize("scale", ["7/5", "1000"])
def test_draws_are_independent_of_the_ones_before(kind, scale):
    noise = kind(scale)
    draws = noise.sample(DRAWS).astype(float)
    for lag in (1, 2, 2**15):
        assert abs(np.corrcoef(draws[lag:], draws[:-lag])[0, 1]) < 6 / DRAWS**0.5


def test_the_test_can_fail():
    """A scale wrong by one part in 70 and a missing tail are both seen."""
    right, wrong = Laplace("7/5"), Laplace("1.42")
    assert against_cdf(wrong.sample(DRAWS), right, edges_with(right, DRAWS)) < THRESHOLD
    noise = Laplace("7/5")
    draws = noise.sample(DRAWS)
    cut = draws[np.abs(draws) < noise.interval("0.9999")]
    assert against_cdf(cut, noise, edges_with(noise, DRAWS, least=40)) < THRESHOLD

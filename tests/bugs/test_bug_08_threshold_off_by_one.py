"""Bug 8: a threshold off by one mass point, so that the reported δ was 0.0049 and the measured one 0.0137.

Noise on a lattice has mass on the threshold itself: P(noise >= t) and P(noise > t) differ by a whole pmf(t).
"""

from fractions import Fraction

import numpy as np
import pytest

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from lapwing.noise.threshold import chance_of_reaching, group_threshold

NOISES = [Geometric(3), Laplace(1), Laplace("7/5"), Laplace(20), Gaussian(1), Gaussian("7/3")]


def mass_from(noise, start):
    """Σ pmf(k) over k >= start, bounded from below by a long but finite sum."""
    reach = noise.interval(1 - Fraction(1, 2**60))
    return sum((noise.pmf(k).lower for k in range(start, reach + 1)), Fraction(0))


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("delta", ["0.005", "1e-6"])
@pytest.mark.parametrize("count", [1, 3])
def test_the_threshold_is_the_smallest_that_hides(noise, delta, count):
    threshold = group_threshold(noise, delta, contribution=count)
    assert mass_from(noise, threshold - count) <= Fraction(delta)
    assert mass_from(noise, threshold - 1 - count) > Fraction(delta)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_the_chance_counts_the_mass_on_the_threshold(noise):
    for above in range(1, 6):
        chance = chance_of_reaching(noise, 1 + above, 1)
        assert float(chance) == pytest.approx(float(mass_from(noise, above)), rel=1e-9)
        # The bug: the mass beyond the threshold only, a third of the truth at scale 1.
        assert mass_from(noise, above + 1) < chance.lower


def test_measured_as_often_as_reported():
    noise, n = Laplace(1), 400_000
    threshold = group_threshold(noise, "0.005")
    reported = float(chance_of_reaching(noise, threshold, 1))
    measured = np.mean(noise.release(np.ones(n, dtype=np.int64)) >= threshold)
    assert measured == pytest.approx(reported, abs=6 * (reported / n) ** 0.5)
    assert measured <= 0.005 + 6 * (0.005 / n) ** 0.5


def test_several_groups_share_delta():
    assert group_threshold(Laplace(5), "1e-6", groups=10) == group_threshold(Laplace(5), "1e-7")

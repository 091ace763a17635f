"""A sampler with a proof was biased by the big-number library below it, seen only at scales that are not dyadic."""

from fractions import Fraction

import pytest

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace
from tests.statistics.chi_squared import THRESHOLD, against_cdf, edges_with

DRAWS = 1_000_000


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("scale", ["1/3", "7/5", "97/11", "12345678901234567891/987654321098765431"])
def test_draws_follow_the_exact_distribution(kind, scale):
    noise = kind(scale)
    assert against_cdf(noise.sample(DRAWS), noise, edges_with(noise, DRAWS)) > THRESHOLD


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_nearly_equal_scales_have_nearly_equal_probabilities(kind):
    # Where a numerator or denominator overflowed or was rounded, one of these would be far off.
    scales = [Fraction(7, 5), Fraction(7 * 10**40 + 1, 5 * 10**40), Fraction(7 * 2**64 + 1, 5 * 2**64)]
    for k in (0, 1, 5):
        values = [float(kind(scale).pmf(k)) for scale in scales]
        assert max(values) - min(values) < 1e-15


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_scales_with_long_numerators_are_drawn_exactly_too(kind):
    noise = kind(Fraction(7 * 10**60 + 1, 5 * 10**60 + 3))
    assert against_cdf(noise.sample(DRAWS), noise, edges_with(noise, DRAWS)) > THRESHOLD

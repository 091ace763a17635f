"""The Gaussian mechanism on the integer lattice: P(noise = x) ∝ e^(-x²/2σ²) [CKS20].

The one idea: the *discrete* Gaussian has the same zCDP bound as the continuous one, Δ²/2σ², in any dimension. Its
(ε, δ) curve is not the continuous one's, so calibration to an (ε, δ) goal uses what really runs: the exact
lattice profile for a single number, the zCDP bound for many.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import SupportsIndex

from lapwing.algebra import parameters
from lapwing.algebra.accounting.lattice_gaussian import lattice_gaussian_epsilon, lattice_gaussian_sigma
from lapwing.algebra.balls import Interval, enclose
from lapwing.algebra.by_renyi_order import zcdp_at_delta, zcdp_within
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, ApproxDP
from lapwing.algebra.metrics import Distance
from lapwing.noise.adding_noise import Additive, lattice_point
from lapwing.noise.gaussian_masses import second_moment, total, upper_sum
from lapwing.noise.gaussian_sampler import GaussianSampler, bell
from lapwing.noise.hidden_distances import l2_squared, to_hide
from lapwing.noise.margin import smallest_margin
from lapwing.noise.pool import Pool
from lapwing.noise.sampler_limits import supported_variance


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(Additive):
    """Adds discrete Gaussian noise to every number. ``Gaussian(3)`` has σ = 3; ``Gaussian(squared=2)`` has σ = √2.

    σ is in lattice steps and kept squared. σ² is a parameter: the variance of the noise, :meth:`variance`, is a
    little less when σ is small.
    """

    squared: Fraction

    def __init__(self, sigma: Number | None = None, *, squared: Number | None = None) -> None:
        if sigma is not None and squared is None:
            value = parameters.scale(sigma, "sigma") ** 2
        elif squared is not None and sigma is None:
            value = parameters.scale(squared, "sigma squared")
        else:
            raise TypeError("give either sigma or its square")
        object.__setattr__(self, "squared", supported_variance(value))

    @classmethod
    def for_rho(cls, rho: Number, distance: Distance) -> Gaussian:
        """The mechanism whose claim at ``distance`` is exactly ``rho``."""
        return cls(squared=to_hide(l2_squared(distance, "Gaussian")) / (2 * parameters.epsilon(rho, "rho")))

    @classmethod
    def for_epsilon_delta(cls, epsilon: Number, delta: Number, distance: Distance, *, single: bool = False) -> Gaussian:
        """The mechanism with the least noise whose :meth:`claim_at_delta`, with the same ``single``, keeps the goal."""
        squared = to_hide(l2_squared(distance, "Gaussian"))
        goal = ApproxDP(parameters.epsilon(epsilon), parameters.positive_delta(delta))
        by_zcdp = cls.for_rho(zcdp_within(goal).rho, distance)
        if not single or squared < 1:
            return by_zcdp
        return cls(lattice_gaussian_sigma(goal.epsilon, goal.delta, isqrt(int(squared)), _grid(by_zcdp.squared)))

    def claim(self, distance: Distance) -> ZCDP:
        """Δ²/2σ²-zCDP because D_α <= αd²/2σ² in each coordinate that moves by d, [CKS20] Thm 4, and these add."""
        return ZCDP(l2_squared(distance, "Gaussian") / (2 * self.squared))

    def claim_at_delta(self, delta: Number, distance: Distance, *, single: bool = False) -> ApproxDP:
        """(ε, δ)-DP by the zCDP bound, [CKS20] Cor. 13; for a ``single`` released number by the exact profile, Thm 7.

        The exact profile is about one integer that moves by at most ⌊Δ⌋ steps: for a vector it would be too small.
        """
        by_zcdp = zcdp_at_delta(self.claim(distance), delta)
        if not single:
            return by_zcdp
        steps = isqrt(int(l2_squared(distance, "Gaussian")))
        return ApproxDP(min(by_zcdp.epsilon, lattice_gaussian_epsilon(self.squared, steps, delta)), delta)

    def pmf(self, k: SupportsIndex) -> Interval:
        """P(noise = k)."""
        at = lattice_point(k, "k")
        return enclose(lambda: bell(at**2, self.squared) / total(self.squared))

    def cdf(self, k: SupportsIndex) -> Interval:
        """P(noise <= k)."""
        at = lattice_point(k, "k")
        if at < 0:
            return enclose(lambda: upper_sum(self.squared, -at) / total(self.squared))
        return enclose(lambda: 1 - upper_sum(self.squared, at + 1) / total(self.squared))

    def tail(self, t: SupportsIndex) -> Interval:
        """P(|noise| >= t)."""
        distance = lattice_point(t, "t")
        if distance <= 0:
            return Interval.point(1)
        return enclose(lambda: 2 * upper_sum(self.squared, distance) / total(self.squared))

    def upper_tail(self, k: SupportsIndex) -> Interval:
        """P(noise >= k), with as many digits far out as near 0."""
        return self.cdf(-lattice_point(k, "k"))  # by symmetry

    def variance(self) -> Interval:
        """Σx²f(x)/Σf(x): at most σ², and hardly less once σ is 1 or more, [CKS20] Cor. 9."""
        return enclose(lambda: second_moment(self.squared))

    def interval(self, confidence: Number) -> int:
        """The smallest t with P(|noise| <= t) >= confidence, certified."""
        return smallest_margin(self.tail, confidence, isqrt(int(self.squared)))

    def _pool(self) -> Pool:
        return _pool(self.squared.numerator, self.squared.denominator)


def _grid(squared: Fraction) -> Fraction:
    """A power of two about a thousandth of σ: calibrated noise is exact and short, and at most 0.1 % too large."""
    doublings = (squared.numerator.bit_length() - squared.denominator.bit_length()) // 2
    return Fraction(2) ** (doublings - 10)


@lru_cache(maxsize=64)  # by two ints, because hashing a Fraction takes longer than a draw
def _pool(numerator: int, denominator: int) -> Pool:
    return Pool(GaussianSampler(Fraction(numerator, denominator)).draw)

"""The Laplace mechanism on the integer lattice: P(noise = x) ∝ e^(-|x|/scale) [GRS09].

The one idea: shifting the answer by d steps multiplies the probability of any output by at most e^(d/scale), and
on the lattice, with exact draws, that is true of the numbers that come out, not only of a formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import SupportsIndex

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import PureDP
from lapwing.algebra.metrics import Distance
from lapwing.noise.adding_noise import Additive, lattice_point
from lapwing.noise.geometric_sampler import GeometricSampler
from lapwing.noise.hidden_distances import l1_bound, to_hide
from lapwing.noise.margin import smallest_margin
from lapwing.noise.pool import Pool
from lapwing.noise.sampler_limits import supported_scale


@dataclass(frozen=True, slots=True, init=False)
class Laplace(Additive):
    """Adds discrete Laplace noise of this scale, in lattice steps, to every number."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", supported_scale(parameters.scale(scale)))

    @classmethod
    def for_epsilon(cls, epsilon: Number, distance: Distance) -> Laplace:
        """The mechanism whose claim at ``distance`` is exactly ``epsilon``."""
        return cls(to_hide(l1_bound(distance, "Laplace")) / parameters.epsilon(epsilon))

    def claim(self, distance: Distance) -> PureDP:
        """Δ/scale-DP because p(y - a) <= e^(|a - b|/scale)·p(y - b) in each coordinate, [DR14] Thm 3.6."""
        return PureDP(l1_bound(distance, "Laplace") / self.scale)

    def pmf(self, k: SupportsIndex) -> Interval:
        """P(noise = k)."""
        distance = abs(lattice_point(k, "k"))
        return enclose(lambda: self._power(distance) * (1 - self._power(1)) / (1 + self._power(1)))

    def cdf(self, k: SupportsIndex) -> Interval:
        """P(noise <= k)."""
        at = lattice_point(k, "k")
        if at < 0:
            return enclose(lambda: self._power(-at) / (1 + self._power(1)))
        return enclose(lambda: 1 - self._power(at + 1) / (1 + self._power(1)))

    def tail(self, t: SupportsIndex) -> Interval:
        """P(|noise| >= t)."""
        distance = lattice_point(t, "t")
        if distance <= 0:
            return Interval.point(1)
        return enclose(lambda: 2 * self._power(distance) / (1 + self._power(1)))

    def upper_tail(self, k: SupportsIndex) -> Interval:
        """P(noise >= k), with as many digits far out as near 0."""
        return self.cdf(-lattice_point(k, "k"))  # by symmetry

    def variance(self) -> Interval:
        """2q/(1 - q)² with q = e^(-1/scale)."""
        return enclose(lambda: 2 * self._power(1) / (1 - self._power(1)) ** 2)

    def interval(self, confidence: Number) -> int:
        """The smallest t with P(|noise| <= t) >= confidence, certified."""
        return smallest_margin(self.tail, confidence, int(self.scale))

    def _power(self, exponent: int) -> arb:
        return (-ball(exponent / self.scale)).exp()

    def _pool(self) -> Pool:
        return _pool(self.scale.numerator, self.scale.denominator)


@lru_cache(maxsize=64)  # by two ints, because hashing a Fraction takes longer than a draw
def _pool(numerator: int, denominator: int) -> Pool:
    return Pool(GeometricSampler(Fraction(numerator, denominator), two_sided=True).draw)

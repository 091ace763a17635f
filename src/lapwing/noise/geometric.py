"""One-sided noise: P(noise = x) ∝ e^(-x/scale) for x >= 0, the exponential distribution on the lattice.

The one idea: it is a source of noise for programs, not a mechanism. An output below the answer never occurs, so
an output between two neighbours' answers tells them apart for certain: alone it bounds no privacy loss, and so
it offers no ``release``. (Noisy maximum with one-sided noise is private: it compares the sums and never shows them.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn, SupportsIndex, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import Number
from lapwing.algebra.metrics import Distance
from lapwing.errors import Unbounded
from lapwing.noise.adding_noise import lattice_point
from lapwing.noise.geometric_sampler import GeometricSampler
from lapwing.noise.margin import smallest_margin
from lapwing.noise.pool import Pool
from lapwing.noise.sampler_limits import supported_scale


@dataclass(frozen=True, slots=True, init=False)
class Geometric:
    """Noise of this scale, in lattice steps, that is never negative."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", supported_scale(parameters.scale(scale)))

    def claim(self, distance: Distance) -> NoReturn:
        """Refused: when the answer moves up, outputs that were possible become impossible."""
        raise Unbounded(
            "N205",
            f"one-sided noise alone hides no {type(distance).__name__} distance, because it never lowers an answer",
            "Add Laplace noise, or use one-sided noise inside a program that is proved private",
        )

    @overload
    def sample(self, size: None = None) -> int: ...
    @overload
    def sample(self, size: SupportsIndex) -> NDArray[np.int64]: ...
    def sample(self, size: SupportsIndex | None = None) -> int | NDArray[np.int64]:
        """One draw, or an array of ``size`` draws; beyond 2^62 (never yet seen) only some number beyond."""
        pool = _pool(self.scale.numerator, self.scale.denominator)
        return pool.one() if size is None else pool.many(parameters.whole(size, "size", least=0))

    def pmf(self, k: SupportsIndex) -> Interval:
        """P(noise = k)."""
        at = lattice_point(k, "k")
        return enclose(lambda: self._power(at) * (1 - self._power(1))) if at >= 0 else Interval.point(0)

    def cdf(self, k: SupportsIndex) -> Interval:
        """P(noise <= k)."""
        at = lattice_point(k, "k")
        return enclose(lambda: 1 - self._power(at + 1)) if at >= 0 else Interval.point(0)

    def tail(self, t: SupportsIndex) -> Interval:
        """P(|noise| >= t), which is P(noise >= t)."""
        at = lattice_point(t, "t")
        return enclose(lambda: self._power(at)) if at > 0 else Interval.point(1)

    def upper_tail(self, k: SupportsIndex) -> Interval:
        """P(noise >= k), which is :meth:`tail`: there is no other side."""
        return self.tail(k)

    def mean(self) -> Interval:
        """q/(1 - q) with q = e^(-1/scale)."""
        return enclose(lambda: self._power(1) / (1 - self._power(1)))

    def variance(self) -> Interval:
        """q/(1 - q)² with q = e^(-1/scale)."""
        return enclose(lambda: self._power(1) / (1 - self._power(1)) ** 2)

    def interval(self, confidence: Number) -> int:
        """The smallest t with P(noise <= t) >= confidence, certified."""
        return smallest_margin(self.tail, confidence, int(self.scale))

    def _power(self, exponent: int) -> arb:
        return (-ball(exponent / self.scale)).exp()


@lru_cache(maxsize=64)  # by two ints, because hashing a Fraction takes longer than a draw
def _pool(numerator: int, denominator: int) -> Pool:
    return Pool(GeometricSampler(Fraction(numerator, denominator)).draw)

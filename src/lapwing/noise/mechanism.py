"""What every mechanism that adds noise offers: a claim, the noise, and exact answers about the noise."""

from __future__ import annotations

from typing import Protocol, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number


class Noise(Protocol):
    """A distribution of noise on the lattice, drawn exactly and known exactly."""

    @overload
    def sample(self, size: None = None) -> int: ...
    @overload
    def sample(self, size: SupportsIndex) -> NDArray[np.int64]: ...

    def pmf(self, k: SupportsIndex) -> Interval:
        """P(noise = k)."""

    def cdf(self, k: SupportsIndex) -> Interval:
        """P(noise <= k)."""

    def tail(self, t: SupportsIndex) -> Interval:
        """P(|noise| >= t)."""

    def upper_tail(self, k: SupportsIndex) -> Interval:
        """P(noise >= k)."""

    def variance(self) -> Interval:
        """The variance of the noise."""

    def interval(self, confidence: Number) -> int:
        """The smallest t with P(|noise| <= t) >= confidence, certified."""

"""A number estimated from noisy reports, with its variance: what the local mechanisms give an analyst.

An estimate is made from reports alone, so it is post-processing and costs no privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from lapwing.algebra.balls import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """An unbiased count and the variance of that count, each enclosed (a single point where it is rational)."""

    count: Interval
    variance: Interval

    @property
    def standard_error(self) -> float:
        """The root of the variance, for people."""
        return sqrt(float(self.variance))

"""Noise of infinite support as tables of doubles with a proven error.

The one idea: every entry is computed as a ball and rounded once, so it is within :data:`ENTRY_ROUNDINGS` units of
rounding of the truth; tails are closed forms, not sums of what was left over. A value is a whole number k of
lattice steps, exactly as :mod:`lapwing.program.run` draws it: discrete Laplace with ratio q = e^(-step/scale) [GRS09],
one-sided geometric with the same ratio, discrete Gaussian with weights e^(-k²/(2σ²)) [CKS20].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt
from typing import Literal

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra.balls import ball, precision
from lapwing.noise import gaussian_masses
from lapwing.refute.limits import TooLarge

#: A table entry is the truth times (1 ± 2^-53)^±3: float() of a midpoint errs by 2^-52 at most, its ball by far less.
ENTRY_ROUNDINGS = 3
#: Entries below 2^-1000 are stored as 0 and accounted for as if they were 2^-1000: doubles lose digits further down.
SMALLEST = 2.0**-1000
_BITS = 100
#: Gaussians of more lattice steps than this are summed by Poisson's and by Euler and Maclaurin's formulas.
_TABULATED = 1000

LatticeKind = Literal["laplace", "exponential", "gaussian"]
_Side = Literal["pmf", "at_most", "at_least"]


@dataclass(eq=False, slots=True)
class LatticeNoise:
    """Noise k·step; ``scale`` is in lattice steps. Two draws with the same kind and scale share one object."""

    kind: LatticeKind
    scale: Fraction
    _tables: dict[str, tuple[int, NDArray[np.float64]]] = field(default_factory=dict)
    _gaussian: _GaussianSums | _WideGaussian | None = None

    def pmf(self, k: NDArray[np.int64]) -> NDArray[np.float64]:
        """P(X = k), each entry."""
        return self._look_up("pmf", k)

    def at_most(self, k: NDArray[np.int64]) -> NDArray[np.float64]:
        """P(X <= k), each entry."""
        return self._look_up("at_most", k)

    def at_least(self, k: NDArray[np.int64]) -> NDArray[np.float64]:
        """P(X >= k), each entry."""
        return self._look_up("at_least", k)

    def reach(self, tail_bits: int) -> tuple[int, int]:
        """A range [low, high] of k outside which the probability is at most :meth:`tail` says, about 2^-tail_bits."""
        if self.kind == "gaussian":  # P(|X| >= k) <= 2 e^(-k²/(2σ²)) [CKS20, Prop. 25]
            high = isqrt(ceil(2 * self.scale**2 * Fraction(7, 10) * (tail_bits + 1))) + 1
            return -high, high
        high = ceil(self.scale * Fraction(7, 10) * (tail_bits + 1)) + 1  # ln 2 < 0.7
        return (-high if self.kind == "laplace" else 0), high

    def tail(self, low: int, high: int) -> float:
        """An upper bound on the probability outside [low, high]."""
        ends = np.array([low - 1, high + 1])
        below = 0.0 if self.kind == "exponential" else float(self.at_most(ends[:1])[0])
        return (below + float(self.at_least(ends[1:])[0])) * (1 + 2.0**-40) + 2 * SMALLEST

    def _look_up(self, side: _Side, k: NDArray[np.int64]) -> NDArray[np.float64]:
        if k.size == 0:
            return np.zeros(0)
        low, high = int(k.min()), int(k.max())
        if high - low > 200_000:  # thresholds far apart: only those that occur
            return self._one_by_one(side, k)
        start, table = self._tables.get(side, (low, np.zeros(0)))
        if max(high + 1, start + len(table)) - min(low, start) > len(table) + 64 * k.size + 4096:
            return self._one_by_one(side, k)
        if low < start or high >= start + len(table):
            table = self._grown(side, start, table, low, high)
            start = self._tables[side][0]
        return np.asarray(table[k - start])

    def _one_by_one(self, side: _Side, k: NDArray[np.int64]) -> NDArray[np.float64]:
        values, places = np.unique(k, return_inverse=True)
        entries = np.array([self._entry(side, int(value)) for value in values])
        return np.asarray(entries[places.reshape(k.shape)])

    def _grown(self, side: _Side, start: int, table: NDArray[np.float64], low: int, high: int) -> NDArray[np.float64]:
        end = start + len(table)
        new_start, new_end = min(low, start), max(high + 1, end)
        if new_end - new_start > 1_000_000:
            new_start, new_end, start, end, table = low, high + 1, low, low, table[:0]
        before = [self._entry(side, k) for k in range(new_start, start)]
        after = [self._entry(side, k) for k in range(end, new_end)]
        grown = np.concatenate([np.array(before), table, np.array(after)])
        self._tables[side] = (new_start, grown)
        return grown

    def _entry(self, side: _Side, k: int) -> float:
        with precision(_BITS):
            return rounded(self._ball(side, k))

    def _ball(self, side: _Side, k: int) -> arb:
        if side == "at_most" and self.kind != "exponential":
            return self._ball("at_least", -k)  # both are symmetric
        if self.kind == "gaussian":
            if self._gaussian is None:
                self._gaussian = _GaussianSums(self.scale) if self.scale <= _TABULATED else _WideGaussian(self.scale**2)
            return self._gaussian.pmf(k) if side == "pmf" else self._gaussian.at_least(k)
        q = (-1 / ball(self.scale)).exp()
        if self.kind == "exponential":
            if side == "pmf":
                return (1 - q) * _power(self.scale, k) if k >= 0 else arb(0)
            if side == "at_least":
                return _power(self.scale, k) if k > 0 else arb(1)
            return 1 - _power(self.scale, k + 1) if k >= 0 else arb(0)
        if side == "pmf":
            return (1 - q) / (1 + q) * _power(self.scale, abs(k))
        # P(X >= k) = q^k/(1 + q) for k > 0, and P(X >= k) = 1 - P(X >= 1 - k) by symmetry otherwise
        return _power(self.scale, k) / (1 + q) if k > 0 else 1 - _power(self.scale, 1 - k) / (1 + q)


@lru_cache(maxsize=512)
def lattice_noise(kind: LatticeKind, scale: Fraction) -> LatticeNoise:
    """The noise of this kind whose scale is ``scale`` lattice steps."""
    return LatticeNoise(kind, scale)


def rounded(value: arb) -> float:
    """The probability as a double within :data:`ENTRY_ROUNDINGS` roundings, or 0 when it is below 2^-1000.

    The balls here keep 100 bits less a few of cancellation, and float() of a midpoint errs by one unit at most.
    """
    number = float(value.mid())
    if number < SMALLEST:
        return 0.0
    if value.rel_accuracy_bits() < 60:
        raise TooLarge("R114", "a probability of wide noise cannot be computed to 60 bits", "Use a smaller scale")
    return number


def _power(scale: Fraction, k: int) -> arb:
    return (-ball(k / scale)).exp()


class _GaussianSums:
    """Masses of the discrete Gaussian: weights e^(-k²/(2σ²)) summed far into the tail, the rest bounded."""

    def __init__(self, sigma: Fraction) -> None:
        self._variance = sigma**2
        with precision(_BITS + 40):
            # From k = m on the weights fall at least as fast as e^(-m(k-m)/σ²): a geometric bound for what is cut.
            length = isqrt(ceil(2 * self._variance * 800)) + 2  # weights below e^-800 < 2^-1100
            weights = [self._weight(k) for k in range(length + 1)]
            rest = weights[-1] / (1 - (-ball(Fraction(length) / self._variance)).exp())
            above = arb(0, rest.abs_upper())
            self._above = [above] * (length + 1)
            for k in range(length - 1, -1, -1):
                above += weights[k]
                self._above[k] = above
            self._total = 2 * self._above[0] - weights[0]
            self._length = length

    def _weight(self, k: int) -> arb:
        return (-ball(Fraction(k * k) / (2 * self._variance))).exp()

    def pmf(self, k: int) -> arb:
        return self._weight(k) / self._total

    def at_least(self, k: int) -> arb:
        if k > self._length:
            return arb(0)  # below 2^-1000: rounded() would store 0 in any case
        return self._above[k] / self._total if k >= 0 else 1 - self.at_least(1 - k)


@dataclass(frozen=True, slots=True)
class _WideGaussian:
    """Masses of a discrete Gaussian too wide to sum term by term."""

    variance: Fraction

    def pmf(self, k: int) -> arb:
        return (-ball(Fraction(k * k) / (2 * self.variance))).exp() / gaussian_masses.total(self.variance)

    def at_least(self, k: int) -> arb:
        if k * k > 1600 * self.variance:
            return arb(0)  # below 2 e^-800 [CKS20, Prop. 25]: rounded() would store 0 in any case
        if k <= 0:
            return 1 - self.at_least(1 - k)
        with precision(_BITS + 60):
            return gaussian_masses.upper_sum(self.variance, k) / gaussian_masses.total(self.variance)

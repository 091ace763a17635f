"""The weight of every state of a batch: doubles with a counted error, or exact numbers.

The one idea: weights are only ever multiplied and added and are never negative, so nothing cancels. A double that
went through m roundings is the true weight times at most (1 ± 2^-53)^±m; counting roundings is all the error analysis
there is. :class:`FloatWeights` does that for noise of infinite support; :class:`ExactWeights` holds
:class:`~lapwing.refute.exponentials.ExactProbability` objects when all randomness is finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra.balls import precision
from lapwing.refute.exponentials import ExactProbability
from lapwing.refute.noises import ENTRY_ROUNDINGS, SMALLEST, rounded

Rows = NDArray[np.int64]
#: Probability that is known to be somewhere, not where: products below 2^-1000 are dropped, fewer than 2^100 of them.
DUST = 2.0**-900


def widened(value: float, roundings: int) -> float:
    """An upper bound on a number whose double ``value`` went through ``roundings`` roundings.

    (1 - 2^-53)^-m <= 1 + m·2^-52 while m <= 2^51; the last factor pays for computing this in doubles.
    """
    return value * (1 + roundings * 2.0**-52) * (1 + 2.0**-50)


@dataclass(frozen=True, slots=True)
class FloatWeights:
    """Doubles, each the true weight times at most (1 ± 2^-53)^±roundings."""

    array: NDArray[np.float64]
    roundings: int = 0

    @classmethod
    def certain(cls) -> FloatWeights:
        """One state, with probability 1."""
        return cls(np.ones(1))

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: Rows | NDArray[np.bool_]) -> FloatWeights:
        """The weights of some rows, in the order given."""
        return FloatWeights(self.array[rows], self.roundings)

    def times(self, factors: NDArray[np.float64], roundings: int = ENTRY_ROUNDINGS) -> FloatWeights:
        """Each weight times its factor. What falls below 2^-1000 becomes 0: see DUST."""
        with np.errstate(under="ignore"):
            product = self.array * factors
        product[product < SMALLEST] = 0.0
        return FloatWeights(product, self.roundings + roundings + 1)

    def spread(self, factors: NDArray[np.float64], roundings: int = ENTRY_ROUNDINGS) -> FloatWeights:
        """Every weight times every factor, the factors of the first weight first."""
        repeated = FloatWeights(np.repeat(self.array, len(factors)), self.roundings)
        return repeated.times(np.tile(factors, len(self.array)), roundings)

    def spread_exact(self, factors: Sequence[ExactProbability]) -> FloatWeights:
        """As :meth:`spread`, by exact probabilities rounded once."""
        with precision(100):
            return self.spread(np.array([rounded(factor.to_ball()) for factor in factors]))

    def summed(self, order: Rows, starts: Rows) -> FloatWeights:
        """Sums of consecutive groups of the rows in ``order``; a sum of m numbers rounds m - 1 times, in any order."""
        longest = int(np.diff(np.append(starts, len(order))).max(initial=1))
        return FloatWeights(np.add.reduceat(self.array[order], starts), self.roundings + longest - 1)

    @staticmethod
    def joined(parts: Sequence[FloatWeights]) -> FloatWeights:
        """All weights, one part after the other."""
        return FloatWeights(np.concatenate([part.array for part in parts]), max(part.roundings for part in parts))

    def present(self) -> NDArray[np.bool_]:
        """Which rows are not 0."""
        return np.asarray(self.array > 0)

    def total(self) -> float:
        """An upper bound on the sum of all weights."""
        return widened(float(self.array.sum()), self.roundings + len(self.array))


@dataclass(frozen=True, slots=True)
class ExactWeights:
    """Exact probabilities, as Python objects in an array."""

    array: NDArray[np.object_]

    @classmethod
    def certain(cls) -> ExactWeights:
        """One state, with probability 1."""
        return cls(_objects([ExactProbability.rational(1)]))

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: Rows | NDArray[np.bool_]) -> ExactWeights:
        """The weights of some rows, in the order given."""
        return ExactWeights(self.array[rows])

    def spread_exact(self, factors: Sequence[ExactProbability]) -> ExactWeights:
        """Every weight times every factor, the factors of the first weight first."""
        return ExactWeights(_objects([weight * factor for weight in self.array for factor in factors]))

    def summed(self, order: Rows, starts: Rows) -> ExactWeights:
        """Sums of consecutive groups of the rows in ``order``."""
        return ExactWeights(np.add.reduceat(self.array[order], starts))

    @staticmethod
    def joined(parts: Sequence[ExactWeights]) -> ExactWeights:
        """All weights, one part after the other."""
        return ExactWeights(np.concatenate([part.array for part in parts]))

    def present(self) -> NDArray[np.bool_]:
        """Which rows are not 0."""
        return np.array([not weight.is_zero for weight in self.array], dtype=bool)


Weights = FloatWeights | ExactWeights


def _objects(items: list[ExactProbability]) -> NDArray[np.object_]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array

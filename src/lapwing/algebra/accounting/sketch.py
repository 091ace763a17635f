"""A rough drawing of a privacy loss in floats, to decide where a precise one must be fine.

The one idea: at a target δ, what matters of the loss L is its *tilted* law, with probabilities multiplied by
e^(λL): λ is the exponent whose Rényi bound on the total loss is best, and an error of the grid counts by
how much it adds to the tilted variance. A poor sketch makes a bound loose; it cannot make it wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TILTS = np.geomspace(1e-6, 1e7, 400)


@dataclass(frozen=True, slots=True)
class Sketch:
    """Losses and their approximate probabilities."""

    losses: NDArray[np.float64]
    masses: NDArray[np.float64]

    def log_moment(self, tilt: float) -> float:
        """The logarithm of E[e^(λL)]."""
        exponents = self._logs() + tilt * self.losses
        top = float(np.max(exponents))
        return top + float(np.log(np.sum(np.exp(exponents - top))))

    def tilted_variance(self, tilt: float) -> float:
        """The variance of L under the tilted law, or a small share of its range if that is more."""
        exponents = self._logs() + tilt * self.losses
        weights = np.exp(exponents - np.max(exponents))
        weights /= np.sum(weights)
        mean = float(np.sum(weights * self.losses))
        spread = float(np.sum(weights * (self.losses - mean) ** 2))
        return max(spread, 1e-6 * float(np.max(np.abs(self.losses))) ** 2, 1e-300)

    def _logs(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.masses)


def best_tilt(counts: Sequence[int], sketches: Sequence[Sketch], log_delta: float) -> float:
    """The λ at which the Rényi bound on the total loss, at order 1 + λ, is least [CKS20 Prop 12]."""
    bounds = [
        (sum(count * one.log_moment(tilt) for count, one in zip(counts, sketches, strict=True)) - log_delta) / tilt
        - np.log1p(tilt) / tilt
        - np.log1p(1 / tilt)
        for tilt in _TILTS
    ]
    return float(_TILTS[int(np.argmin(bounds))])

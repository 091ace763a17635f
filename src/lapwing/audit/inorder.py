"""Whether what was bet on came in the order of chance: runs that follow one another must not know of each other.

The one idea: the bets are fair if each pair of runs is a fresh draw, whatever came before. A batch that has one noise
for all its answers, a cache that lasts for some calls, or noise that is dealt out in turn breaks that without changing
any rate. It shows in the order: the event is too often, or too seldom, where it was just before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: How far back is looked; standard errors that are no chance; occurrences before they mean anything.
LAGS, FAR, _RARE = (1, 2, 3, 4, 8, 16), 9.0, 50.0


@dataclass(slots=True)
class Order:
    """An event on one side, run after run: how often it came together with itself some runs before."""

    runs: int = 0
    hits: int = 0
    together: dict[int, int] = field(default_factory=lambda: dict.fromkeys(LAGS, 0))
    compared: dict[int, int] = field(default_factory=lambda: dict.fromkeys(LAGS, 0))
    _tail: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def see(self, event: NDArray[np.bool_]) -> None:
        """The next runs, in their order."""
        row = np.concatenate([self._tail, event])
        for lag in LAGS:
            start = max(lag, len(self._tail))  # where the later of two runs is new
            if start < len(row):
                self.together[lag] += int((row[start:] & row[start - lag : len(row) - lag]).sum())
                self.compared[lag] += len(row) - start
        self.runs += len(event)
        self.hits += int(event.sum())
        self._tail = row[-max(LAGS) :]

    def is_by_chance(self) -> bool:
        """Whether no lag is far from what independent runs would show."""
        rate = self.hits / max(1, self.runs)
        spread = rate * (1 - rate)
        if self.runs * spread < _RARE:
            return True
        return all(
            abs(self.together[lag] / n - rate * rate) <= FAR * spread / math.sqrt(n)
            for lag, n in self.compared.items()
            if n * spread >= _RARE
        )

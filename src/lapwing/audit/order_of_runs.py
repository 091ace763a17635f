"""Whether what was bet on came in the order of chance: runs that follow one another must not know of each other.

The one idea: the bets are fair if each pair of runs is a fresh draw, whatever came before. A batch that has one noise
for all its answers, a cache that lasts for some calls, or noise that is dealt out in turn breaks that without changing
any rate. It shows in the order: the event is too often, or too seldom, where it was some runs before; or the same
answer follows itself too often, as it does where noise is kept for a while or follows from the time of day.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.answer_counts import whole_keys
from lapwing.audit.seen_answers import Batch

#: Runs that are remembered; standard errors that are no chance; occurrences before they mean anything.
MOST, FAR, _RARE = 1 << 16, 9.0, 50.0
#: Coincidences at one distance that are few, and how many more are still chance then.
_FEW, _HANDFUL = 25.0, 40.0
#: Stretches of equal answers that are missing, or too many, without meaning anything.
_LITTLE = 15.0


@dataclass(slots=True)
class Order:
    """An event on one side, run after run."""

    runs: int = 0
    _seen: list[NDArray[np.bool_]] = field(default_factory=list)

    def see(self, event: NDArray[np.bool_]) -> None:
        """The next runs, in their order."""
        if self.runs < MOST:
            self._seen.append(event[: MOST - self.runs])
            self.runs += len(self._seen[-1])

    def is_by_chance(self) -> bool:
        """Whether the event is related to itself at no distance, by more than independent runs would be."""
        if not self.runs:
            return True
        row = np.concatenate(self._seen).astype(np.float64)
        n, rate = len(row), float(row.mean())
        spread = rate * (1 - rate)
        if n * spread < _RARE:
            return True
        spectrum = np.fft.rfft(row - rate, 2 * n)
        related = np.fft.irfft(np.abs(spectrum) ** 2)[1 : n // 2 + 1]  # at distances 1, 2, ... : sums of products
        compared = n - np.arange(1, n // 2 + 1)
        # where coincidences are few, they are no normal numbers: among so many distances a handful comes by chance
        handful = _HANDFUL if n * min(rate, 1 - rate) ** 2 < _FEW else 0.0
        return bool((np.abs(related) <= FAR * spread * np.sqrt(compared) + handful).all())


@dataclass(slots=True)
class Stretches:
    """The answers on one side, run after run, each as a number that stands for it."""

    runs: int = 0
    _seen: list[NDArray[np.uint64]] = field(default_factory=list)

    def see(self, batch: Batch) -> None:
        """The next answers, in their order."""
        if self.runs < MOST:
            some = batch.take(slice(0, MOST - self.runs))
            self._seen.append(whole_keys(some))
            self.runs += len(some)

    def are_by_chance(self) -> bool:
        """Whether answers follow themselves as often as they would in another order (Wald and Wolfowitz's test)."""
        if self.runs < 2:
            return True
        row = np.concatenate(self._seen)
        counts = np.unique(row, return_counts=True)[1].astype(np.float64)
        n, squares, cubes = float(len(row)), float((counts**2).sum()), float((counts**3).sum())
        expected = n + 1 - squares / n
        spread = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n * n * (n - 1))
        stretches = 1 + int((row[1:] != row[:-1]).sum())
        return abs(stretches - expected) <= FAR * float(np.sqrt(max(spread, 0.0))) + _LITTLE

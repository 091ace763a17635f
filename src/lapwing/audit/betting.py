"""How much to stake: the growth of money that bets against a claim, and the accounts that do the betting.

The one idea: the stake that makes money grow fastest in the long run (Kelly's) is the one that maximises the expected
logarithm of a factor. It is estimated from earlier pairs only, so the proof in :mod:`lapwing.audit.recheck` covers it;
a bad estimate costs power, never validity. Most of the money bets against the claim itself, the rest against levels
above and below it, so that the bound says more than yes or no.

This file computes in ordinary floats. What it says is a guess until ``recheck`` has computed it again.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.finding import BOLDNESS, Chunk

Floats = NDArray[np.float64]

_BOLDNESS = float(BOLDNESS)
#: Money that bets against the claim; each set of levels beside it gets a part of the rest.
AGAINST_THE_CLAIM = Fraction(3, 4)
#: The same where the largest bound is wanted, whatever the claim.
WHEN_SQUEEZING = Fraction(1, 4)
SETS = 8
_HALVINGS = 45
#: Stakes below this win nothing in any number of pairs that could ever be drawn.
_NOTHING = 1e-25
#: Levels at which whoever watches is told of the bound so far: as parts of the claim, or of a small number.
_AROUND, _SMALL = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0), 0.1
#: Levels above this are as good as infinite: nobody draws e^200 pairs.
HIGHEST = 200.0


@dataclass(frozen=True, slots=True)
class Rates:
    """How often an event is thought to happen where it is likelier, and on the other side; and how sure that is."""

    often: float
    seldom: float
    weight: float


def growth(
    often: Floats, seldom: Floats, odds: Floats, delta: float, halvings: int = _HALVINGS
) -> tuple[Floats, Floats]:
    """The best stakes and the growth they promise, for events of these rates (arrays of one shape, or scalars)."""
    p, q, odds = (np.asarray(each, dtype=float) for each in (often, seldom, odds))
    cells = (
        (p * q, 1 - odds - delta),
        (p * (1 - q), 1 - delta + 0 * odds),
        ((1 - p) * q, -odds - delta),
        ((1 - p) * (1 - q), -delta + 0 * odds),
    )
    low, high = (
        np.zeros(np.broadcast(p, odds).shape),
        _BOLDNESS / (odds + delta) + np.zeros(np.broadcast(p, odds).shape),
    )
    top = high.copy()
    for _ in range(halvings):
        middle = (low + high) / 2
        slope = sum(share * win / (1 + middle * win) for share, win in cells)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    stake = np.where(high >= top, top, low)
    gain = sum(share * np.log1p(stake * win) for share, win in cells)
    return stake, np.where(gain > 0, gain, 0.0)


@dataclass(slots=True)
class Accounts:
    """The money: one account per level that is bet against, opened before a chunk and never refilled."""

    delta: float
    first: list[Fraction] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    sets: int = 0

    def open(self, levels: Sequence[float], money: Fraction) -> None:
        """Split an amount evenly over new accounts; all amounts together must not pass 1."""
        self.first += [money / len(levels)] * len(levels)
        self.levels += levels
        if sum(self.first) > 1:
            raise AssertionError("more money was bet than there was")

    def open_set(self, levels: Sequence[float]) -> None:
        """Accounts for levels beside the claim, which was opened first, as long as there is money for them."""
        if self.sets < SETS and levels:
            self.open(levels, (1 - self.first[0]) / SETS)
            self.sets += 1

    def retarget(self, levels: Sequence[float]) -> None:
        """All the money beside the claim's against these levels: opened once, and aimed anew after that."""
        if levels and not self.sets:
            self.open(levels, 1 - self.first[0])
            self.sets = SETS
        elif levels:
            self.levels[1:] = levels

    def stakes(self, rates: Rates) -> tuple[Fraction, ...]:
        """Each account's stake: short decimals, rounded down, so that evidence stays small and exact."""
        odds = np.exp(np.array(self.levels))
        best, gain = growth(np.array(rates.often), np.array(rates.seldom), odds, self.delta)
        return tuple(_short(stake) if promised > 0 else Fraction(0) for stake, promised in zip(best, gain, strict=True))


def _short(stake: float) -> Fraction:
    """A stake with four digits, rounded down."""
    if stake < _NOTHING or not math.isfinite(stake):
        return Fraction(0)
    unit = 10.0 ** (3 - math.floor(math.log10(stake)))
    return Fraction(math.floor(stake * unit)) / Fraction(round(unit)) if unit >= 1 else Fraction(math.floor(stake))


@dataclass(slots=True)
class Tally:
    """The wealth at one level, kept up to date chunk by chunk; ``peak`` is the largest logarithm so far."""

    level: float
    delta: float
    gains: list[float] = field(default_factory=list)
    peak: float = 0.0

    def settle(self, chunk: Chunk, first: Sequence[Fraction]) -> None:
        """Add what a chunk won or lost; an account that staked too much for this level is emptied."""
        odds = math.exp(self.level)
        self.gains += [0.0] * (len(first) - len(self.gains))
        for number, exact_stake in enumerate(chunk.stakes):
            stake = float(exact_stake)
            if stake * (odds + self.delta) >= 1:
                self.gains[number] = -math.inf
            elif stake > 0:
                self.gains[number] += (
                    chunk.both * math.log1p(stake * (1 - odds - self.delta))
                    + chunk.likelier * math.log1p(stake * (1 - self.delta))
                    + chunk.other * math.log1p(-stake * (odds + self.delta))
                    + chunk.neither * math.log1p(-stake * self.delta)
                )
        logs = [math.log(money) + gain for money, gain in zip(first, self.gains, strict=True)]
        top = max(logs)
        if top > -math.inf:
            self.peak = max(self.peak, top + math.log(sum(math.exp(each - top) for each in logs)))


def bound_so_far(chunks: Sequence[Chunk], first: Sequence[Fraction], epsilon: float, delta: float, bar: float) -> float:
    """The highest of some levels around the claim that is rejected, in floats: for whoever watches."""

    def is_rejected(part: float) -> bool:
        tally = Tally(part * max(epsilon, _SMALL), delta)
        for chunk in chunks:
            tally.settle(chunk, first)
        return tally.peak >= bar

    rejected = bisect_left(_AROUND, True, key=lambda part: not is_rejected(part))  # these form an interval from 0 up
    return _AROUND[rejected - 1] * max(epsilon, _SMALL) if rejected else 0.0


def pairs_needed(level: float, delta: float, alpha: float, money: Fraction = AGAINST_THE_CLAIM) -> int:
    """So many pairs could have rejected a level (of at most HIGHEST) at best."""
    bar = math.log(1 / alpha) - math.log(float(money))
    return math.ceil(bar / math.log1p(_BOLDNESS * (1 - delta) / (math.exp(level) + delta)))

"""Permute-and-flip: a private choice that is never worse than the exponential mechanism [MS20].

The one idea: visiting candidates in random order and stopping at the first whose coin, of bias e^((score-best)/scale),
shows heads is the same as flipping all coins at once and choosing evenly among the heads. The best one's coin
always shows heads, so someone is chosen; and the work does not depend on the order or on who wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_poly

from lapwing.algebra import parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import Distance
from lapwing.noise.bernoulli import bernoulli_exp_each
from lapwing.noise.exponential import score_movement
from lapwing.noise.exponents import Scores, below_best
from lapwing.noise.hidden_distances import to_hide
from lapwing.noise.source import SECURE, Source
from lapwing.noise.uniform import uniform


def permute_and_flip(scores: Scores, scale: Number, source: Source = SECURE) -> int:
    """One index, with exactly the distribution of permute-and-flip at this scale."""
    heads = bernoulli_exp_each(below_best(scores, parameters.scale(scale)), source)
    return int(np.flatnonzero(heads)[uniform(int(heads.sum()), source=source)])


@dataclass(frozen=True, slots=True, init=False)
class PermuteAndFlip:
    """Chooses the index of a high score by permute-and-flip."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", parameters.scale(scale))

    @classmethod
    def for_epsilon(cls, epsilon: Number, distance: Distance, *, monotone: bool = False) -> PermuteAndFlip:
        """The mechanism whose claim at ``distance`` is exactly ``epsilon``."""
        return cls(to_hide(score_movement(distance, monotone=monotone)) / parameters.epsilon(epsilon))

    def choose(self, scores: Scores) -> int:
        """An index; which scores are high is private, how many there are is not."""
        return permute_and_flip(scores, self.scale)

    def claim(self, distance: Distance, *, monotone: bool = False) -> PureDP:
        """2Δ/scale-DP when every score moves by at most Δ; Δ/scale when all move the same way [MS20].

        It is report-noisy-max with one-sided exponential noise [DKX21]: raising the winner's own noise by how far
        its lead can shrink keeps it the winner, and costs a factor e^(shrinkage/scale).
        """
        return PureDP(score_movement(distance, monotone=monotone) / self.scale)

    def zcdp_claim(self, distance: Distance, *, monotone: bool = False) -> ZCDP:
        """ε²/2-zCDP from ε-DP [BS16, Prop. 1.4]. Not ε²/8: its loss can span nearly 2ε, it has no bounded range."""
        return ZCDP(self.claim(distance, monotone=monotone).epsilon ** 2 / 2)

    def pmf(self, scores: Scores) -> list[Interval]:
        """The probability of each index: p_i · E[1/(1 + heads among the others)]."""
        return below_best(scores, self.scale).enclose_each(_chance)


def _chance(coins: list[arb], index: int) -> arb:
    others = arb_poly([1])  # coefficient h is the probability of h heads among the others
    for other, coin in enumerate(coins):
        if other != index:
            others *= arb_poly([1 - coin, coin])
    return coins[index] * sum((others[heads] / (heads + 1) for heads in range(len(coins))), arb(0))

"""The exponential mechanism: a private choice, index i with probability ∝ exp(score_i/scale) [MT07].

The one idea: what matters is how far two scores can move *against each other*. That span over the scale bounds the
range of the privacy loss, which gives both the pure bound and, because the range is bounded, a zCDP bound four
times smaller than a pure bound alone would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import Distance, Linf
from lapwing.errors import InvalidInput
from lapwing.noise.categorical import Copies, categorical, probabilities
from lapwing.noise.exponents import Scores
from lapwing.noise.hidden_distances import to_hide


@dataclass(frozen=True, slots=True, init=False)
class Exponential:
    """Chooses the index of a high score by the exponential mechanism."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", parameters.scale(scale))

    @classmethod
    def for_epsilon(cls, epsilon: Number, distance: Distance, *, monotone: bool = False) -> Exponential:
        """The mechanism whose claim at ``distance`` is exactly ``epsilon``."""
        return cls(to_hide(score_movement(distance, monotone=monotone)) / parameters.epsilon(epsilon))

    def choose(self, scores: Scores, times: Copies | None = None) -> int:
        """An index; which scores are high is private, how many there are is not.

        With ``times`` index i stands for so many candidates of one score. The mechanism is that over all candidates.
        """
        return categorical(scores, self.scale, times=times)

    def claim(self, distance: Distance, *, monotone: bool = False) -> PureDP:
        """2Δ/scale-DP when every score moves by at most Δ [MT07]; see :func:`score_movement` for ``monotone``.

        Because the loss at i is (score_i - score'_i)/scale plus a constant, its values span at most that movement over
        the scale, and losses of two distributions are never all positive or all negative.
        """
        return PureDP(score_movement(distance, monotone=monotone) / self.scale)

    def zcdp_claim(self, distance: Distance, *, monotone: bool = False) -> ZCDP:
        """η²/8-zCDP because the values of the loss L span at most η, the bound of :meth:`claim` [DDR20, CR21].

        Let ψ(s) = ln E[e^(sL)] under the second distribution. ψ(0) = ψ(1) = 0, and ψ'' <= η²/4, being a variance over a
        span of η; so ψ(α) <= α(α - 1)η²/8 by the error of linear interpolation, and D_α = ψ(α)/(α - 1).
        """
        return ZCDP(self.claim(distance, monotone=monotone).epsilon ** 2 / 8)

    def pmf(self, scores: Scores) -> list[Interval]:
        """The probability of each index, enclosed."""
        return probabilities(scores, self.scale)


def score_movement(distance: Distance, *, monotone: bool) -> Fraction:
    """How far two scores can move against each other when each moves by at most Δ (an L∞ distance).

    2Δ in general: one rises while another falls. Δ when the scores are ``monotone``: between any two neighbours, all
    of them move in the same direction or stand still, as counts do when a row is added. When a row is *changed*,
    counts are not monotone: one falls while another rises.
    """
    if not isinstance(distance, Linf):
        raise InvalidInput(
            "N230",
            f"the distance of the scores is given as {type(distance).__name__}",
            "Give Linf(...): the most that a single score can change",
        )
    return distance.bound if monotone else 2 * distance.bound

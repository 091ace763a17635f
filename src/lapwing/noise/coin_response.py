"""Randomized response with a coin: answer truthfully with a known probability, else answer as a coin falls [War65].

The one idea: the two answers need not be equally private. A coin that falls on "yes" more often hides "yes" better
than "no", and the claim is the worst over both answers and both truths. With two fair coins it is ln 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput
from lapwing.noise.arrays import is_array
from lapwing.noise.bernoulli import bernoulli
from lapwing.noise.local_estimates import Estimate
from lapwing.noise.response_matrix import Codes, pure_claim, report_counts, to_codes, worst_ratio


@dataclass(frozen=True, slots=True, init=False)
class CoinResponse:
    """Answers the truth (0 or 1) with probability ``truth``, else 1 with probability ``yes`` and 0 otherwise.

    ``CoinResponse(p)`` uses one coin for both, as RandResp(p) does. The claim is about one unit's answer *changed*.
    """

    truth: Fraction
    yes: Fraction

    def __init__(self, truth: Number, yes: Number | None = None) -> None:
        object.__setattr__(self, "truth", parameters.probability(truth, "truth"))
        object.__setattr__(self, "yes", self.truth if yes is None else parameters.probability(yes, "yes"))

    @property
    def loss_ratio(self) -> Fraction | None:
        """The largest ratio of an answer's probabilities under the two truths, e^ε; None when it is infinite."""
        return worst_ratio([[self.pmf(answer, value) for answer in (0, 1)] for value in (0, 1)])

    def claim(self, changed: SupportsIndex = 1) -> PureDP:
        """ε-DP because either answer is at most e^ε times as likely under one truth as under the other.

        ``changed`` is how many of the answers one unit gives; their ratios multiply.
        """
        return pure_claim(self.loss_ratio, parameters.whole(changed, "changed", 0))

    @overload
    def release(self, values: int | np.integer[Any]) -> int: ...
    @overload
    def release(self, values: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> NDArray[np.int64]: ...
    def release(self, values: Codes) -> int | NDArray[np.int64]:
        """An answer for each value. A value below 0 is read as 0, one above 1 as 1."""
        known = to_codes(values, 2)
        honest = bernoulli(self.truth, known.size).reshape(known.shape)
        thrown = bernoulli(self.yes, known.size).reshape(known.shape)
        answers = np.where(honest, known, thrown)
        return answers if is_array(values) else int(answers)

    def pmf(self, answer: SupportsIndex, value: SupportsIndex) -> Fraction:
        """P(answer | value)."""
        given, known = _binary(answer, "answer"), _binary(value, "value")
        return self.truth * (given == known) + (1 - self.truth) * (self.yes if given else 1 - self.yes)

    def estimate(self, answers: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Estimate:
        """The unbiased count of true 1s behind ``answers``; the variance is that at the estimated count."""
        self._must_inform()
        zeros, ones = report_counts(answers, 2)
        count = (ones - (zeros + ones) * self.pmf(1, 0)) / self.truth
        likely = min(max(round(count), 0), zeros + ones)
        return Estimate(Interval.point(count), self.variance(likely, zeros + ones))

    def variance(self, count: SupportsIndex, total: SupportsIndex) -> Interval:
        """The exact variance of an estimated count when ``count`` of ``total`` units are truly 1."""
        self._must_inform()
        ones = parameters.whole(count, "count", 0)
        zeros = parameters.whole(total, "total", ones) - ones
        spread = ones * self.pmf(1, 1) * self.pmf(0, 1) + zeros * self.pmf(1, 0) * self.pmf(0, 0)
        return Interval.point(spread / self.truth**2)

    def _must_inform(self) -> None:
        if self.truth == 0:
            raise InvalidInput("N245", "with truth = 0 every answer is a coin's", "Use a probability above 0")


def _binary(value: SupportsIndex, name: str) -> int:
    code = parameters.whole(value, name, 0)
    if code > 1:
        raise InvalidInput("N246", f"{name} is {code}, not an answer", "Give 0 or 1")
    return code

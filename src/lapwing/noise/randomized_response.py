"""Randomized response over k categories: tell the truth with a known probability, else one of the k-1 lies evenly.

The one idea: every report is private before anyone sees it, and because the odds of a lie are known, counts over
many reports can be corrected exactly [War65, KBR16]. A lie is never the truth: drawing it from all k values would
make the odds, and so the claim, wrong by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls, parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput
from lapwing.noise.arrays import is_array
from lapwing.noise.bernoulli import coin
from lapwing.noise.local_estimates import Estimate
from lapwing.noise.response_matrix import Codes, pure_claim, report_counts, to_codes, worst_ratio
from lapwing.noise.uniform import uniform

MAX_CATEGORIES = 1 << 31


@dataclass(frozen=True, slots=True)
class Odds:
    """The truth is e^epsilon times as likely as any one lie: an irrational probability, kept exactly."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parameters.epsilon(self.epsilon))


@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponse:
    """Reports the true category with probability ``keep``, else one of the others, each equally likely.

    The claim is about one unit's value *changed*: how many reports there are is not hidden.
    """

    keep: Fraction | Odds
    categories: int

    def __init__(self, keep: Number | Odds, categories: SupportsIndex = 2) -> None:
        count = parameters.whole(categories, "categories", 2)
        if count > MAX_CATEGORIES:
            raise InvalidInput(
                "N243", f"there are {count} categories, above 2^31", "Use Rappor for open sets of values"
            )
        object.__setattr__(self, "keep", keep if isinstance(keep, Odds) else parameters.probability(keep, "keep"))
        object.__setattr__(self, "categories", count)

    @classmethod
    def for_epsilon(cls, epsilon: Number, categories: SupportsIndex = 2) -> RandomizedResponse:
        """The most truthful mechanism whose claim is exactly ``epsilon`` [KBR16]: keep = e^ε/(e^ε + k - 1)."""
        return cls(Odds(parameters.epsilon(epsilon)), categories)

    @property
    def loss_ratio(self) -> Fraction | None:
        """The largest ratio of a report's probabilities under two true values, e^ε; None when it is infinite.

        A mechanism made by :meth:`for_epsilon` has an irrational ratio, and refuses.
        """
        if isinstance(self.keep, Odds):
            raise InvalidInput(
                "N244", f"the ratio is e^({self.keep.epsilon}), which is irrational", "Ask for claim(), which is exact"
            )
        lie = (1 - self.keep) / (self.categories - 1)
        if self.categories == 2:
            return worst_ratio([[self.keep, lie], [lie, self.keep]])
        return worst_ratio([[self.keep, lie, lie], [lie, self.keep, lie]])  # other rows only repeat these columns

    def claim(self, changed: SupportsIndex = 1) -> PureDP:
        """ε-DP because any report is at most e^ε times as likely under one true value as under another.

        ``changed`` is how many of the values one unit owns; their ratios multiply.
        """
        if isinstance(self.keep, Odds):
            return PureDP(parameters.whole(changed, "changed", 0) * self.keep.epsilon)
        return pure_claim(self.loss_ratio, parameters.whole(changed, "changed", 0))

    @overload
    def release(self, values: int | np.integer[Any]) -> int: ...
    @overload
    def release(self, values: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> NDArray[np.int64]: ...
    def release(self, values: Codes) -> int | NDArray[np.int64]:
        """A report for each value. A code out of range is read as the nearest one in range."""
        truth = to_codes(values, self.categories)
        lies = uniform(self.categories - 1, truth.size).reshape(truth.shape)
        lies += lies >= truth  # skips the truth: 0..k-2 becomes the k-1 other codes
        reports = np.where(coin(self._keep, truth.size).reshape(truth.shape), truth, lies)
        return reports if is_array(values) else int(reports)

    def pmf(self, report: SupportsIndex, value: SupportsIndex) -> Interval:
        """P(report | value), exact when ``keep`` is rational."""
        same = self._code(report, "report") == self._code(value, "value")
        return self._enclose(lambda keep: keep if same else (1 - keep) / (self.categories - 1))

    def estimate(self, reports: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> list[Estimate]:
        """Unbiased counts of the true values behind ``reports``, one for each category.

        The variance is that of :meth:`variance` at the estimated count, brought into 0..n.
        """
        counts = report_counts(reports, self.categories)
        total = sum(counts)
        estimates = []
        for seen in counts:
            count = self._corrected(seen, total)
            likely = min(max(round(count.lower), 0), total)
            estimates.append(Estimate(count, self.variance(likely, total)))
        return estimates

    def variance(self, count: SupportsIndex, total: SupportsIndex) -> Interval:
        """The exact variance of an estimated count when ``count`` of ``total`` units truly have the category."""
        having = parameters.whole(count, "count", 0)
        others = parameters.whole(total, "total", having) - having
        self._must_inform()

        def spread(keep: Any) -> Any:  # noqa: ANN401  # a Fraction or a ball, by which probability is known
            lie = (1 - keep) / (self.categories - 1)
            return (having * keep * (1 - keep) + others * lie * (1 - lie)) / (keep - lie) ** 2

        return self._enclose(spread)

    def _corrected(self, seen: int, total: int) -> Interval:
        """(seen - total·lie)/(keep - lie), whose mean is the true count."""
        self._must_inform()

        def correct(keep: Any) -> Any:  # noqa: ANN401  # as above
            lie = (1 - keep) / (self.categories - 1)
            return (seen - total * lie) / (keep - lie)

        return self._enclose(correct)

    def _must_inform(self) -> None:
        if self.keep == Fraction(1, self.categories):
            raise InvalidInput(
                "N245",
                f"with keep = {self.keep} every report is even, whatever the truth",
                "Keep with another probability",
            )

    def _keep(self) -> arb:
        if isinstance(self.keep, Odds):
            return 1 / (1 + (self.categories - 1) * (-balls.ball(self.keep.epsilon)).exp())
        return balls.ball(self.keep)

    def _enclose(self, formula: Any) -> Interval:  # noqa: ANN401  # a formula for Fractions and balls alike
        if isinstance(self.keep, Odds):
            return balls.enclose(lambda: formula(self._keep()))
        return Interval.point(formula(self.keep))

    def _code(self, value: SupportsIndex, name: str) -> int:
        code = parameters.whole(value, name, 0)
        if code >= self.categories:
            raise InvalidInput("N246", f"{name} is {code}, not a category", f"Give 0 to {self.categories - 1}")
        return code

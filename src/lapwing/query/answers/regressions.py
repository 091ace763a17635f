"""Covariance, correlation and straight lines, from noisy sums of deviations from the middles of two ranges.

The one idea: with u and v the deviations, n rows and noisy sums, cov = Σuv/n - ΣuΣv/n², and so on. The ± is that of
replays; without them nothing but what is possible is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.plan import Measurement, Statistic

_POSSIBLE = {Statistic.CORRELATION: (-1.0, 1.0), Statistic.DETERMINATION: (0.0, 1.0)}


def regression(statistic: Statistic, parts: Sequence[Cells], plans: Sequence[Measurement]) -> Cells:
    """The statistic of y and x from (product, total of y, total of x, rows, squares of x, squares of y)."""
    product, total_y, total_x, rows, *squares = parts
    size = np.maximum(rows.numbers, 1.0)
    mean_y, mean_x = total_y.numbers / size, total_x.numbers / size
    covariance = product.numbers / size - mean_y * mean_x
    spread = [np.maximum(_variance(cells, plan, size, mean), 0.0) for cells, plan, mean in zip(
        squares, plans[4:], (mean_x, mean_y), strict=False
    )]  # fmt: skip
    known = rows.numbers > 0
    match statistic:
        case Statistic.COVARIANCE:
            values = covariance
        case Statistic.SLOPE | Statistic.INTERCEPT:
            known = known & (spread[0] > 0)
            values = covariance / np.where(spread[0] > 0, spread[0], 1.0)
            if statistic is Statistic.INTERCEPT:
                values = mean_y + _middle(plans[1]) - values * (mean_x + _middle(plans[2]))
        case _:
            both = np.sqrt(spread[0] * spread[1])
            known = known & (both > 0)
            values = np.clip(covariance / np.where(both > 0, both, 1.0), -1.0, 1.0)
            values = values**2 if statistic is Statistic.DETERMINATION else values
    low, high = _POSSIBLE.get(statistic, (-np.inf, np.inf))
    exact = rows.low is not None and bool(np.all(rows.lows == rows.highs))  # a replay: points, not intervals
    ends = (np.where(known, values, low), np.where(known, values, high))
    if not exact:
        ends = (np.full(len(values), low), np.full(len(values), high))
    return Cells(np.where(known, values, 0.0), ~known, *ends)


def _variance(squares: Cells, plan: Measurement, size: Floats, mean: Floats) -> Floats:
    lost = float((2**plan.shift - 1) * plan.step**2 / 2)  # what a square lost on average where it was rounded down
    found: Floats = squares.numbers / size + lost - mean**2
    return found


def _middle(plan: Measurement) -> float:
    return float(plan.centre * Fraction(plan.step))

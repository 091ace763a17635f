"""The statistics an analyst asks for, from noisy measurements, each with its interval.

The one idea: a mean is a quotient of two noisy numbers, a variance a difference of two quotients; their intervals
follow from those of the measurements, and what is known in public (a mean lies in its range) narrows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.plan import Measurement, Statistic

#: Larger numbers stay real: they have no room in 64 bits.
_WIDEST = 2.0**62


def count(rows: Cells, measurement: Measurement) -> Cells:
    """People are counted in whole numbers. Noise may leave fractions, and so may weights, where the true count has too.

    Rounding them off moves a count by a half; ends that a whole number lies between are whole numbers.
    """
    if rows.values.dtype.kind == "i":
        return rows
    values = np.rint(rows.numbers).astype(np.int64)
    low, high = rows.lows, rows.highs
    if measurement.weight_steps == 1:
        slack = 1e-9 * (1 + np.abs(rows.numbers))
        low, high = np.ceil(low - slack), np.floor(high + slack)
    return Cells(values, rows.missing, np.minimum(low, values), np.maximum(high, values))


def total(sums: Cells, measurement: Measurement) -> Cells:
    """The sum; a whole number when everything that was added is."""
    whole = measurement.weight_steps == 1 and measurement.step.denominator == 1 and sums.values.dtype.kind == "f"
    if whole and bool(np.all(np.abs(sums.values) < _WIDEST)):
        return Cells(np.rint(sums.values).astype(np.int64), sums.missing, sums.low, sums.high)
    return sums


def mean(sums: Cells, rows: Cells, measurement: Measurement) -> Cells:
    """Σ(x - c)/n + c, kept to the range of x; where n may be 0 nothing but the range is known."""
    low, high, centre = _range(measurement)
    size = np.maximum(rows.numbers, 1.0)
    value = np.clip(sums.numbers / size + centre, low, high)
    if sums.pointed and rows.pointed and bool(np.all(rows.numbers >= 1)):  # replays, far from where it turns
        return Cells(value, rows.missing | sums.missing, value, value)
    bottom, top = _quotient(sums, rows)
    unknown = rows.lows <= 0
    bottom = np.where(unknown, low, np.clip(bottom + centre, low, high))
    top = np.where(unknown, high, np.clip(top + centre, low, high))
    return Cells(value, rows.missing | sums.missing, np.minimum(bottom, value), np.maximum(top, value))


def variance(squares: Cells, sums: Cells, rows: Cells, parts: Sequence[Measurement]) -> Cells:
    """Σ(x - c)²/n - (Σ(x - c)/n)²; it lies between 0 and the square of half the range."""
    low, high, _ = _range(parts[0])
    largest = ((high - low) / 2) ** 2
    size = np.maximum(rows.numbers, 1.0)
    deviation = sums.numbers / size
    lost = _lost(parts[0])
    value = np.clip(squares.numbers / size + lost - deviation**2, 0.0, largest)
    square_low, square_high = (end + lost for end in _quotient(squares, rows))
    mean_low, mean_high = _quotient(sums, rows)
    crosses = (mean_low <= 0) & (mean_high >= 0)
    least = np.where(crosses, 0.0, np.minimum(mean_low**2, mean_high**2))
    unknown = rows.lows <= 0
    bottom = np.where(unknown, 0.0, np.clip(square_low - np.maximum(mean_low**2, mean_high**2), 0.0, largest))
    top = np.where(unknown, largest, np.clip(square_high - least, 0.0, largest))
    return Cells(value, rows.missing | sums.missing, np.minimum(bottom, value), np.maximum(top, value))


def deviation(variances: Cells) -> Cells:
    """The square root of a variance."""
    return Cells(np.sqrt(variances.numbers), variances.missing, np.sqrt(variances.lows), np.sqrt(variances.highs))


def possible(statistic: Statistic, measurement: Measurement) -> tuple[float, float]:
    """The least and the greatest that a mean, a variance or a deviation can be, whatever the data."""
    low, high, _ = _range(measurement)
    if statistic is Statistic.MEAN:
        return low, high
    half = (high - low) / 2
    return 0.0, half if statistic is Statistic.STDDEV else half**2


def _lost(squares: Measurement) -> float:
    """What a square lost on average where it was rounded down to be added."""
    return float((2**squares.shift - 1) * squares.step**2 / 2)


def _quotient(above: Cells, below: Cells) -> tuple[Floats, Floats]:
    """The ends of above/below where below is positive; elsewhere nobody looks at them."""
    least, most = np.where(below.lows > 0, below.lows, 1.0), np.where(below.lows > 0, below.highs, 1.0)
    low = np.minimum(above.lows / least, above.lows / most)
    high = np.maximum(above.highs / least, above.highs / most)
    return low, high


def _range(measurement: Measurement) -> tuple[float, float, float]:
    assert measurement.low is not None  # noqa: S101  # totals have a range
    assert measurement.high is not None  # noqa: S101  # as above
    return float(measurement.low), float(measurement.high), float(measurement.centre * Fraction(measurement.step))

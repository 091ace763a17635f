"""Groups that are made up for a quote: as many rows as the analyst guesses, with values wherever they could be.

The one idea: the ± of an answer follows from noisy measurements. All that groups of this size could give are tried on
a grid (values all over their range, noise as far off as the confidence allows), and the largest ± is the one quoted.
Where everything that it depends on is expected there is one group: the one expected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapwing.query.answers import Measured
from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.expressions import Column, Expression, Kind, columns_of
from lapwing.query.plan import Answer, Function, Key, Measurement, Statistic
from lapwing.session.expecting import Expected, argument
from lapwing.session.pricing import Combined, Priced, reach

#: At most so many groups are made up for one column of a release.
_MOST = 2_000
#: Where a mean may lie in its range: evenly, and closer and closer to the ends, where answers are cut off.
_PLACES = np.unique(np.concatenate([np.linspace(0, 1, 33), 0.5 ** np.arange(6, 21), 1 - 0.5 ** np.arange(6, 21)]))
#: How far values may be spread, from all alike to as far as their mean allows.
_SPREADS = np.unique(np.concatenate([np.linspace(0, 1, 9), 0.5 ** np.arange(4, 21, 2)]))
_COUNTING = (Function.ROWS, Function.UNITS, Function.DISTINCT)


@dataclass(frozen=True, slots=True)
class Imagined:
    """Made-up groups: the columns of keys, and the measurements, of ``count`` of them."""

    keys: Mapping[str, Cells]
    measured: Mapping[str, Measured]
    count: int


@dataclass(frozen=True, slots=True)
class _Guess:
    """What is taken for granted of a group; ``reach`` is how far noise moves each measurement, tried at worst."""

    rows: int
    expected: Expected
    reach: Mapping[str, float]
    worst: bool
    #: the counts whose noise leaves fractions
    broken: frozenset[str]


def at_worst(plan: Priced, output: Expression, expected: Expected) -> bool:
    """Whether the ± of a column depends on values of which nothing is expected."""
    query, names = plan.query, set(columns_of(output))
    answers = [each for each in query.answers if each.name in names]
    constant = isinstance(output, Column) and answers[0].statistic is Statistic.SUM  # the ± of a sum is the noise alone
    return not constant and not all(expected.settles(each, query) for each in answers)


def imagine(plan: Priced, output: Expression, rows: int, confidence: Fraction, expected: Expected) -> Imagined | None:
    """Groups for one column of a release; None where its values depend on keys that nobody knows."""
    names = set(columns_of(output))
    answers = [each for each in plan.query.answers if each.name in names]
    used = {name for each in answers for name in each.parts}
    parts = [part for part in plan.told if part.measurement.name in used]
    keys = {key.name: _key_values(key) for key in plan.query.aggregate.keys if key.name in used}
    if any(values is None for values in keys.values()):
        return None
    reaches = {part.measurement.name: _reach(part, confidence) for part in parts}
    far = {name: reached(max(1, len(parts))) or 0.0 for name, reached in reaches.items()}
    broken = frozenset(part.measurement.name for part in parts if len(part.parts) > 1)
    guess = _Guess(rows, expected, far, at_worst(plan, output, expected), broken)
    measurements = [part.measurement for part in parts]
    grid = _grid({**_key_axes(keys), **dict(_axes(measurements, guess))})
    values = _values(measurements, _sizes(answers), grid, guess)
    return Imagined(
        {name: Cells.known([(values or ())[int(at)] for at in grid[name]]) for name, values in keys.items()},
        {each.name: Measured(each, values[each.name], reaches[each.name]) for each in measurements},
        len(next(iter(values.values()))),
    )


def _reach(part: Combined, confidence: Fraction) -> Callable[[int], float | None]:
    return lambda together: reach(part, 1 - (1 - confidence) / together)


# --- what is tried ---------------------------------------------------------------------------------------
# An axis goes by the name of a key or a measurement, or by what is summed: its mean, or its mean and "spread".

_Axis = str | Expression | tuple[Expression, str]


def _grid(axes: Mapping[_Axis, Floats]) -> dict[_Axis, Floats]:
    """Every combination; where they are too many, fewer points of the longest axes, always with their ends."""
    points = list(axes.values())
    while np.prod([float(len(each)) for each in points]) > _MOST:
        longest = max(range(len(points)), key=lambda at: len(points[at]))
        ends = points[longest][[0, -1]] if len(points[longest]) > 2 else points[longest][-1:]
        points[longest] = np.unique(np.concatenate([points[longest][::2], ends])) if len(ends) > 1 else ends
    found: dict[_Axis, Floats] = {}
    outside, within = 1, math.prod(len(each) for each in points)
    for name, each in zip(axes, points, strict=True):  # not by meshgrid: an array has 64 dimensions at most
        within //= max(1, len(each))
        found[name] = np.tile(np.repeat(each, within), outside)
        outside *= len(each)
    return found


def _key_axes(keys: Mapping[str, Sequence[object] | None]) -> dict[_Axis, Floats]:
    return {name: np.arange(len(values or ()), dtype=np.float64) for name, values in keys.items()}


def _axes(measurements: Sequence[Measurement], guess: _Guess) -> Iterator[tuple[_Axis, Floats]]:
    for each in measurements:
        if each.function in _COUNTING:
            yield each.name, _counts(each, guess)
        elif each.function is Function.QUANTILE:
            yield each.name, _PLACES
        else:
            summed = argument(each)
            if summed not in guess.expected.means:
                # beyond either end: the mean is there, and noise moved the sum further
                yield summed, np.concatenate([[-1.0], _PLACES, [2.0]]) if guess.worst else _PLACES
            if each.function is Function.SQUARES and summed not in guess.expected.variances:
                yield (summed, "spread"), _SPREADS


def _counts(measurement: Measurement, guess: _Guess) -> Floats:
    """As many as expected; with noise that makes them fewer, or more; where they are broken, between whole numbers."""
    size = float(guess.expected.counts.get(measurement.name, guess.rows))
    counts = [size] if measurement.weight_steps == 1 else [size, size + 0.5]
    counts += [size + 0.49] if measurement.name in guess.broken else []
    if guess.worst:
        reach = guess.reach[measurement.name]
        counts += [max(size - reach, min(size, 1.0)), size + reach]
    return np.array(sorted(counts))


# --- what is measured there ------------------------------------------------------------------------------


def _sizes(answers: Sequence[Answer]) -> dict[str, str]:
    """For each sum the count that it is divided by."""
    divided = (Statistic.MEAN, Statistic.VARIANCE, Statistic.STDDEV)
    return {part: each.parts[-1] for each in answers if each.statistic in divided for part in each.parts[:-1]}


def _values(
    measurements: Sequence[Measurement], sizes: Mapping[str, str], grid: Mapping[_Axis, Floats], guess: _Guess
) -> dict[str, Floats]:
    count = len(next(iter(grid.values()))) if grid else 1
    values: dict[str, Floats] = {}
    for each in measurements:
        if each.function in _COUNTING:
            values[each.name] = grid[each.name]
        elif each.function is Function.QUANTILE:
            low, high = _ends(each)
            values[each.name] = low + (high - low) * grid[each.name]
        else:
            size = grid[sizes[each.name]] if each.name in sizes else np.full(count, float(guess.rows))
            values[each.name] = _sum(each, size, grid, guess)
    return values


def _sum(measurement: Measurement, size: Floats, grid: Mapping[_Axis, Floats], guess: _Guess) -> Floats:
    """Σ(x - c), or Σ(x - c)², of so many rows with this mean and this variance."""
    summed = argument(measurement)
    mean = _mean(measurement, size, grid, guess)
    from_centre = mean - float(measurement.centre * measurement.step)
    if measurement.function is Function.TOTAL:
        place = grid.get(summed, np.zeros(1))
        pushed = np.where(place < 0, -1.0, np.where(place > 1, 1.0, 0.0)) * guess.reach[measurement.name]
        step = float(measurement.step)
        return np.rint((size * from_centre + pushed) / step) * step
    low, high = _ends(measurement)
    most = np.maximum((high - mean) * (mean - low), 0.0)  # the variance of values at the ends alone
    if summed in guess.expected.variances:
        return size * (np.minimum(float(guess.expected.variances[summed]), most) + from_centre**2)
    return size * (grid[summed, "spread"] * most + from_centre**2)


def _mean(measurement: Measurement, size: Floats, grid: Mapping[_Axis, Floats], guess: _Guess) -> Floats:
    summed = argument(measurement)
    if summed in guess.expected.means:
        return np.full(len(size), float(guess.expected.means[summed]))
    low, high = _ends(measurement)
    half = (high - low) / 2
    if summed in guess.expected.variances:  # so spread, the mean cannot be close to an end
        half = float(np.sqrt(max(half**2 - float(guess.expected.variances[summed]), 0.0)))
    return (low + high) / 2 + half * (2 * np.clip(grid[summed], 0.0, 1.0) - 1)


def _ends(measurement: Measurement) -> tuple[float, float]:
    assert measurement.low is not None  # noqa: S101  # sums and quantiles have a range
    assert measurement.high is not None  # noqa: S101  # as above
    return float(measurement.low), float(measurement.high)


def _key_values(key: Key) -> Sequence[object] | None:
    """The values a key can have, or the ends of its range; None where neither is known."""
    if key.values is not None:
        return [float(value) if isinstance(value, Fraction) else value for value in key.values]
    if key.type.kind is Kind.BOOLEAN:
        return (False, True)
    low, high = key.type.low, key.type.high
    return None if low is None or high is None else (float(low), float(high))

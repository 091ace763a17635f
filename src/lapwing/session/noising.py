"""Noise on what an engine returned: the only place where exact answers about people become private ones.

The one idea: exact integers come in, exact noise is added to every group that will be shown (to empty ones too), and
only then are the numbers put into the units people read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.noise import Exponential
from lapwing.query.answers import Measured
from lapwing.query.plan import Function, Measurement
from lapwing.session.groups import Fetched, Groups, chosen_groups, public_groups
from lapwing.session.pricing import Part, Priced

Tables = Sequence[Fetched]


def private_groups(priced: Priced, tables: Tables) -> Groups:
    """The groups that may be shown: all public ones, or those in which enough people are found after noise."""
    keys = priced.query.aggregate.keys
    if priced.selection is None:
        return public_groups(keys)
    part = priced.selection.part
    fetched = _fetched(part.measurement, tables)
    assert not isinstance(part.mechanism, Exponential)  # noqa: S101  # people are counted
    noisy = part.mechanism.release(fetched.value(part.measurement.name))
    return chosen_groups(keys, fetched, noisy >= priced.selection.threshold)


def private_measurements(
    priced: Priced, tables: Tables, groups: Groups, confidence: Fraction
) -> Mapping[str, Measured]:
    """Every measurement with its noise, in the units of its argument."""
    return {part.measurement.name: _measured(part, tables, groups, confidence) for part in priced.parts}


def _measured(part: Part, tables: Tables, groups: Groups, confidence: Fraction) -> Measured:
    def reach(together: int) -> float | None:
        return part.reach(1 - (1 - confidence) / together)

    fetched = _fetched(part.measurement, tables)
    if isinstance(part.mechanism, Exponential):
        values = _chosen(part.measurement, part.mechanism, fetched, groups)
    else:
        values = _in_units(part.mechanism.release(exact_values(part.measurement, fetched, groups)), part.measurement)
    return Measured(part.measurement, values, reach)


def exact_values(measurement: Measurement, fetched: Fetched, groups: Groups) -> NDArray[np.int64]:
    """What an engine measured in each group, 0 where it found nothing; not to be shown to anybody."""
    exact = np.zeros(groups.count, np.int64)
    places = groups.places(fetched)
    known = places >= 0
    exact[places[known]] = fetched.value(measurement.name)[known]
    return exact


def _in_units(steps: NDArray[np.int64], measurement: Measurement) -> NDArray[Any]:
    """Lattice steps as the numbers people read; this is the one conversion, after the noise."""
    step = measurement.step**2 if measurement.function is Function.SQUARES else measurement.step
    factor = step / measurement.weight_steps
    return steps if factor == 1 else steps.astype(np.float64) * float(factor)


def _chosen(measurement: Measurement, mechanism: Exponential, fetched: Fetched, groups: Groups) -> NDArray[Any]:
    """For each group the bucket in which the wanted rank falls, by the exponential mechanism.

    The score of a bucket is how far the wanted rank, p·N, is from the ranks inside it, times the denominator of p and
    with a minus: 0 where it falls inside. Scores are differences of sums of weights, so a person who adds weights t in
    this group moves each by at most max(p, 1 - p)·denominator·t.
    """
    assert measurement.fraction is not None  # noqa: S101  # a quantile has one
    numerator, denominator = measurement.fraction.numerator, measurement.fraction.denominator
    values = [
        _bucket_value(measurement, mechanism.choose(_scores(weights, numerator, denominator)))
        for weights in _group_by_group(measurement, fetched, groups)
    ]
    return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)


def _group_by_group(measurement: Measurement, fetched: Fetched, groups: Groups) -> Iterator[NDArray[np.int64]]:
    """The weights in the buckets of each group in turn; only one group's are there at a time."""
    places, buckets, values = groups.places(fetched), fetched.bucket(), fetched.value(measurement.name)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(groups.count + 1))
    for first, last in pairwise(starts):
        rows = order[first:last]
        weights = np.zeros(measurement.buckets, np.int64)
        weights[buckets[rows]] = values[rows]
        yield weights


def _scores(weights: NDArray[np.int64], numerator: int, denominator: int) -> list[int]:
    below = 0
    wanted = numerator * sum(int(weight) for weight in weights)
    scores = []
    for weight in weights:
        upto = below + int(weight)
        scores.append(-max(0, wanted - denominator * upto, denominator * below - wanted))
        below = upto
    return scores


def _bucket_value(measurement: Measurement, bucket: int) -> int | float:
    """The middle of a bucket; the number itself when every whole number has its own."""
    assert measurement.low is not None  # noqa: S101  # a quantile has a range
    if measurement.step == 1 and measurement.low.denominator == 1:
        return int(measurement.low) + bucket
    return float(measurement.low + measurement.step * (bucket + Fraction(1, 2)))


def _fetched(measurement: Measurement, tables: Tables) -> Fetched:
    return next(each for each in tables if measurement.name in each.statement.values)

"""Noise on what an engine returned: the only place where exact answers about people become private ones.

The one idea: exact integers come in, exact noise is added to every group that will be shown (to empty ones too), and
only then are the numbers put into the units people read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lapwing.kernel.evidence.plan import Measurement
from lapwing.kernel.evidence.release import NoisyMeasurement, ReleaseCertificate
from lapwing.kernel.evidence.several import Several, parts_of
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.adding import check_several
from lapwing.kernel.release.plans import Derived, Protection
from lapwing.ledger import Receipt
from lapwing.noise.exponential import Exponential
from lapwing.noise.uniform import uniform
from lapwing.session.groups import Fetched, Groups, chosen_groups, public_groups
from lapwing.session.road import Inquiry, Tables
from lapwing.session.shown_units import in_units

R = TypeVar("R")
Steps = NDArray[np.int64]
#: The groups that are shown, and every measurement in them, with noise.
Private = tuple[Groups, dict[str, NDArray[Any]]]


def released(
    certificates: Sequence[ReleaseCertificate | Several],
    digest: str,
    text: str,
    release: Callable[[list[Private], Receipt], tuple[R, str | None]],
) -> Inquiry[list[Private], R]:
    """Queries as one question: the certificates that the kernel checks are those whose plans run and noise is added.

    A certificate may be of several aggregates, which are checked, and priced, together.
    """

    def checked(certificate: ReleaseCertificate | Several) -> Callable[[Protection], Derived | Rejected]:
        return lambda policy: check_several(certificate, policy)

    parts = [part for certificate in certificates for part in parts_of(certificate)]
    return Inquiry(
        digest,
        text,
        tuple(map(checked, certificates)),
        lambda tables: [noisy(*each) for each in zip(parts, tables, strict=True)],
        release,
        repeats=True,
    )


def noisy(certificate: ReleaseCertificate, tables: Tables) -> Private:
    """The groups that may be shown, and every measurement of the certificate in them, each with its noise."""
    groups = private_groups(certificate, tables)
    return groups, private_measurements(certificate, tables, groups)


def private_groups(certificate: ReleaseCertificate, tables: Tables) -> Groups:
    """The groups that may be shown: all public ones, or those in which enough people are found after noise."""
    keys, selection = certificate.keys, certificate.selection
    if selection is None:
        return public_groups(keys)
    part = selection.part
    fetched = _fetched(part.measurement, tables)
    assert not isinstance(part.mechanism, Exponential)  # noqa: S101  # people are counted
    counts = part.mechanism.release(fetched.value(part.measurement.name))
    return chosen_groups(keys, fetched, counts, selection.threshold)


def private_measurements(certificate: ReleaseCertificate, tables: Tables, groups: Groups) -> dict[str, NDArray[Any]]:
    """Every measurement with its noise, in the units of its argument."""
    found = {part.measurement.name: _measured(part, tables, groups) for part in certificate.measurements}
    if certificate.selection is None or groups.people is None:
        return found
    # the noisy number of people that chose a group is private already, and may be asked for as well
    return found | {certificate.selection.part.measurement.name: groups.people}


def _measured(part: NoisyMeasurement, tables: Tables, groups: Groups) -> NDArray[Any]:
    fetched = _fetched(part.measurement, tables)
    if isinstance(part.mechanism, Exponential):
        return _chosen(part.measurement, part.mechanism, fetched, groups)
    return in_units(part.mechanism.release(exact_values(part.measurement, fetched, groups)), part.measurement)


def exact_values(measurement: Measurement, fetched: Fetched, groups: Groups) -> NDArray[np.int64]:
    """What an engine measured in each group, 0 where it found nothing; not to be shown to anybody."""
    exact = np.zeros(groups.count, np.int64)
    places = groups.places(fetched)
    known = places >= 0
    exact[places[known]] = fetched.value(measurement.name)[known]
    return exact


def _chosen(measurement: Measurement, mechanism: Exponential, fetched: Fetched, groups: Groups) -> NDArray[Any]:
    """For each group the bucket in which the wanted rank falls, by the exponential mechanism over all buckets.

    Buckets without rows between two with rows have one score, so a gap is chosen for all of them, and one in it evenly:
    as many steps as there are different values, however fine the buckets are.

    The score of a bucket is how far the wanted rank, p·N, is from the ranks inside it, times the denominator of p and
    with a minus: 0 where it falls inside. Scores are differences of sums of weights, so a person who adds weights t in
    this group moves each by at most max(p, 1 - p)·denominator·t.
    """
    assert measurement.fraction is not None  # noqa: S101  # a quantile has one
    numerator, denominator = measurement.fraction.numerator, measurement.fraction.denominator
    values = []
    for buckets, weights in _group_by_group(measurement, fetched, groups):
        firsts, many, scores = _candidates(measurement.buckets, buckets, weights, numerator, denominator)
        at = mechanism.choose(scores if scores.dtype != object else scores.tolist(), many)
        values.append(_bucket_value(measurement, int(firsts[at]) + uniform(int(many[at]))))
    return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)


def _group_by_group(measurement: Measurement, fetched: Fetched, groups: Groups) -> Iterator[tuple[Steps, Steps]]:
    """The buckets with rows of each group in turn, in order, and their weights."""
    places, buckets, values = groups.places(fetched), fetched.bucket(), fetched.value(measurement.name)
    order = np.lexsort((buckets, places))
    starts = np.searchsorted(places[order], np.arange(groups.count + 1))
    for first, last in pairwise(starts):
        rows = order[first:last]
        yield buckets[rows], values[rows]


def _candidates(
    count: int, buckets: Steps, weights: Steps, numerator: int, denominator: int
) -> tuple[Steps, Steps, NDArray[Any]]:
    """Runs of buckets with one score: the first of each, how many they are, and the score.

    The score of a bucket is -max(0, p·N - the weight up to it, the weight below it - p·N), times the denominator of p.
    A run is a bucket with rows, or all buckets without between two of those.
    """
    whole: type = np.int64 if denominator * int(weights.astype(object).sum() or 0) < 2**62 else object
    upto: NDArray[Any] = np.cumsum(weights.astype(whole))
    wanted = numerator * (upto[-1] if len(upto) else 0)
    before = np.concatenate([np.zeros(1, whole), upto])  # what lies below each gap, and below each bucket with rows
    firsts = np.empty(2 * len(buckets) + 1, np.int64)
    firsts[1::2], firsts[0], firsts[2::2] = buckets, 0, buckets + 1
    many = np.ones_like(firsts)
    many[0::2] = np.concatenate([buckets, [count]]) - firsts[0::2]
    above: NDArray[Any] = np.empty(len(firsts), whole)
    below = np.repeat(before, 2)[:-1]
    above[0::2], above[1::2] = before, upto
    scores = -np.maximum(np.maximum(wanted - denominator * above, denominator * below - wanted), 0)
    kept = many > 0
    return firsts[kept], many[kept], scores[kept]


def _bucket_value(measurement: Measurement, bucket: int) -> int | float:
    """The middle of a bucket; the number itself when every whole number has its own."""
    assert measurement.low is not None  # noqa: S101  # a quantile has a range
    if measurement.step == 1 and measurement.low.denominator == 1:
        return int(measurement.low) + bucket
    return float(measurement.low + measurement.step * (bucket + Fraction(1, 2)))


def _fetched(measurement: Measurement, tables: Tables) -> Fetched:
    return next(each for each in tables if measurement.name in each.statement.values)

"""Buckets for values that nothing is known of, as SQL; and what a noisy count in each of them says.

The one idea: powers of two reach everywhere in few steps. Counted in buckets between them, with noise, values show
where they lie without anybody having said so before. What is read off the counts is post-processing, and costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Values are told apart from 2^-10 (whole numbers from 1) up to 2^62.
_FINEST, _LARGEST = -10, 62
#: How many rows or groups a person has: told apart up to this.
_MOST = 2**20
#: How often noise in an empty bucket may be taken for people, in a whole column of buckets.
_DOUBT = 0.001


@dataclass(frozen=True, slots=True)
class Bucket:
    """Values from ``low`` to ``high``; a bucket at an end has no bound there."""

    low: float | None
    high: float | None


def number_buckets(*, whole: bool) -> list[Bucket]:
    """[-2^k, -2^(k-1)), …, 0 by itself, …, (2^(k-1), 2^k]: each is found by one comparison with its upper end."""
    powers = [2.0**k for k in range(0 if whole else _FINEST, _LARGEST + 1)]
    ends = [*(-each for each in reversed(powers)), 0.0, *powers]
    below = [Bucket(None if at == 0 else ends[at - 1], end) for at, end in enumerate(ends) if end <= 0]
    return [
        *below,
        Bucket(0.0, 0.0),
        *(Bucket(low, high) for low, high in _pairs([0.0, *powers])),
        Bucket(powers[-1], None),
    ]


def people_buckets() -> list[Bucket]:
    """1, 2, 3, 4, 5–6, 7–8, 9–12, …: how many rows, or groups, somebody has."""
    ends = [1.0]
    while ends[-1] < _MOST:
        power = 2.0 ** math.floor(math.log2(ends[-1]))
        ends.append(ends[-1] + max(1.0, power / 2))
    return [Bucket(low + 1, high) for low, high in _pairs([0.0, *ends])] + [Bucket(ends[-1] + 1, None)]


def bucket_sql(column: str, buckets: Sequence[Bucket]) -> str:
    """The number of the bucket that a value is in, as SQL."""
    words = [
        f"WHEN {column} {'<' if _is_open(bucket) else '<='} {_constant(bucket.high)} THEN {at}"
        for at, bucket in enumerate(buckets)
        if bucket.high is not None
    ]
    return f"CASE {' '.join(words)} ELSE {len(buckets) - 1} END"


def _is_open(bucket: Bucket) -> bool:
    """Below zero a bucket ends before its upper end, so that it begins with its lower one."""
    return bucket.high is not None and bucket.high <= 0 and bucket.low != bucket.high


def _constant(end: float | None) -> str:
    assert end is not None  # noqa: S101  # the last bucket is not compared
    return str(int(end)) if end == int(end) else repr(end)


def _pairs(ends: Sequence[float]) -> list[tuple[float, float]]:
    return list(pairwise(ends))


@dataclass(frozen=True, slots=True)
class Extent:
    """Which buckets hold something, as far as noise lets it be seen: from ``first`` to ``last``.

    ``total`` is about how many there are, ``outside`` which part of them lies beyond the two, and a bucket with fewer
    than ``unseen`` was not told from an empty one.
    """

    first: int
    last: int
    total: float
    outside: float
    unseen: float


def seen(counts: Sequence[float], margin: float, tails: tuple[float, float]) -> Extent | None:
    """The buckets that hold all but these parts of what is counted, below and above; None where nothing is seen.

    Of ``margin``, the 95 % ± of a count, follows which counts are surely more than noise, whichever bucket they are in.
    From those outwards a bucket is taken along that looks like more than what may be left out: one too many costs a
    factor of two, one too few cuts.
    """
    unseen = margin * math.log(len(counts) / _DOUBT) / math.log(20)  # exact for Laplace, more than enough for Gauss
    sure = [at for at, count in enumerate(counts) if count > unseen]
    if not sure:
        return None
    first, last = sure[0], sure[-1]
    while first > 0 and counts[first - 1] > margin / 2:
        first -= 1
    while last + 1 < len(counts) and counts[last + 1] > margin / 2:
        last += 1
    inside = [max(0.0, each) for each in counts[first : last + 1]]
    total, low, high = sum(inside), 0, len(inside) - 1
    below = above = 0.0
    while low < high and below + inside[low] <= tails[0] * total:
        below += inside[low]
        low += 1
    while high > low and above + inside[high] <= tails[1] * total:
        above += inside[high]
        high -= 1
    return Extent(first + low, first + high, total, (below + above) / total, unseen)

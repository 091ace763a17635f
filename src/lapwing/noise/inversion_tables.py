"""Exact inversion of a finite distribution: two bytes of entropy and one look-up for almost every draw.

The one idea: a uniform real U is never drawn whole. Value i is the answer when c_(i-1) <= U < c_i, where c are the
cumulative probabilities. The first 16 bits of U choose one of 65,536 buckets; in nearly all of them every U
gives the same value, which is read from a table. In a bucket that a threshold cuts, 64 more bits are drawn; if
even 80 bits do not decide, bits are added, and the thresholds computed further, until they do. So value i has
probability exactly c_i - c_(i-1), although no threshold is ever known exactly.

Thresholds come as enclosures (integers around c_i·2^bits) rather than as floors: a threshold that happens to be
dyadic has no floor that ball arithmetic could certify, but a comparison with U still ends, with probability 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.source import SECURE, Source

#: Integers (low, high) with low_i <= c_i·2^bits <= high_i, for every threshold but the last (which is 1).
Enclosures = tuple[list[int], list[int]]

BUCKET_BITS = 16
FINE_BITS = 64
BITS = BUCKET_BITS + FINE_BITS
BUCKETS = 1 << BUCKET_BITS
_FINE_MASK = (1 << FINE_BITS) - 1
#: Draws are made in pieces of this size, so that a piece stays in the processor's cache.
PIECE = 1 << 15


class Table:
    """Draws value lowest + i, for i in 0..count-1, with probability c_i - c_(i-1), exactly.

    ``enclose(bits)`` gives :data:`Enclosures` of the count - 1 thresholds below 1, of width at most a few units.
    """

    __slots__ = ("_cut", "_enclose", "_guide", "_high", "_low", "_steps", "count", "lowest")

    def __init__(self, enclose: Callable[[int], Enclosures], lowest: int = 0) -> None:
        low, high = _monotone(enclose(BITS))
        self.count = count = len(low) + 1
        self.lowest = lowest
        self._enclose = enclose
        # U in bucket b certainly reached threshold j when high_j <= b·2^64, and certainly did not when
        # low_j >= (b + 1)·2^64. A bucket is cut unless one of the two holds for every threshold.
        self._high = _split([*high, 1 << BITS])
        self._low = _split([*low, 1 << BITS])
        surely = self._high[0][:-1] + (self._high[1][:-1] != 0)
        maybe = self._low[0][:-1]
        cut = _between(maybe, surely)
        # What a bucket's entry says: i below `count` is the answer; count + k is the k-th cut bucket.
        self._guide = _reached(surely)
        self._guide[cut] = count + np.arange(len(cut))
        self._cut = np.stack([np.searchsorted(ends, cut, side="right") for ends in (surely, maybe)])
        self._steps = int((self._cut[1] - self._cut[0]).max(initial=0)).bit_length()

    @classmethod
    def of_weights(cls, weights: Callable[[], Sequence[arb]], lowest: int = 0) -> Table:
        """Value lowest + i with probability proportional to weight i; ``weights()`` runs at any precision asked.

        None of the weights is below 0, and at least one is above.
        """
        return cls(lambda bits: _enclose_weights(weights, bits), lowest)

    @classmethod
    def of_fractions(cls, weights: Sequence[Fraction | int], lowest: int = 0) -> Table:
        """Value lowest + i with probability proportional to the rational weight i."""
        total = sum(weights, Fraction(0))
        if total <= 0 or min(weights) < 0:
            raise InvalidInput("N101", "a list of weights has a negative one, or none above 0", "Give positive weights")
        thresholds = list(accumulate(Fraction(weight) / total for weight in weights))[:-1]

        def enclose(bits: int) -> Enclosures:
            low = [(value.numerator << bits) // value.denominator for value in thresholds]
            high = [-((-value.numerator << bits) // value.denominator) for value in thresholds]
            return low, high

        return cls(enclose, lowest)

    def draw(self, count: int, source: Source = SECURE) -> NDArray[np.int64]:
        """``count`` independent values."""
        drawn = np.empty(count, dtype=np.int64)
        for start in range(0, count, PIECE):
            self._fill(drawn[start : start + PIECE], source)
        return drawn

    def _fill(self, drawn: NDArray[np.int64], source: Source) -> None:
        bucket = source.halfwords(len(drawn))
        entry = self._guide[bucket]
        np.add(entry, self.lowest, out=drawn)
        if self._steps:
            cut = np.flatnonzero(entry >= self.count)
            if len(cut):
                drawn[cut] = self._decide(bucket[cut].astype(np.int64), entry[cut] - self.count, source) + self.lowest

    def _decide(self, bucket: NDArray[np.int64], cut: NDArray[np.int32], source: Source) -> NDArray[np.int64]:
        """How many thresholds U reaches, for draws in cut buckets: a binary search by 64 more bits of U."""
        fine = source.words(len(bucket))
        reached: NDArray[np.int64] = self._cut[0, cut]
        unreached: NDArray[np.int64] = self._cut[1, cut]
        for _ in range(self._steps):
            middle = (reached + unreached) >> 1
            more = _at_most(self._high, middle, bucket, fine) & (reached < unreached)
            reached = np.where(more, middle + 1, reached)
            unreached = np.where(more, unreached, middle)
        # `reached` counts the thresholds U certainly reaches; it is the answer unless U may reach the next one too.
        for i in np.flatnonzero(_at_most(self._low, reached, bucket, fine)):
            reached[i] = self._decide_tie((int(bucket[i]) << FINE_BITS) | int(fine[i]), source)
        return reached

    def _decide_tie(self, uniform: int, source: Source) -> int:
        """The same for one U whose first 80 bits do not decide: add bits until they do."""
        bits = BITS
        while True:
            bits += FINE_BITS
            uniform = (uniform << FINE_BITS) | source.random_bits(FINE_BITS)
            low, high = _monotone(self._enclose(bits))
            reached = sum(end <= uniform for end in high)
            if reached == sum(end <= uniform for end in low):
                return reached


def _reached(buckets: NDArray[np.int64]) -> NDArray[np.int32]:
    """For each bucket, how many thresholds lie in it or before it; they come in order, the last may be behind all."""
    ends = np.concatenate([[0], buckets, [BUCKETS]])
    return np.repeat(np.arange(len(buckets) + 1, dtype=np.int32), np.diff(ends))


def _between(firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The buckets from each first one to before its end, each once: few, where thresholds are known well."""
    many = ends - firsts
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return np.unique(np.repeat(firsts, many) + within)


_Split = tuple[NDArray[np.int64], NDArray[np.uint64]]


def _split(ends: list[int]) -> _Split:
    """80-bit integers as their bucket and their last 64 bits."""
    return (
        np.array([end >> FINE_BITS for end in ends], dtype=np.int64),
        np.array([end & _FINE_MASK for end in ends], dtype=np.uint64),
    )


def _at_most(
    ends: _Split, at: NDArray[np.int64], bucket: NDArray[np.int64], fine: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Whether the chosen ends are at most the 80 bits drawn."""
    end_bucket, end_fine = ends[0][at], ends[1][at]
    at_most: NDArray[np.bool_] = (end_bucket < bucket) | ((end_bucket == bucket) & (end_fine <= fine))
    return at_most


def _monotone(enclosures: Enclosures) -> Enclosures:
    """The same thresholds with ends in order, which c_i <= c_(i+1) allows: each end also bounds its neighbours."""
    low, high = enclosures
    return list(accumulate(low, max)), list(accumulate(reversed(high), min))[::-1]


def _enclose_weights(weights: Callable[[], Sequence[arb]], bits: int) -> Enclosures:
    """Enclosures of the cumulative normalised weights, computed until none is wider than 3 units."""
    working = bits + 64
    while working <= balls.MAX_BITS:
        with balls.precision(working):
            sums = list(accumulate(weights()))
            unit = arb(2) ** bits / sums[-1]
            thresholds = [value * unit for value in sums[:-1]]
            floors = [value.mid().floor().unique_fmpz() for value in thresholds if value.rad() <= 1]
        middles = [int(floor) for floor in floors if floor is not None]
        if len(middles) == len(thresholds):  # with a radius of 1, a ball is from the floor of its middle - 1 to it + 2
            return [max(middle - 1, 0) for middle in middles], [min(middle + 2, 1 << bits) for middle in middles]
        working *= 2
    raise Unbounded("N102", "the probabilities of a table could not be computed", "Use weights of more ordinary size")

"""Tables: how often each kind of answer was seen on the two sides, as a score of the answers to come.

The one idea: whatever is discrete about an answer (its tag, the whole of it, what a division leaves) is a whole number,
its *key*, and a key is worth the logarithm of how much oftener it was seen on the left. Keys are computed for many
answers at once, each from its own answer alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.seen_answers import Batch

Floats = NDArray[np.float64]
Keys = Callable[[Batch], NDArray[np.uint64]]

#: Odd numbers that mix the bits of a key (those of the generator splitmix64).
_STEP = 0x9E3779B97F4A7C15
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def tag_keys(batch: Batch) -> NDArray[np.uint64]:
    """Everything discrete about an answer."""
    return batch.tags.astype(np.uint64)


def whole_keys(batch: Batch) -> NDArray[np.uint64]:
    """The whole answer, to the last bit; NaN pads short answers, and what else is in a batch must not show in a key."""
    keys = _mixed(batch.tags.astype(np.uint64))
    for place, column in enumerate(batch.values.T):
        bits = np.ascontiguousarray(column).view(np.uint64) + np.uint64((place + 1) * _STEP % 2**64)
        keys += np.where(np.isnan(column), np.uint64(0), _mixed(bits))
    return keys


def left_over_keys(place: int, divisor: int) -> Keys:
    """What is left of a number when it is divided: whole numbers as they are, others by their digits."""

    def keys(batch: Batch) -> NDArray[np.uint64]:
        if place >= batch.values.shape[1]:
            return np.full(len(batch), divisor, dtype=np.uint64)
        column = batch.values[:, place]
        finite = np.where(np.isfinite(column), column, 0.0)
        digits = (np.frexp(finite)[0] * 2.0**53).astype(np.int64)
        whole = np.where(np.abs(finite) < 2.0**53, finite, 0.0).astype(np.int64)
        left_over = np.where(whole == finite, whole, digits) % divisor
        return np.where(np.isfinite(column), left_over, divisor).astype(np.uint64)

    return keys


def repeats(batch: Batch) -> float:
    """How often an answer comes again, on average."""
    return len(batch) / max(1, len(np.unique(whole_keys(batch))))


def table(left: Batch, right: Batch, keys: Keys) -> Callable[[Batch], Floats]:
    """The score of each answer: the logarithm of how much oftener its key was seen on the left; 0 for a new one."""
    here, there = keys(left), keys(right)
    known, places = np.unique(np.concatenate([here, there]), return_inverse=True)
    seen_left, seen_right = (
        np.bincount(side, minlength=len(known)) for side in (places[: len(here)], places[len(here) :])
    )
    ratios = np.log((seen_left + 0.5) / (seen_right + 0.5))

    def of(batch: Batch) -> Floats:
        own = keys(batch)
        at = np.minimum(np.searchsorted(known, own), len(known) - 1)
        return np.where(known[at] == own, ratios[at], 0.0)

    return of


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other bits, one to one: equal sums of these are as good as equal parts."""
    keys = (keys ^ (keys >> np.uint64(30))) * _FIRST
    keys = (keys ^ (keys >> np.uint64(27))) * _SECOND
    return keys ^ (keys >> np.uint64(31))

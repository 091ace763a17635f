"""An index drawn with probability proportional to exp(score/scale), exactly.

The one idea: inversion. Index i is the answer when c_(i-1) <= U < c_i for the cumulative probabilities c. Floats
with a proven error find the index and tell whether U is clear of both thresholds; if not, balls of growing precision
and more bits of U decide. A candidate with probability 2^-1000 is still drawn with that probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls, parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput
from lapwing.noise.exponents import RELATIVE_ERROR, Exponents, Scores, below_best
from lapwing.noise.source import SECURE, Source

WORD = 64
#: One score stands for fewer candidates than this.
MOST_COPIES = 2**36
Copies = Sequence[int] | NDArray[np.integer[Any]]


@overload
def categorical(
    scores: Scores, scale: Number, size: None = None, source: Source = SECURE, times: Copies | None = None
) -> int: ...
@overload
def categorical(
    scores: Scores, scale: Number, size: int, source: Source = SECURE, times: Copies | None = None
) -> NDArray[np.int64]: ...
def categorical(
    scores: Scores,
    scale: Number,
    size: int | None = None,
    source: Source = SECURE,
    times: Copies | None = None,
) -> int | NDArray[np.int64]:
    """Index i with probability exactly exp(scores[i]/scale)/Σ exp(scores[j]/scale).

    With ``times``, index i stands for so many candidates of its score, and is drawn as often as all of them.
    """
    exponents = below_best(scores, parameters.scale(scale))
    length = 1 if size is None else parameters.whole(size, "size", 0)
    drawn = _draw(exponents, length, source, _copies(times, len(exponents)))
    return int(drawn[0]) if size is None else drawn


def probabilities(scores: Scores, scale: Number) -> list[Interval]:
    """The probability of each index, enclosed."""
    exponents = below_best(scores, parameters.scale(scale))
    return exponents.enclose_each(lambda weights, index: weights[index] / sum(weights, arb(0)))


def _copies(times: Copies | None, candidates: int) -> NDArray[np.int64] | None:
    if times is None:
        return None
    found = np.asarray(times)
    if found.dtype.kind != "i" or found.shape != (candidates,) or found.min() < 1 or found.max() >= MOST_COPIES:
        raise InvalidInput(
            "N231", "the candidates that each score stands for are not counts below 2^36", "Give one count for each"
        )
    return found.astype(np.int64)


def _draw(exponents: Exponents, size: int, source: Source, times: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    approximate = exponents.approximate_exp()
    sums = np.cumsum(approximate if times is None else approximate * times.astype(np.float64))
    thresholds = np.concatenate([[-1.0], sums[:-1] / sums[-1], [2.0]])  # nothing is beyond the first or the last
    # Each sum of k terms errs by RELATIVE_ERROR + k·2^-53 relatively, and k weights below 2^-91 may be missing; twice
    # that for a quotient of sums, which is at most 1. U itself is known within 2^-53. Where each stands for fewer than
    # 2^36 candidates, less than k·2^-55 is missing, and a product errs by 2^-53 more: still within the margin.
    margin = 4 * RELATIVE_ERROR + len(sums) * 2.0**-50
    words = source.words(size)
    uniform = (words >> np.uint64(11)) * 2.0**-53
    index = np.searchsorted(thresholds, uniform, side="right") - 1
    close = (uniform - thresholds[index] <= margin) | (thresholds[index + 1] - uniform <= margin)
    for i in np.flatnonzero(close):
        index[i] = _decide(exponents, int(words[i]), source, times)
    return index


def _decide(exponents: Exponents, uniform: int, source: Source, times: NDArray[np.int64] | None = None) -> int:
    """The index for a U whose first 64 bits are ``uniform``, by comparisons that are certain."""
    bits = WORD
    while True:
        with balls.precision(bits + WORD):
            weights = exponents.weights()
            sums = list(
                accumulate(weights if times is None else (w * int(t) for w, t in zip(weights, times, strict=True)))
            )
            unit = sums[-1] / arb(2) ** bits
            least, most = unit * uniform, unit * (uniform + 1)  # U·Σ lies in [least, most)
            passed = sum(value <= least for value in sums[:-1])  # a ball compares true only when it is certain
            if passed == len(sums) - 1 or most <= sums[passed]:
                return passed
        uniform = (uniform << WORD) | source.random_bits(WORD)
        bits += WORD

"""An index drawn with probability proportional to exp(score/scale), exactly.

The one idea: inversion. Index i is the answer when c_(i-1) <= U < c_i for the cumulative probabilities c. Floats
with a proven error find the index and tell whether U is clear of both thresholds; if not, balls of growing precision
and more bits of U decide. A candidate with probability 2^-1000 is still drawn with that probability.
"""

from __future__ import annotations

from itertools import accumulate
from typing import overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls, parameters
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.noise.exponents import RELATIVE_ERROR, Exponents, Scores, below_best
from lapwing.noise.source import SECURE, Source

WORD = 64


@overload
def categorical(scores: Scores, scale: Number, size: None = None, source: Source = SECURE) -> int: ...
@overload
def categorical(scores: Scores, scale: Number, size: int, source: Source = SECURE) -> NDArray[np.int64]: ...
def categorical(
    scores: Scores, scale: Number, size: int | None = None, source: Source = SECURE
) -> int | NDArray[np.int64]:
    """Index i with probability exactly exp(scores[i]/scale)/Σ exp(scores[j]/scale)."""
    exponents = below_best(scores, parameters.scale(scale))
    length = 1 if size is None else parameters.whole(size, "size", 0)
    drawn = _draw(exponents, length, source)
    return int(drawn[0]) if size is None else drawn


def probabilities(scores: Scores, scale: Number) -> list[Interval]:
    """The probability of each index, enclosed."""
    exponents = below_best(scores, parameters.scale(scale))
    return exponents.enclose_each(lambda weights, index: weights[index] / sum(weights, arb(0)))


def _draw(exponents: Exponents, size: int, source: Source) -> NDArray[np.int64]:
    sums = np.cumsum(exponents.approximate_exp())
    thresholds = np.concatenate([[-1.0], sums[:-1] / sums[-1], [2.0]])  # nothing is beyond the first or the last
    # Each sum of k terms errs by RELATIVE_ERROR + k·2^-53 relatively, and k weights below 2^-91 may be missing; twice
    # that for a quotient of sums, which is at most 1. U itself is known within 2^-53.
    margin = 4 * RELATIVE_ERROR + len(sums) * 2.0**-50
    words = source.words(size)
    uniform = (words >> np.uint64(11)) * 2.0**-53
    index = np.searchsorted(thresholds, uniform, side="right") - 1
    close = (uniform - thresholds[index] <= margin) | (thresholds[index + 1] - uniform <= margin)
    for i in np.flatnonzero(close):
        index[i] = _decide(exponents, int(words[i]), source)
    return index


def _decide(exponents: Exponents, uniform: int, source: Source) -> int:
    """The index for a U whose first 64 bits are ``uniform``, by comparisons that are certain."""
    bits = WORD
    while True:
        with balls.precision(bits + WORD):
            sums = list(accumulate(exponents.weights()))
            unit = sums[-1] / arb(2) ** bits
            least, most = unit * uniform, unit * (uniform + 1)  # U·Σ lies in [least, most)
            passed = sum(value <= least for value in sums[:-1])  # a ball compares true only when it is certain
            if passed == len(sums) - 1 or most <= sums[passed]:
                return passed
        uniform = (uniform << WORD) | source.random_bits(WORD)
        bits += WORD

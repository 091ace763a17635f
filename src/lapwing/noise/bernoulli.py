"""Coins of exact bias: Bernoulli(p) for rational p, Bernoulli(e^-x) for rational x, and any p that balls enclose.

The one idea: a uniform real U is below p or it is not, and its first 64 bits nearly always tell which. When they
do not, more bits of both are made until they do. So a coin has bias p exactly, although e^-x is never known exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import SupportsIndex, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls, parameters
from lapwing.algebra.exact import Number
from lapwing.noise.exponents import RELATIVE_ERROR, Exponents
from lapwing.noise.source import SECURE, Source
from lapwing.noise.uniform_comparison import WORD_BITS, uniform_below

#: How close U and an approximate p in [0, 1] may be before balls decide: the error of p, and the bits left out of U.
_MARGIN = RELATIVE_ERROR + 2.0**-50


@overload
def bernoulli(p: Number, size: None = None, source: Source = SECURE) -> bool: ...
@overload
def bernoulli(p: Number, size: SupportsIndex, source: Source = SECURE) -> NDArray[np.bool_]: ...
def bernoulli(p: Number, size: SupportsIndex | None = None, source: Source = SECURE) -> bool | NDArray[np.bool_]:
    """True with probability exactly ``p``, a rational in [0, 1]."""
    bias = parameters.probability(p, "p")
    return coin(lambda: balls.ball(bias), size, source)


@overload
def bernoulli_exp(x: Number, size: None = None, source: Source = SECURE) -> bool: ...
@overload
def bernoulli_exp(x: Number, size: SupportsIndex, source: Source = SECURE) -> NDArray[np.bool_]: ...
def bernoulli_exp(x: Number, size: SupportsIndex | None = None, source: Source = SECURE) -> bool | NDArray[np.bool_]:
    """True with probability exactly e^-``x``, for a rational ``x`` of 0 or more."""
    exponent = parameters.nonnegative(x, "x")
    return coin(partial(_exp_minus, exponent), size, source)


def bernoulli_exp_each(exponents: Exponents, source: Source = SECURE) -> NDArray[np.bool_]:
    """For each exponent x a coin of its own, True with probability exactly e^-x.

    Floats only filter: they decide where U is farther from e^-x than their proven error, and balls decide the rest.
    """
    words = source.words(len(exponents))
    uniform = (words >> np.uint64(11)) * 2.0**-53  # U lies in [uniform, uniform + 2^-53)
    p = exponents.approximate_exp()
    heads: NDArray[np.bool_] = uniform < p
    for i in np.flatnonzero(np.abs(uniform - p) <= _MARGIN):
        heads[i] = _decide(partial(_exp_minus, exponents.exact(int(i))), int(words[i]), source)
    return heads


@overload
def coin(probability: Callable[[], arb], size: None, source: Source = SECURE) -> bool: ...
@overload
def coin(probability: Callable[[], arb], size: SupportsIndex, source: Source = SECURE) -> NDArray[np.bool_]: ...
@overload
def coin(
    probability: Callable[[], arb], size: SupportsIndex | None, source: Source = SECURE
) -> bool | NDArray[np.bool_]: ...
def coin(
    probability: Callable[[], arb], size: SupportsIndex | None, source: Source = SECURE
) -> bool | NDArray[np.bool_]:
    """True with the probability in [0, 1] that ``probability()`` encloses at any precision asked."""
    if size is None:
        return uniform_below(probability, source)
    words = source.words(parameters.whole(size, "size", 0))
    with balls.precision(2 * WORD_BITS):
        digits = probability() * arb(2) ** WORD_BITS
        least, most = digits.lower().floor().unique_fmpz(), digits.upper().ceil().unique_fmpz()
    if least is None or most is None:
        raise AssertionError("a probability came out infinite")
    heads = _below(words, int(least))
    for i in np.flatnonzero(heads != _below(words, int(most))):
        heads[i] = _decide(probability, int(words[i]), source)
    return heads


def _below(words: NDArray[np.uint64], bound: int) -> NDArray[np.bool_]:
    """Whether each word is below ``bound``, which may be anything up to and past 2^64."""
    if bound <= 0:
        return np.zeros(len(words), dtype=np.bool_)
    return words <= np.uint64(min(bound, 1 << WORD_BITS) - 1)


def _exp_minus(x: Fraction) -> arb:
    return (-balls.ball(x)).exp()


def _decide(probability: Callable[[], arb], word: int, source: Source) -> bool:
    return uniform_below(probability, source, uniform=word, bits=WORD_BITS)

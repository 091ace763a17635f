"""A whole number drawn evenly from 0 .. n-1, for any n.

The one idea: 2^64 is rarely a multiple of n, so the words past the last full multiple are thrown away and drawn again.
How long that takes says nothing about the number that comes out.
"""

from __future__ import annotations

from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.noise.source import SECURE, Source

#: Up to this n the numbers fit NumPy's signed integers; beyond, they are Python's.
WIDEST = 1 << 63


@overload
def uniform(n: SupportsIndex, size: None = None, source: Source = SECURE) -> int: ...
@overload
def uniform(n: SupportsIndex, size: int, source: Source = SECURE) -> NDArray[Any]: ...
def uniform(n: SupportsIndex, size: int | None = None, source: Source = SECURE) -> int | NDArray[Any]:
    """Each of 0 .. ``n``-1 with probability exactly 1/n: int64, or an array of Python integers when n > 2^63."""
    count = parameters.whole(n, "n")
    if size is None:
        return _one(count, source)
    length = parameters.whole(size, "size", 0)
    if count <= WIDEST:
        return _many(count, length, source)
    drawn = np.empty(length, dtype=object)
    drawn[:] = [_one(count, source) for _ in range(length)]
    return drawn


def _one(n: int, source: Source) -> int:
    bits = (n - 1).bit_length()
    while True:
        number = source.random_bits(bits)
        if number < n:
            return number


def _many(n: int, size: int, source: Source) -> NDArray[np.int64]:
    if n & (n - 1) == 0:  # a power of two takes whole bits and refuses nothing
        return (source.words(size) & np.uint64(n - 1)).astype(np.int64)
    last = np.uint64((1 << 64) - (1 << 64) % n - 1)  # words 0..last hold every remainder equally often
    words = source.words(size)
    refused = np.flatnonzero(words > last)
    if len(refused):
        words = words.copy()
        while len(refused):
            words[refused] = source.words(len(refused))
            refused = refused[words[refused] > last]
    return (words % np.uint64(n)).astype(np.int64)

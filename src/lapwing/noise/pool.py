"""Noise drawn ahead: a scalar draw takes one number from a list instead of starting a vector draw.

The one idea: taking a number from the pool does not depend on the number, because it was drawn in a batch before and
is moved without being looked at (peers' scalar samplers loop longer for larger noise, and the time tells). Python's
own arithmetic on it afterwards, as in ``release``, is outside this promise: nanoseconds differ there. Each thread has
its own numbers, and a number left behind by a fork is dropped: parent and child must not both use it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lapwing.noise.source import generation

BATCH = 4096
#: Vectors up to this length are taken from the pool too: short answers must not show in the time either.
SHORT = 64


class Pool:
    """A stock of independent draws from one distribution, per thread."""

    __slots__ = ("_draw", "_threads")

    def __init__(self, draw: Callable[[int], NDArray[np.int64]]) -> None:
        self._draw = draw
        self._threads = threading.local()

    def one(self) -> int:
        """A fresh draw."""
        threads = self._threads
        while True:
            try:
                # One uninterruptible step, so no two callers get the same number. It moves from list to list because
                # holding it in a variable would touch it, and memory is faster for Python's cached small ints.
                taken: list[int] = [threads.values.pop()]
            except (AttributeError, IndexError):
                self._refill()
                continue
            if threads.generation == generation():  # asked after the pop, in case a signal handler forked before it
                return taken.pop()
            threads.values = []

    def many(self, count: int) -> NDArray[np.int64]:
        """``count`` fresh draws."""
        if count > SHORT:
            return self._draw(count)
        return np.array([self.one() for _ in range(count)], dtype=np.int64)

    def _refill(self) -> None:
        drawn_in = generation()
        values = self._draw(BATCH).tolist()
        self._threads.generation = drawn_in
        self._threads.values = values

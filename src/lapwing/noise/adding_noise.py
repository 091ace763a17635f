"""Adding noise to whole numbers without wrapping around: what the additive mechanisms share.

The one idea: values are clamped to ±2^61 before noise is added and sums are clamped to ±2^61 after. Clamping before
moves no two values further apart, and clamping after is post-processing, so neither costs any privacy; a sum that
wrapped around would. Noise beyond ±2^62 arrives as *some* number beyond ±2^62, and the sum is clamped either way.

What is refused is refused by its type alone: no message or failure depends on a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.errors import InvalidInput
from lapwing.noise.arrays import is_array, kind_of
from lapwing.noise.geometric_sampler import LIMIT
from lapwing.noise.pool import Pool

_LARGEST = LIMIT // 2
_WHOLE = (int, np.integer)

#: Numbers that mechanisms accept: lattice steps.
Steps = int | np.integer | NDArray[np.integer]


class Additive(ABC):
    """A mechanism that adds its noise to whole numbers: what it says itself is where draws come from."""

    __slots__ = ()

    @abstractmethod
    def _pool(self) -> Pool:
        """Where draws come from."""

    @overload
    def sample(self, size: None = None) -> int: ...
    @overload
    def sample(self, size: SupportsIndex) -> NDArray[np.int64]: ...
    def sample(self, size: SupportsIndex | None = None) -> int | NDArray[np.int64]:
        """Noise alone: one draw, or an array of ``size`` draws; past ±2^62 (never seen) only some number past it."""
        return self._pool().one() if size is None else self._pool().many(parameters.whole(size, "size", least=0))

    @overload
    def release(self, values: int | np.integer) -> int: ...
    @overload
    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]: ...
    def release(self, values: int | np.integer | NDArray[np.integer]) -> int | NDArray[np.int64]:
        """The values plus noise, clamped to ±2^61."""
        return add_noise(values, self._pool())


@overload
def add_noise(values: int | np.integer, pool: Pool) -> int: ...
@overload
def add_noise(values: NDArray[np.integer], pool: Pool) -> NDArray[np.int64]: ...
def add_noise(values: Steps, pool: Pool) -> int | NDArray[np.int64]:
    """Each value plus a fresh draw: an int for an int, an array of the same shape for an array."""
    if is_array(values) and values.dtype.kind in "iu":
        noise = pool.many(values.size).reshape(values.shape)
        sums = np.clip(values, *_clamp_range(values.dtype)).astype(np.int64) + noise
        clamped: NDArray[np.int64] = sums.clip(-_LARGEST, _LARGEST)
        return clamped
    if isinstance(values, _WHOLE) and not isinstance(values, bool):
        return _clamp(_clamp(int(values)) + pool.one())
    raise InvalidInput(
        "N201",
        f"noise was to be added to {kind_of(values)}",
        "Give an int or an array of integers: numbers of lattice steps",
    )


def _clamp(value: int) -> int:
    if -_LARGEST <= value <= _LARGEST:
        return value
    return _LARGEST if value > 0 else -_LARGEST


def _clamp_range(dtype: np.dtype[np.integer]) -> tuple[int, int]:
    """The part of ±2^61 that the type can hold, so that NumPy compares integers, not floats."""
    limits = np.iinfo(dtype)
    return max(int(limits.min), -_LARGEST), min(int(limits.max), _LARGEST)


def lattice_point(value: SupportsIndex, name: str) -> int:
    """A whole number of steps, at which a distribution is asked for."""
    return parameters.whole(value, name, least=-LIMIT)

"""Lists as values: appending gives another list, and the one before stays what it was.

The one idea: a list that grew is the beginning of a store that later lists share. Growing the longest of them adds to
the store, so n appends cost O(n) in all; growing a shorter one copies its part first. Nobody can see the difference
from a tuple: lists made whole are tuples, and a :class:`Grown` equals the tuple of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload


class Grown(Sequence[object]):
    """The first ``length`` elements of a store that only ever gets longer."""

    __slots__ = ("_length", "_store")

    def __init__(self, store: list[object], length: int) -> None:
        self._store = store
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[object, ...]: ...
    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return tuple(self._store[slice(*index.indices(self._length))])
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._store[index if index >= 0 else index + self._length]

    def __iter__(self) -> Iterator[object]:
        return islice(self._store, self._length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grown | tuple):
            return NotImplemented
        return len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def append(self, value: object) -> Grown:
        """The list with one element more."""
        store = self._store if len(self._store) == self._length else self._store[: self._length]
        store.append(value)
        return Grown(store, self._length + 1)


def appended(values: Sequence[object], value: object) -> Grown:
    """The list ``values`` with ``value`` after it."""
    grown = values if isinstance(values, Grown) else Grown(list(values), len(values))
    return grown.append(value)

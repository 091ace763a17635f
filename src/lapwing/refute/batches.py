"""A batch: many states of a program with the same shape and their weights, and how batches split and merge.

The one idea: states are told apart only as far as the program looks. A batch splits where a branch or a closed form
divides it, and batches whose variables have the same shape merge again, equal states adding their weights. What
no state can be given (the cut tails of noise) is mass that may do anything: :class:`Escape` adds it up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lapwing.refute import values
from lapwing.refute.values import Column, Counts, Flags, Pending, Plain, Value
from lapwing.refute.weights import DUST, ExactWeights, FloatWeights, Rows, Weights, widened


@dataclass(slots=True)
class Escape:
    """An upper bound on the probability of everything that was cut off."""

    mass: float = DUST

    def add(self, weights: Weights, tail: float = 1.0) -> None:
        """Count ``tail`` of these weights as gone; exact weights never go."""
        if isinstance(weights, ExactWeights):
            raise AssertionError("an exact distribution was cut")
        self.mass = widened(self.mass + weights.total() * tail, 4)


@dataclass(frozen=True, slots=True)
class Batch:
    """Values of the variables, as :mod:`lapwing.refute.values` has them, for as many states as there are weights."""

    variables: Mapping[str, Value]
    weights: Weights

    def __len__(self) -> int:
        return len(self.weights)

    def with_variable(self, name: str, value: Value) -> Batch:
        """The same states, with one variable set."""
        return Batch({**self.variables, name: value}, self.weights)

    def without(self, name: str) -> Batch:
        """The same states, with one variable forgotten."""
        return Batch({key: value for key, value in self.variables.items() if key != name}, self.weights)

    def take(self, rows: Rows | NDArray[np.bool_]) -> Batch:
        """Some of the states, in the order given."""
        return Batch({name: taken(value, rows) for name, value in self.variables.items()}, self.weights.take(rows))

    def split(self, labels: NDArray[np.int64] | NDArray[np.bool_]) -> Iterator[Batch]:
        """One batch per label."""
        for label in np.unique(labels):
            yield self.take(labels == label)

    def reweighted(self, weights: Weights) -> Batch:
        """The same states with other weights; states of weight 0 go."""
        present = weights.present()
        batch = Batch(self.variables, weights)
        return batch if present.all() else batch.take(present)

    def repeated(self, times: int, weights: Weights) -> Batch:
        """Every state ``times`` times in a row, with the weights given."""
        rows = np.repeat(np.arange(len(self)), times)
        return Batch({name: taken(value, rows) for name, value in self.variables.items()}, weights)


def taken(value: Value, rows: Rows | NDArray[np.bool_]) -> Value:
    """The value in some of the states."""
    match value:
        case Column(counts, unit):
            return Column(counts[rows], unit)
        case Flags(bits):
            return Flags(bits[rows])
        case Pending(noise, multiplier, offset, low, high):
            ends = [None if end is None else end[rows] for end in (low, high)]
            return Pending(noise, multiplier, cast(values.Number, taken(offset, rows)), *ends)
        case tuple() if any(not isinstance(item, Fraction | bool) for item in value):
            return tuple(taken(item, rows) for item in value)
    return value


def plain_values(value: Value, rows: int) -> list[Plain]:
    """The value in each state, as ordinary Python values."""
    match value:
        case Column(counts, unit):
            known = {count: int(count) * unit for count in np.unique(counts)}
            return [known[count] for count in counts]
        case Flags(bits):
            return [bool(bit) for bit in bits]
        case tuple():
            if not value:
                return [()] * rows
            return list(zip(*(plain_values(item, rows) for item in value), strict=True))
        case Pending():
            raise AssertionError("fresh noise is no value")
    return [value] * rows


# --- merging ---------------------------------------------------------------------------------------------


def _shape(value: Value) -> object:
    """Equal for values that can share a column."""
    match value:
        case Fraction() | Column():
            return "number"
        case bool() | Flags():
            return "truth"
        case Pending(noise, multiplier, _, low, high):
            return (id(noise), multiplier, low is None, high is None)
        case tuple():
            return tuple(_shape(item) for item in value)


def merged(batches: Sequence[Batch], keep: Callable[[str], bool]) -> list[Batch]:
    """The same distribution over the variables worth keeping, with as few states and batches as possible."""
    groups: dict[object, list[Batch]] = {}
    for batch in batches:
        if len(batch):
            kept = Batch({name: value for name, value in batch.variables.items() if keep(name)}, batch.weights)
            names = sorted(kept.variables)
            groups.setdefault(tuple((name, _shape(kept.variables[name])) for name in names), []).append(kept)
    return [_compressed(_joined(group)) for group in groups.values()]


def _joined(group: list[Batch]) -> Batch:
    if len(group) == 1:
        return group[0]
    sizes = [len(batch) for batch in group]
    variables = {name: _together([batch.variables[name] for batch in group], sizes) for name in group[0].variables}
    if isinstance(group[0].weights, FloatWeights):
        return Batch(variables, FloatWeights.joined([cast(FloatWeights, batch.weights) for batch in group]))
    return Batch(variables, ExactWeights.joined([cast(ExactWeights, batch.weights) for batch in group]))


def _together(parts: list[Value], sizes: list[int]) -> Value:
    first = parts[0]
    if isinstance(first, tuple):
        if all(part == first for part in parts) and _is_plain(first):
            return first
        places = zip(*(values.sequence(part) for part in parts), strict=True)
        return tuple(_together(list(items), sizes) for items in places)
    if isinstance(first, Pending):
        draws = cast("list[Pending]", parts)
        offset = _together([draw.offset for draw in draws], sizes)
        low = None if first.low is None else np.concatenate([cast(Counts, draw.low) for draw in draws])
        high = None if first.high is None else np.concatenate([cast(Counts, draw.high) for draw in draws])
        return Pending(first.noise, first.multiplier, cast(values.Number, offset), low, high)
    if isinstance(first, bool | Flags):
        if all(isinstance(part, bool) and part == first for part in parts):
            return first
        bits = [values.as_flags(cast(values.Truth, part), size).bits for part, size in zip(parts, sizes, strict=True)]
        return Flags(np.concatenate(bits))
    if all(isinstance(part, Fraction) and part == first for part in parts):
        return first
    columns = [values.as_column(cast(values.Number, part), size) for part, size in zip(parts, sizes, strict=True)]
    return reduce(_appended, columns)


def _appended(left: Column, right: Column) -> Column:
    a, b, unit = values.aligned(left, right)
    return Column(np.concatenate([a, b]), unit)


def _is_plain(value: Value) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(item) for item in value)
    return isinstance(value, Fraction | bool)


def _columns(value: Value) -> Iterator[Counts]:
    match value:
        case Column(counts, _):
            yield counts
        case Flags(bits):
            yield bits.astype(np.int64)
        case Pending(_, _, offset, low, high):
            yield from _columns(offset)
            yield from (end for end in (low, high) if end is not None)
        case tuple():
            for item in value:
                yield from _columns(item)


def _compressed(batch: Batch) -> Batch:
    """Equal states become one, with the sum of their weights; columns that turned constant become plain values."""
    if len(batch) == 1:
        return _constants_plain(batch)
    columns = [column for value in batch.variables.values() for column in _columns(value)]
    order, starts = _groups(columns, len(batch))
    if len(starts) == len(batch):
        return batch
    states = batch.take(order[starts])
    return _constants_plain(Batch(states.variables, batch.weights.summed(order, starts)))


def _groups(columns: list[Counts], rows: int) -> tuple[Rows, Rows]:
    """An order that puts equal rows side by side, and where each run of equal rows starts."""
    key = _packed(columns, rows)
    if key is not None:
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        fresh = ordered[1:] != ordered[:-1]
    else:
        order = np.lexsort(columns)
        fresh = np.zeros(rows - 1, dtype=bool)
        for column in columns:
            ordered = column[order]
            fresh |= ordered[1:] != ordered[:-1]
    return order, np.concatenate([np.zeros(1, dtype=np.int64), np.flatnonzero(fresh) + 1])


def _packed(columns: list[Counts], rows: int) -> Counts | None:
    """One whole number per row that tells rows apart, when the columns' ranges are small enough for 62 bits."""
    key = np.zeros(rows, dtype=np.int64)
    size = 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        span = high - low + 1
        size *= span
        if size >= 1 << 62:
            return None
        if span > 1:
            key = key * span + (column - low)
    return key


def _constants_plain(batch: Batch) -> Batch:
    return Batch({name: _plain_if_constant(value) for name, value in batch.variables.items()}, batch.weights)


def _plain_if_constant(value: Value) -> Value:
    match value:
        case Column(counts, unit) if (counts == counts[0]).all():
            return int(counts[0]) * unit
        case Flags(bits) if (bits == bits[0]).all():
            return bool(bits[0])
        case Pending(offset=offset):
            return replace(value, offset=cast(values.Number, _plain_if_constant(offset)))
        case tuple() if not all(isinstance(item, Fraction | bool) for item in value):
            return tuple(_plain_if_constant(item) for item in value)
    return value

"""Values of a whole batch of states at once: what is the same in all states is a plain value, the rest is a column.

The one idea: lists, their lengths and everything noise has not touched are the same in every state of a batch, so
they stay ordinary Python values; only numbers and truth values that noise made differ become NumPy columns, whole
numbers of a rational ``unit``. Whatever needs one value per state where a column is (a slice, a list length) asks
for the batch to be split: :class:`Split`. Fresh noise nobody has looked at is a :class:`Pending` value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lapwing.refute.limits import TooFar, bounded
from lapwing.refute.noises import LatticeNoise

Counts = NDArray[np.int64]
_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A number per state: ``counts * unit``."""

    counts: Counts
    unit: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """A truth value per state."""

    bits: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """offset + multiplier·k for a draw k of ``noise`` that states know little about; multiplier is not 0.

    They know ``low <= k`` or ``k <= high``, a bound per state, where one of those is given. The probability of that
    is not in the weights yet: it is paid when the draw is enumerated, matched or forgotten.
    """

    noise: LatticeNoise
    multiplier: Fraction
    offset: Fraction | Column
    low: Counts | None = None
    high: Counts | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether something is known about the draw."""
        return self.low is not None or self.high is not None


#: What one state holds: a number, a truth value, or a list or tuple of such.
Plain = Fraction | bool | tuple["Plain", ...]
Number = Fraction | Column
Truth = bool | Flags
Value = Fraction | bool | Column | Flags | Pending | tuple["Value", ...]


class Split(Exception):  # not an error: the batch falls into parts with different labels
    """One value per state is needed where the states differ; ``labels`` says which states agree."""

    def __init__(self, labels: NDArray[np.int64] | NDArray[np.bool_]) -> None:
        super().__init__()
        self.labels = labels


class Touched(Exception):  # not an error: the draw must be enumerated
    """Fresh noise is used in a way that has no closed form."""


def guarded(counts: Counts, factor: int) -> Counts:
    """``counts * factor``, refused rather than wrapped around."""
    largest = int(np.abs(counts).max(initial=0)) * abs(factor)
    if largest >= _LIMIT:
        raise TooFar
    return counts * factor


def number(value: Value) -> Number:
    """A number that is no fresh noise."""
    if isinstance(value, Pending):
        raise Touched
    return cast(Number, value)


def one_number(value: Value) -> Fraction:
    """The number all states agree on; splits the batch when they do not."""
    plain = number(value)
    if isinstance(plain, Fraction):
        return plain
    if plain.counts.size and (plain.counts != plain.counts[0]).any():
        raise Split(plain.counts)
    return int(plain.counts[0]) * plain.unit if plain.counts.size else Fraction(0)


def one_truth(value: Value) -> bool:
    """The truth value all states agree on; splits the batch when they do not."""
    if isinstance(value, Flags):
        if value.bits.any() and not value.bits.all():
            raise Split(value.bits)
        return bool(value.bits.all())
    return cast(bool, value)


def sequence(value: Value) -> tuple[Value, ...]:
    """A list or tuple."""
    return cast("tuple[Value, ...]", value)


def aligned(left: Column, right: Column) -> tuple[Counts, Counts, Fraction]:
    """Both columns counted in one unit."""
    if left.unit == right.unit:
        return left.counts, right.counts, left.unit
    denominator = lcm(left.unit.denominator, right.unit.denominator)
    a, b = (unit.numerator * (denominator // unit.denominator) for unit in (left.unit, right.unit))
    shared = gcd(a, b)
    return guarded(left.counts, a // shared), guarded(right.counts, b // shared), Fraction(shared, denominator)


def as_column(value: Number, rows: int) -> Column:
    """The number as a column of ``rows`` states."""
    if isinstance(value, Column):
        return value
    if value == 0:
        return Column(np.zeros(rows, dtype=np.int64), Fraction(1))
    if value.denominator == 1:
        return Column(guarded(np.ones(rows, dtype=np.int64), value.numerator), Fraction(1))
    sign = 1 if value > 0 else -1
    return Column(np.full(rows, sign, dtype=np.int64), abs(value))


def as_flags(value: Truth, rows: int) -> Flags:
    """The truth value as a column of ``rows`` states."""
    return value if isinstance(value, Flags) else Flags(np.full(rows, value))


def add(left: Value, right: Value) -> Value:
    """The sum."""
    if isinstance(left, Pending) or isinstance(right, Pending):
        noise, other = (left, right) if isinstance(left, Pending) else (cast(Pending, right), left)
        return replace(noise, offset=cast(Number, add(noise.offset, number(other))))
    left, right = number(left), number(right)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return bounded(left + right)
    if isinstance(left, Fraction):
        left, right = right, left
    column = cast(Column, left)
    if right == 0:
        return column
    a, b, unit = aligned(column, as_column(right, len(column.counts)))
    guarded(a, 2), guarded(b, 2)
    return Column(a + b, unit)


def scale(value: Value, factor: Fraction) -> Value:
    """The value times a number all states agree on."""
    if isinstance(value, Fraction):
        return bounded(value * factor)
    if factor == 0:
        return Fraction(0)
    if isinstance(value, Pending):
        return replace(value, multiplier=value.multiplier * factor, offset=cast(Number, scale(value.offset, factor)))
    column = cast(Column, value)
    return Column(column.counts if factor > 0 else -column.counts, column.unit * abs(factor))


def multiply(left: Value, right: Value) -> Value:
    """The product."""
    if isinstance(right, Fraction):
        return scale(left, right)
    if isinstance(left, Fraction):
        return scale(right, left)
    a, b = cast(Column, number(left)), cast(Column, number(right))
    guarded(np.abs(a.counts), int(np.abs(b.counts).max(initial=0)))
    return Column(a.counts * b.counts, a.unit * b.unit)


_COMPARE: dict[str, Callable[..., object]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def compare(operator: str, left: Value, right: Value) -> Truth:
    """Whether the comparison holds, on numbers or (== and !=) truth values."""
    if isinstance(left, bool | Flags):
        if isinstance(left, bool) and isinstance(right, bool):
            return (left == right) == (operator == "==")
        rows = len(left.bits) if isinstance(left, Flags) else len(cast(Flags, right).bits)
        same = as_flags(left, rows).bits == as_flags(cast(Truth, right), rows).bits
        return Flags(same if operator == "==" else ~same)
    a, b = number(left), number(right)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return bool(_COMPARE[operator](a, b))
    rows = len(a.counts) if isinstance(a, Column) else len(cast(Column, b).counts)
    x, y, _ = aligned(as_column(a, rows), as_column(b, rows))
    return Flags(cast("NDArray[np.bool_]", _COMPARE[operator](x, y)))


def where(condition: Flags, then: Value, otherwise: Value) -> Value:
    """Per state, one of two scalars; lists split the batch instead."""
    rows = len(condition.bits)
    if condition.bits.all() or not condition.bits.any():  # also: nothing is left to split
        return then if condition.bits.all() else otherwise
    if isinstance(then, tuple) or isinstance(otherwise, tuple):
        raise Split(condition.bits)
    if isinstance(then, bool | Flags):
        return Flags(np.where(condition.bits, as_flags(then, rows).bits, as_flags(cast(Truth, otherwise), rows).bits))
    a, b, unit = aligned(as_column(number(then), rows), as_column(number(otherwise), rows))
    return Column(np.where(condition.bits, a, b), unit)

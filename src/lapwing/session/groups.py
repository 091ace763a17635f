"""The groups of a release: which there are, and where each row of an engine's table belongs.

The one idea: with public keys the groups are all combinations of the keys, whatever the data says; with unknown keys
they are those the private choice kept, in the order of their keys, never in the order of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Constant, Kind
from lapwing.kernel.evidence.plan import Key
from lapwing.query.lowering import Statement

_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.REAL: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.string(),
    Kind.TIMESTAMP: pa.string(),
}
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an engine returned for a statement; its columns are known by their places."""

    statement: Statement
    table: pa.Table

    def key(self, at: int, key: Key) -> pa.Array:
        """The column of a key, in the type all its comparisons use."""
        column = self.table.column(at).cast(_TYPES[key.type.kind]).combine_chunks()
        if key.type.kind is Kind.TIMESTAMP:  # 12:00:00 and 12:00:00.000000 are one moment
            column = pc.replace_substring_regex(column, r"(\.\d*?)0+$", r"\1")
            column = pc.replace_substring_regex(column, r"\.$", "")
        return column

    def bucket(self) -> NDArray[np.int64]:
        """The bucket of each row, for a quantile."""
        return self._whole(len(self.statement.keys))

    def value(self, name: str) -> NDArray[np.int64]:
        """A measurement before noise, in whole steps."""
        return self._whole(len(self.statement.keys) + self.statement.bucketed + self.statement.values.index(name))

    def _whole(self, at: int) -> NDArray[np.int64]:
        column = self.table.column(at)
        if column.null_count or not pa.types.is_integer(column.type):
            raise InvalidInput("E190", "an engine returned something else than whole numbers", "Report this mistake")
        values: NDArray[np.int64] = column.to_numpy().astype(np.int64)
        return values


@dataclass(frozen=True, slots=True)
class Groups:
    """So many groups, and for each key a column of its values."""

    keys: tuple[Key, ...]
    columns: tuple[pa.Array, ...]
    count: int
    #: where groups were chosen: how many people were found in each, after noise
    people: NDArray[np.int64] | None = None

    def places(self, fetched: Fetched) -> Places:
        """The group of each row of an engine's table; -1 for a row that belongs to none."""
        if not self.keys:
            return np.zeros(fetched.table.num_rows, np.int64)
        found = [fetched.key(at, key) for at, key in enumerate(self.keys)]
        if all(key.values is not None for key in self.keys):
            return _combined(
                [_codes(column, _listed(key)) for column, key in zip(found, self.keys, strict=True)],
                [len(key.values or ()) for key in self.keys],
            )
        return self._searched(found)

    def _searched(self, found: Sequence[pa.Array]) -> Places:
        """Among chosen groups: encode both sides alike and look one up in the other."""
        own, other, sizes = [], [], []
        for mine, theirs in zip(self.columns, found, strict=True):
            values = pc.unique(mine)
            own.append(_codes(mine, values))
            other.append(_codes(theirs, values))
            sizes.append(len(values))
        mine_all, theirs_all = _combined(own, sizes), _combined(other, sizes)
        order = np.argsort(mine_all, kind="stable")
        if not len(order):
            return np.full(len(theirs_all), -1, np.int64)
        at = np.minimum(np.searchsorted(mine_all, theirs_all, sorter=order), len(order) - 1)
        return np.where((theirs_all >= 0) & (mine_all[order[at]] == theirs_all), order[at], -1)


def public_groups(keys: Sequence[Key]) -> Groups:
    """Every combination of listed keys; one group when there is nothing to group by."""
    sizes = [len(key.values or ()) for key in keys]
    count = int(np.prod(sizes, dtype=np.int64)) if sizes else 1
    columns = []
    inner = count
    for key, size in zip(keys, sizes, strict=True):
        inner = inner // size if size else 0
        at = (np.arange(count) // max(inner, 1)) % max(size, 1)
        columns.append(_listed(key).take(pa.array(at)))
    return Groups(tuple(keys), tuple(columns), count)


def chosen_groups(keys: Sequence[Key], fetched: Fetched, people: NDArray[np.int64], threshold: int) -> Groups:
    """The groups in which so many people were found after noise, sorted by their keys."""
    kept = people >= threshold
    columns = [fetched.key(at, key).filter(pa.array(kept)) for at, key in enumerate(keys)]
    order = pc.sort_indices(
        pa.table({str(at): column for at, column in enumerate(columns)}),
        sort_keys=[(str(at), "ascending") for at in range(len(columns))],
    )
    found = people[kept][order.to_numpy()]
    return Groups(tuple(keys), tuple(column.take(order) for column in columns), len(order), found)


def _listed(key: Key) -> pa.Array:
    return pa.array([_plain(value, key.type.kind) for value in key.values or ()], _TYPES[key.type.kind])


def _plain(value: Constant, kind: Kind) -> object:
    if value is None or isinstance(value, str):
        return value
    if kind is Kind.REAL:
        return float(value)
    return value if isinstance(value, int) else int(value)


def _codes(column: pa.Array, values: pa.Array) -> Places:
    """The position of each value; -1 for one that is not there."""
    found = pc.index_in(column, value_set=values, skip_nulls=False)
    codes: Places = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _combined(codes: Sequence[Places], sizes: Sequence[int]) -> Places:
    """One number for a combination of keys; -1 where any key is unknown."""
    total: Places = np.zeros(len(codes[0]), np.int64)
    unknown = np.zeros(len(codes[0]), bool)
    for code, size in zip(codes, sizes, strict=True):
        total = total * size + code
        unknown |= code < 0
    return np.where(unknown, -1, total)

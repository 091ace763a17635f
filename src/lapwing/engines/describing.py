"""What a source holds, for writing a policy: its columns and their kinds, read from the schema."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from lapwing.engines import files
from lapwing.engines.failures import guarded, unreadable
from lapwing.engines.kinds import kind_of
from lapwing.engines.listing import Keys, key_lists
from lapwing.engines.opening_sql import quoted_name, quoted_text, scan_of
from lapwing.engines.person_column import unit_kind
from lapwing.kernel.evidence.expressions import Kind
from lapwing.policy import Column, is_column_name

#: Kinds that have lists of keys, as DuckDB reads them.
_KEYED = {"integer": "BIGINT", "text": "VARCHAR", "boolean": "BOOLEAN", "date": "DATE"}
#: Kinds that have ranges of numbers.
_NUMBERS = {"integer": "BIGINT", "real": "DOUBLE"}


def describe(path: str | Path, relation: str | None = None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a source for writing a policy; the ``unit`` as a kind that keeps people apart.

    Those of no kind (lists, structures, bytes) and those whose name cannot be printed are left out: see ``kinds``. The
    columns of a text file are text: what else they are the curator says, or one odd cell would decide it for everybody.
    """
    columns = []
    for name, stored in _types(path, relation).items():
        kind = kind_of(stored)
        if unit is not None and name.lower() == unit.lower():
            kind = unit_kind(stored)
        if kind is not None and is_column_name(name):
            columns.append(Column(name, kind.value))
    return tuple(columns)


def kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """All columns of a source, each with its kind; None for those of no kind."""
    return {name: kind_of(stored) for name, stored in _types(path, relation).items()}


def guessed_kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """The same, with kinds of text files guessed from their values: the curator's own look at the data."""
    return {name: kind_of(stored) for name, stored in _types(path, relation, guessed=True).items()}


def public_keys(path: str | Path, relation: str | None, columns: Sequence[Column]) -> dict[str, Keys]:
    """The different values of each column of a public table, where they are few enough to be a list of keys."""
    with _opened(path, relation) as (scan, rows):

        def different(column: Column, most: int) -> list[object]:
            read = f"TRY_CAST({quoted_name(column.name)} AS {_KEYED[column.kind]})"
            text = f"SELECT DISTINCT {read} AS v FROM {scan} WHERE {read} IS NOT NULL ORDER BY v LIMIT {most}"  # noqa: S608  # quoted
            return [row[0] for row in rows(text)]

        return key_lists(columns, different)


def public_ranges(path: str | Path, relation: str | None, columns: Sequence[Column]) -> dict[str, tuple[str, str]]:
    """The least and the greatest number of each column of a public table that has any, as people write them."""
    found: dict[str, tuple[str, str]] = {}
    with _opened(path, relation) as (scan, rows):
        for column in columns:
            if column.kind in _NUMBERS:
                read = f"TRY_CAST({quoted_name(column.name)} AS {_NUMBERS[column.kind]})"
                ((low, high),) = rows(f"SELECT min({read}), max({read}) FROM {scan} WHERE isfinite({read}::DOUBLE)")  # noqa: S608  # quoted
                if low is not None:
                    found[column.name] = (str(low), str(high))
    return found


def _types(path: str | Path, relation: str | None, *, guessed: bool = False) -> dict[str, str]:
    """All columns of a source, each with the type that DuckDB finds; only the schema is read, unless it is guessed."""
    with _opened(path, relation, guessed=guessed) as (scan, rows):
        return {str(name): str(stored) for name, stored, *_ in rows(f"DESCRIBE FROM {scan}")}


@contextlib.contextmanager
def _opened(
    path: str | Path, relation: str | None, *, guessed: bool = False
) -> Iterator[tuple[str, Callable[[str], list[tuple[Any, ...]]]]]:
    """What to read a source from, and a question's rows."""
    source = files.find(Path(path))
    otherwise = unreadable(source.files[0].name, relation)
    with contextlib.closing(duckdb.connect()) as connection:
        if source.format == files.DATABASE:
            attach = f"ATTACH {quoted_text(str(source.files[0]))} AS source_0 (READ_ONLY)"
            guarded(lambda: connection.execute(attach), otherwise)
        scan = scan_of(source, relation, "source_0", guessed=guessed)
        yield scan, lambda text: guarded(lambda: connection.execute(text).fetchall(), otherwise)

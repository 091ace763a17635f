"""What a source holds, for writing a policy: its columns and their kinds, read from the schema."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb

from lapwing.engines import files
from lapwing.engines.failures import guarded, unreadable
from lapwing.engines.kinds import kind_of
from lapwing.engines.sources import quoted_text, scan_of
from lapwing.engines.units import unit_kind
from lapwing.policy import Column, is_identifier
from lapwing.query.expressions import Kind


def describe(path: str | Path, relation: str | None = None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a source for writing a policy; the ``unit`` as a kind that keeps people apart.

    Those of no kind (lists, structures, bytes) and those whose name is no name in SQL are left out: see ``kinds``.
    """
    is_text = files.find(Path(path)).format == files.CSV
    columns = []
    for name, stored in _types(path, relation).items():
        kind = kind_of(stored)
        if unit is not None and name.lower() == unit.lower():
            kind = unit_kind("VARCHAR" if is_text else stored)
        if kind is not None and is_identifier(name):
            columns.append(Column(name, kind.value))
    return tuple(columns)


def kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """All columns of a source, each with its kind; None for those of no kind."""
    return {name: kind_of(stored) for name, stored in _types(path, relation).items()}


def _types(path: str | Path, relation: str | None) -> dict[str, str]:
    """All columns of a source, each with the type that DuckDB finds.

    Only the schema is read, except of text files, which have none: there DuckDB guesses kinds from values, which is
    the curator's own look at the data.
    """
    source = files.find(Path(path))
    otherwise = unreadable(source.files[0].name, relation)
    with contextlib.closing(duckdb.connect()) as connection:
        if source.format == files.DATABASE:
            attach = f"ATTACH {quoted_text(str(source.files[0]))} AS source_0 (READ_ONLY)"
            guarded(lambda: connection.execute(attach), otherwise)
        scan = scan_of(source, relation, "source_0", guessed=True)
        rows = guarded(lambda: connection.execute(f"DESCRIBE FROM {scan}").fetchall(), otherwise)
    return {str(name): str(stored) for name, stored, *_ in rows}

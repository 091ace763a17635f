"""Statements over the tables of a policy: each table's name stands, in front of each statement, for a SELECT.

The one idea: a statement is put in brackets, where it can only be a query, behind the tables it may name:

    WITH `visits` AS (SELECT … FROM `lapwing_source_0`) SELECT * FROM (the statement) AS `the answer`
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from lapwing.engines.kinds import readable_as
from lapwing.engines.spark.sources import Source
from lapwing.engines.spark.types import quoted
from lapwing.errors import InvalidInput
from lapwing.policy import Column, Table
from lapwing.query.expressions import Kind
from lapwing.query.lowering import as_kind, stored_name


def scan_of(table: Table, source: Source, view: str) -> str:
    """A SELECT that gives every listed column as a type of its declared kind; of a public table, of every kind."""
    stored = {column.name.lower(): column for column in source.columns}
    read, shown = [], []
    for column in table.columns:
        found, declared = stored.get(column.name.lower()), Kind(column.kind)
        if found is None or found.kind is None or not readable_as(found.kind, declared):
            raise _missing(table, column)
        text, kind = found.read(declared)
        read.append(f"{text} AS {quoted(column.name)}")
        for wanted in Kind if table.role == "public" else [declared]:
            with contextlib.suppress(InvalidInput):  # a real has no text here: no query can ask for it
                as_wanted = as_kind(column.name, kind, wanted, "spark")
                shown.append(f"{as_wanted} AS {quoted(stored_name(column.name, wanted))}")
        if not any(each.endswith(quoted(stored_name(column.name, declared))) for each in shown):
            raise _missing(table, column)
    if not read:
        return f"SELECT 1 AS one FROM {quoted(view)}"  # noqa: S608  # quoted
    rows = f"SELECT {', '.join(read)} FROM {quoted(view)}"  # noqa: S608  # quoted
    return f"SELECT {', '.join(shown)} FROM ({rows}) AS `stored`"  # noqa: S608  # quoted


def around(statement: str, scans: Mapping[str, str]) -> str:
    """The statement with the tables it names. A line break, lest a comment at its end swallow the bracket."""
    named = ", ".join(f"{quoted(name)} AS ({scan})" for name, scan in scans.items() if name in statement)
    return f"{f'WITH {named} ' if named else ''}SELECT * FROM ({statement}\n) AS `the answer`"  # noqa: S608  # see above


def content_of(table: str, columns: Mapping[str, Kind], key: str) -> str:
    """A SELECT of the number of rows and two sums of a keyed hash of each; whether a cell is NULL is hashed with it."""
    cells = [quoted(stored_name(name, kind)) for name, kind in columns.items()]
    row = ", ".join([f"'{key}'", *(part for cell in cells for part in (f"ISNULL({cell})", cell))])
    return (
        "SELECT COUNT(*) AS rows, COALESCE(BIT_XOR(h), 0) AS either,"  # noqa: S608  # quoted
        " CAST(COALESCE(SUM(CAST(h AS DECIMAL(28, 0))), 0) AS STRING) AS total"
        f" FROM (SELECT XXHASH64({row}) AS h FROM {quoted(table)}) AS hashes"
    )


def _missing(table: Table, column: Column) -> InvalidInput:
    return InvalidInput(
        "E104",
        f"the data of table {table.name!r} have no {column.kind} column {column.name!r}",
        "Correct the policy, or the table",
    )

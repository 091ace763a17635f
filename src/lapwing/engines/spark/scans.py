"""Statements over the tables of a policy: each table's name stands, in front of each statement, for a SELECT.

The one idea: a statement is put in brackets, where it can only be a query, behind the tables it may name:

    WITH `visits` AS (SELECT … FROM `lapwing_source_0`) SELECT * FROM (the statement) AS `the answer`
"""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.engines.spark.types import quoted
from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering import stored_name


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

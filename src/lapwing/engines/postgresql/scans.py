"""The tables of a policy as the statements see them: a name in front of each statement, for a SELECT on the real one.

The one idea: the engine may create nothing in the database, so a statement is put inside one of ours:

    WITH "visits" AS NOT MATERIALIZED (SELECT … FROM "clinic"."visits") SELECT * FROM (the statement) AS "the answer"

What stands in brackets can only be a query, whatever its text; and a table it names is one of the policy or none, since
the search path is empty.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from lapwing.engines.kinds import readable_as
from lapwing.engines.postgresql.catalogue import Catalogued
from lapwing.engines.sources import quoted_name
from lapwing.errors import InvalidInput
from lapwing.policy import Column, Table
from lapwing.query.expressions import Kind
from lapwing.query.lowering import as_kind, stored_name


def place_of(relation: Catalogued) -> str:
    """The relation with its schema, quoted."""
    return f"{quoted_name(relation.schema)}.{quoted_name(relation.name)}"


def scan_of(table: Table, relation: Catalogued, dialect: str) -> str:
    """A SELECT that gives every listed column as a type of its declared kind; of a public table, of every kind.

    What a public column is compared with, and so read as, is known only when a query joins with it.
    """
    stored = {column.name.lower(): column for column in relation.columns}
    read, shown = [], []
    for column in table.columns:
        found = stored.get(column.name.lower())
        if found is None or found.kind is None or not readable_as(found.kind, Kind(column.kind)):
            raise _missing(table, column)
        text, kind = found.read(Kind(column.kind))
        read.append(f"{text} AS {quoted_name(column.name)}")
        for wanted in Kind if table.role == "public" else [Kind(column.kind)]:
            with contextlib.suppress(InvalidInput):  # a real has no text here: no query can ask for it
                as_wanted = as_kind(column.name, kind, wanted, dialect)
                shown.append(f"{as_wanted} AS {quoted_name(stored_name(column.name, wanted))}")
    if not read:
        return f"SELECT 1 AS one FROM {place_of(relation)}"  # noqa: S608  # quoted
    rows = f"SELECT {', '.join(read)} FROM {place_of(relation)}"  # noqa: S608  # quoted
    return f'SELECT {", ".join(shown)} FROM ({rows}) AS "stored"'  # noqa: S608  # quoted


def around(statement: str, scans: Mapping[str, str]) -> str:
    """The statement with the tables it names. A line break, lest a comment at its end swallow the bracket."""
    wanted = {quoted_name(name): scan for name, scan in scans.items() if name in statement}
    named = ", ".join(f"{name} AS NOT MATERIALIZED ({scan})" for name, scan in wanted.items())
    return f'{f"WITH {named} " if named else ""}SELECT * FROM ({statement}\n) AS "the answer"'  # noqa: S608  # what runs is a query, see above


def content_of(table: str, columns: Mapping[str, Kind], key: int) -> str:
    """A SELECT of the number of rows and two sums of a keyed hash of each.

    Equal rows would cancel in the exclusive or, and add up in the sum. Reals are hashed by their bytes: 0.0 and -0.0
    are equal, and their texts are not.
    """
    named = {quoted_name(stored_name(name, kind)): kind for name, kind in columns.items()}
    cells = [f"pg_catalog.float8send({name})" if kind is Kind.REAL else name for name, kind in named.items()]
    row = f"ROW({', '.join(cells) or '1'})"
    hashed = (
        f"SELECT pg_catalog.hash_record_extended({row}, CAST({key} AS pg_catalog.int8)) AS h FROM {quoted_name(table)}"  # noqa: S608  # quoted
    )
    return (
        "SELECT pg_catalog.count(*) AS rows, coalesce(pg_catalog.bit_xor(h), 0) AS either,"  # noqa: S608  # quoted
        f" coalesce(pg_catalog.sum(h), 0)::pg_catalog.text AS total FROM ({hashed}) AS hashes"
    )


def _missing(table: Table, column: Column) -> InvalidInput:
    return InvalidInput(
        "E104",
        f"the data of table {table.name!r} have no {column.kind} column {column.name!r}",
        "Correct the policy, or the table",
    )

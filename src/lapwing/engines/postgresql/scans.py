"""The tables of a policy as the statements see them: a name in front of each statement, for a SELECT on the real one.

The one idea: the engine may create nothing in the database, so a statement is put inside one of ours:

    WITH "visits" AS NOT MATERIALIZED (SELECT … FROM "clinic"."visits") SELECT * FROM (the statement) AS "the answer"

What stands in brackets can only be a query, whatever its text; and a table it names is one of the policy or none, since
the search path is empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.engines.opening_sql import quoted_name
from lapwing.engines.postgresql.catalogue import Catalogued
from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering import short_name, stored_name


def place_of(relation: Catalogued) -> str:
    """The relation with its schema, quoted."""
    return f"{quoted_name(relation.schema)}.{quoted_name(relation.name)}"


def called(name: str) -> str:
    """A name of a statement, quoted, in letters that PostgreSQL sees all of."""
    return quoted_name(short_name(name))


def around(statement: str, scans: Mapping[str, str]) -> str:
    """The statement with the tables it names. A line break, lest a comment at its end swallow the bracket."""
    wanted = {called(name): scan for name, scan in scans.items() if short_name(name) in statement}
    named = ", ".join(f"{name} AS NOT MATERIALIZED ({scan})" for name, scan in wanted.items())
    return f'{f"WITH {named} " if named else ""}SELECT * FROM ({statement}\n) AS "the answer"'  # noqa: S608  # what runs is a query, see above


def content_of(table: str, columns: Mapping[str, Kind], key: int) -> str:
    """A SELECT of the number of rows and two sums of a keyed hash of each.

    Equal rows would cancel in the exclusive or, and add up in the sum. Reals are hashed by their bytes: 0.0 and -0.0
    are equal, and their texts are not.
    """
    named = {called(stored_name(name, kind)): kind for name, kind in columns.items()}
    cells = [f"pg_catalog.float8send({name})" if kind is Kind.REAL else name for name, kind in named.items()]
    row = f"ROW({', '.join(cells) or '1'})"
    hashed = (
        f"SELECT pg_catalog.hash_record_extended({row}, CAST({key} AS pg_catalog.int8)) AS h"  # noqa: S608  # quoted
        f" FROM {called(table)}"
    )
    return (
        "SELECT pg_catalog.count(*) AS rows, coalesce(pg_catalog.bit_xor(h), 0) AS either,"  # noqa: S608  # quoted
        f" coalesce(pg_catalog.sum(h), 0)::pg_catalog.text AS total FROM ({hashed}) AS hashes"
    )

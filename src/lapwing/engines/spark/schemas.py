"""What a table on a cluster holds, for writing a policy: read from its description, never from rows."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from lapwing.engines.failures import failed
from lapwing.engines.listing import Keys, key_lists
from lapwing.engines.scanning import described
from lapwing.engines.spark import table_files
from lapwing.engines.spark.connection import Connection
from lapwing.engines.spark.table_files import Source
from lapwing.engines.spark.types import quoted
from lapwing.kernel.evidence.expressions import Kind
from lapwing.policy import Column
from lapwing.policy.addresses import database_address

_VIEW = "lapwing_public"
#: What identifies people, if not what was tried.
UNITS = "Identify people by whole numbers, or by text with the ordinary collation"


def describe(url: str, relation: str | None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a table for a policy; the ``unit`` as a kind that keeps people apart."""
    return described(_source(url, relation).columns, unit, UNITS)


def kinds(url: str, relation: str | None) -> dict[str, Kind | None]:
    """All columns of a table, each with its kind; None for those of no kind."""
    return {stored.name: stored.kind for stored in _source(url, relation).columns}


def public_keys(url: str, relation: str | None, columns: Sequence[Column]) -> dict[str, Keys]:
    """The different values of each column of a public table, where they are few."""
    with contextlib.closing(Connection(database_address(url))) as connection:
        source = table_files.found(connection, url, relation, relation or "")
        stored = {column.name: column for column in source.columns}
        files = table_files.listed(connection, {_VIEW: source}, failed())[_VIEW]
        table_files.opened(connection, _VIEW, source, files, failed())

        def different(column: Column, most: int) -> list[object]:
            read, kind = stored[column.name].read(Kind(column.kind))
            if kind is not Kind(column.kind):
                return []
            named = f"SELECT {read} AS v FROM {quoted(_VIEW)}"  # noqa: S608  # quoted
            text = f"SELECT DISTINCT v FROM ({named}) AS t WHERE v IS NOT NULL ORDER BY v LIMIT {most}"  # noqa: S608  # quoted
            found: list[object] = (
                connection.look(lambda session: session.sql(text).toArrow(), failed()).column(0).to_pylist()
            )
            return found

        return key_lists(columns, different)


def _source(url: str, relation: str | None) -> Source:
    with contextlib.closing(Connection(database_address(url))) as connection:
        return table_files.found(connection, url, relation, relation or database_address(url).folder or "")

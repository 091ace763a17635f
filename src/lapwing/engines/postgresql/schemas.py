"""What a table in PostgreSQL holds, for writing a policy: read from the catalogue, never from rows."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import psycopg

from lapwing.engines.failures import failed, guarded, unreachable
from lapwing.engines.listing import Keys, key_lists
from lapwing.engines.postgresql import catalogue, rights
from lapwing.engines.postgresql.catalogue import Ask, Catalogued
from lapwing.engines.postgresql.connection import Connection
from lapwing.engines.postgresql.scans import place_of
from lapwing.engines.scanning import described
from lapwing.kernel.evidence.expressions import Kind
from lapwing.policy import Column
from lapwing.policy.addresses import database_address

_SOON = 60
#: What identifies people, if not what was tried.
UNITS = "Identify people by whole numbers, a uuid, or text or varchar with an ordinary collation"


def looked_up(ask: Ask, table: str, name: str, trusted: bool) -> Catalogued:
    """The relation ``schema.table``; refuses one that is not there, not whole, or not to be read."""
    schema, _, bare = name.rpartition(".")
    found = catalogue.relation(ask, schema or "public", bare)
    readable = False
    if found is not None:
        readable = bool(ask("SELECT pg_catalog.has_table_privilege(%s::pg_catalog.oid, 'SELECT')", found.oid)[0][0])
    relation = rights.check_relation(table, found, readable, trusted)
    rights.check_names(table, relation)
    return relation


def describe(url: str, relation: str | None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a table for a policy; the ``unit`` as a kind that keeps people apart."""
    return described(_relation(url, relation).columns, unit, UNITS)


def kinds(url: str, relation: str | None) -> dict[str, Kind | None]:
    """All columns of a table, each with its kind; None for those of no kind."""
    return {stored.name: stored.kind for stored in _relation(url, relation).columns}


def public_keys(url: str, relation: str | None, columns: Sequence[Column]) -> dict[str, Keys]:
    """The different values of each column of a public table, where they are few."""
    table = _relation(url, relation)
    stored = {column.name: column for column in table.columns}
    with contextlib.closing(Connection(database_address(url))) as connection:

        def different(column: Column, most: int) -> list[object]:
            read, kind = stored[column.name].read(Kind(column.kind))
            if kind is not Kind(column.kind):
                return []
            named = f"SELECT {read} AS v FROM {place_of(table)}"  # noqa: S608  # quoted
            text = f"SELECT DISTINCT v FROM ({named}) AS t WHERE v IS NOT NULL ORDER BY v LIMIT {most}"  # noqa: S608  # quoted

            def look() -> list[object]:
                with connection.asking([], _SOON) as ask:
                    return [value for (value,) in ask(text)]

            return guarded(look, failed(), psycopg.Error)

        return key_lists(columns, different)


def _relation(url: str, name: str | None) -> Catalogued:
    with contextlib.closing(Connection(database_address(url))) as connection:

        def look() -> Catalogued:
            with connection.asking([], _SOON) as ask:
                rights.check_server(catalogue.server(ask))
                return looked_up(ask, (name or "").rpartition(".")[2], name or "", trusted=True)  # the engine decides

        return guarded(look, unreachable(), psycopg.Error)

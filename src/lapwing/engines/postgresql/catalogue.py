"""What PostgreSQL's catalogue says: of relations and their columns, of the role that reads, and of the server.

Only the catalogue is read here, never a row. Every statement is ours and takes its values as parameters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lapwing.engines.opening_sql import quoted_text
from lapwing.engines.postgresql.types import Stored


class Ask(Protocol):
    """Runs one of our own statements with its parameters, and gives back its rows."""

    def __call__(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of one statement."""


@dataclass(frozen=True, slots=True)
class Catalogued:
    """A relation: its number, what sort it is, and the relations that its rows are, or were computed, from."""

    oid: int
    schema: str
    name: str
    sort: str
    partial: bool
    drawn: frozenset[int]
    foreign: bool
    #: whether a crash of the server empties it, or a part of it, which no transaction does
    unlogged: bool
    columns: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Installed:
    """The server, and the database in it."""

    version: int
    release: str
    encoding: str
    #: whether it is a standby, which repeats what another server does
    follows: bool
    #: the collations that know the letters of every script
    letters: frozenset[str]


_RELATION = """
SELECT c.oid, n.nspname, c.relname, c.relkind, pg_catalog.row_security_active(c.oid)
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'm', 'v', 'f') AND c.relpersistence <> 't'
"""
# Parents and parts share rows with a relation, and what a materialized view reads is in it.
_DRAWN = """
WITH RECURSIVE edges(a, b) AS MATERIALIZED (
  SELECT i.inhrelid, i.inhparent FROM pg_catalog.pg_inherits AS i
  UNION ALL SELECT i.inhparent, i.inhrelid FROM pg_catalog.pg_inherits AS i
  UNION ALL
  SELECT r.ev_class, d.refobjid FROM pg_catalog.pg_rewrite AS r JOIN pg_catalog.pg_depend AS d
    ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> r.ev_class
), found(oid) AS (
  SELECT %s::pg_catalog.oid UNION SELECT e.b FROM edges AS e JOIN found AS f ON f.oid = e.a
)
SELECT f.oid FROM found AS f
"""
_ELSEWHERE = """
WITH RECURSIVE found(oid) AS (
  SELECT %s::pg_catalog.oid
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN found AS f ON f.oid = i.inhparent
)
SELECT 1 FROM found AS f JOIN pg_catalog.pg_class AS c ON c.oid = f.oid WHERE c.relkind = 'f' LIMIT 1
"""
_UNLOGGED = """
SELECT 1 FROM pg_catalog.pg_class AS c WHERE c.oid = ANY (%s::pg_catalog.oid[]) AND c.relpersistence = 'u' LIMIT 1
"""
_COLUMNS = """
SELECT a.attname, b.typname, b.typnamespace = 'pg_catalog'::pg_catalog.regnamespace, b.typtype = 'e', b.modifier,
  a.attgenerated NOT IN ('', 's'), coalesce(l.collisdeterministic, true)
FROM pg_catalog.pg_attribute AS a
CROSS JOIN LATERAL (
  WITH RECURSIVE d AS (
    SELECT t.oid, t.typname, t.typnamespace, t.typtype, t.typbasetype, t.typtypmod, a.atttypmod AS modifier
    FROM pg_catalog.pg_type AS t WHERE t.oid = a.atttypid
    UNION ALL
    SELECT t.oid, t.typname, t.typnamespace, t.typtype, t.typbasetype, t.typtypmod,
      CASE WHEN d.modifier = -1 THEN d.typtypmod ELSE d.modifier END
    FROM pg_catalog.pg_type AS t JOIN d ON d.typtype = 'd' AND t.oid = d.typbasetype
  ) SELECT * FROM d WHERE d.typtype <> 'd'
) AS b
LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""


def relation(ask: Ask, schema: str, name: str) -> Catalogued | None:
    """The relation of this name; None if there is none, or none that the role may know of."""
    found = ask(_RELATION, schema, name)
    if not found:
        return None
    oid, *_, sort, partial = found[0]
    drawn = frozenset(each for (each,) in ask(_DRAWN, oid))
    columns = tuple(Stored(*row) for row in ask(_COLUMNS, oid))
    elsewhere, unlogged = bool(ask(_ELSEWHERE, oid)), bool(ask(_UNLOGGED, list(drawn)))
    return Catalogued(oid, schema, name, _letter(sort), partial, drawn, elsewhere, unlogged, columns)


def server(ask: Ask) -> Installed:
    """The server's version, as a number and as people write it, and how the database writes letters."""
    ((version, release, encoding, follows),) = ask(
        "SELECT pg_catalog.current_setting('server_version_num')::pg_catalog.int4,"
        " pg_catalog.current_setting('server_version'), pg_catalog.current_setting('server_encoding'),"
        " pg_catalog.pg_is_in_recovery()"
    )
    known = ask(
        "SELECT collname FROM pg_catalog.pg_collation WHERE collnamespace = 'pg_catalog'::pg_catalog.regnamespace"
        " AND collname IN ('pg_c_utf8', 'und-x-icu')"
    )
    return Installed(version, str(release).split(" ")[0], encoding, follows, frozenset(name for (name,) in known))


def marker(ask: Ask, oids: Sequence[int]) -> str:
    """What changes whenever anything is written to the server: while it is the same, so is every table.

    A transaction that writes has a number, so the snapshot that sees its changes is another one. The server's start is
    in it because an older copy of the files, put back while the server was down, would count from the same numbers.
    """
    ((snapshot, started, system, database),) = ask(
        "SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text,"
        " pg_catalog.pg_postmaster_start_time()::pg_catalog.text,"
        " (SELECT s.system_identifier FROM pg_catalog.pg_control_system() AS s)::pg_catalog.text,"
        " (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())"
    )
    return f"{system}/{database}/{','.join(map(str, oids))}/{started}/{snapshot}"


def shape(ask: Ask, places: Sequence[tuple[str, str]]) -> str:
    """Everything that decides how relations are read: which they are, their columns and types, and row security.

    The names stand in the statement as constants, because statements of a fetch have no parameters.
    """
    listed = ", ".join(f"({quoted_text(schema)}, {quoted_text(name)})" for schema, name in places)
    rows = ask(
        "SELECT c.oid::pg_catalog.text, c.relkind::pg_catalog.text, c.relrowsecurity, a.attname::pg_catalog.text,"  # noqa: S608  # quoted
        " a.atttypid::pg_catalog.text, a.atttypmod, a.attcollation::pg_catalog.text, a.attgenerated::pg_catalog.text"
        " FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        " JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        f" WHERE (n.nspname, c.relname) IN ({listed}) ORDER BY c.oid, a.attnum"
    )
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def parts(ask: Ask, oids: Sequence[int]) -> list[tuple[str, str]]:
    """The relations with all their parts, and what sort each is: rows of all of them are read.

    A part that is attached while a transaction reads is seen by its next statement, whatever its snapshot. Only a
    question with a snapshot of its own tells.
    """
    listed = ", ".join(str(int(oid)) for oid in oids)
    rows = ask(
        "WITH RECURSIVE found(oid) AS ("  # noqa: S608  # numbers
        f"SELECT c.oid FROM pg_catalog.pg_class AS c WHERE c.oid IN ({listed})"
        " UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN found AS f ON f.oid = i.inhparent)"
        " SELECT c.oid::pg_catalog.text, c.relkind::pg_catalog.text"
        " FROM found AS f JOIN pg_catalog.pg_class AS c ON c.oid = f.oid ORDER BY c.oid"
    )
    return [(oid, sort) for oid, sort in rows]


def _letter(value: object) -> str:
    """A value of PostgreSQL's type "char", which drivers give as text or as a byte."""
    return value.decode() if isinstance(value, bytes) else str(value)

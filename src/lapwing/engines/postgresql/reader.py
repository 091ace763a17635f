"""PostgreSQL: the tables of a policy in one database, read by a role that can do nothing else.

The one idea: nothing is created, locked against writers, or believed. Each look is one read-only snapshot that begins
the same way, each table is checked when the engine opens, and a fixed table is compared with what was protected in the
very snapshot that is answered from.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import psycopg
import pyarrow as pa

from lapwing.engines.background import in_background
from lapwing.engines.closing import Closing
from lapwing.engines.engine import Progress
from lapwing.engines.failures import changed, failed, guarded
from lapwing.engines.postgresql import catalogue, rights
from lapwing.engines.postgresql.connection import Connection
from lapwing.engines.postgresql.scans import around, called, content_of, place_of
from lapwing.engines.postgresql.schemas import UNITS, looked_up
from lapwing.engines.scanning import check_units, scan
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.expressions import Kind
from lapwing.ledger import Receipt
from lapwing.policy import Policy
from lapwing.policy.addresses import database_address
from lapwing.query.lowering import most_alike

Result = TypeVar("Result")
#: Seconds for questions about the catalogue.
_SOON = 60


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was there when the data were last hashed: no time passes between the two."""

    stamp: str
    content: str
    secret: bytes


class PostgreSQL(Closing):
    """The tables of a policy in PostgreSQL. ``PostgreSQL(policy)`` opens and checks them."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self._policy = policy
        self._seconds = policy.timeout
        self._busy = threading.Lock()
        self._seen: _Seen | None = None
        self._connection = Connection(database_address(_one_address(policy)))
        try:
            with self._busy:
                self._check()
        except BaseException:
            self.close()
            raise

    @property
    def dialect(self) -> str:
        """The dialect that statements are lowered to."""
        letters = self._server.letters
        return "postgresql" if "pg_c_utf8" in letters else "postgresql-icu" if letters else "postgresql-ascii"

    @property
    def release(self) -> str:
        """The engine and its version."""
        return f"postgresql {self._server.release}"

    def fetch(self, receipt: Receipt, statements: Sequence[str], progress: Progress | None = None) -> list[pa.Table]:
        """The results of SELECT statements, all on one snapshot. Without a receipt nothing is read."""
        if not isinstance(receipt, Receipt):
            raise InvalidInput("E105", "private rows were asked for without a receipt", "Charge the ledger first")
        if self._closed:
            raise failed()
        wrapped = [around(statement, self._scans) for statement in statements]
        work = partial(self._on_one_snapshot, wrapped)
        return in_background(work, self._busy, self._connection.stop, None, progress, self._seconds)

    def multiplicity(self, table: str, keys: Sequence[tuple[str, Kind]]) -> int:
        """The most rows of a public table that one key can meet; each column is compared as the kind beside it."""
        found = self._policy.table(table)
        if found is None or found.role != "public":
            raise InvalidInput("E108", f"the table {table!r} is not public", "Ask this of public tables only")
        statement = around(most_alike(table, keys, self.dialect), {table: self._scans[table]})
        with self._busy:
            rows = self._asked(self._places, lambda ask: ask(statement), failed())
        return int(rows[0][0])

    def examine(self) -> None:
        """Reads everything once, for the curator: a value that cannot be read would otherwise tell of itself later."""
        unfit = InvalidInput("E114", "a table holds a value that cannot be read", "Correct the table")
        with self._busy:
            self._asked(self._places, lambda ask: self._content(ask, b""), unfit)

    def fingerprint(self, secret: bytes, known: str | None = None) -> str:
        """A keyed hash of the content of all tables; ``known`` is returned where it is still true.

        Of a live table only the moment counts: the hash is that of the snapshot, another one after every write to the
        server, and no row is read.
        """
        with self._busy:
            self._connection.revive()
            if self._policy.data == "live":
                return f"live-{self._asked(self._places, self._moment, failed())}"
            seen = self._asked(self._places, lambda ask: self._identity(ask, secret, known), failed())
        if known is not None and known.partition(".")[0] == seen.content:
            return known
        return f"{seen.content}.{seen.stamp}"

    def _end(self) -> None:
        """Ends the connection."""
        self._connection.close()

    # --- opening -------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Everything that must hold of the server, the role and the tables; only the catalogue is read."""
        self._server = self._asked([], catalogue.server, failed())
        rights.check_server(self._server)
        self._asked([], rights.check_role, failed())
        self._relations = {
            table.name: self._asked(
                [],
                partial(looked_up, table=table.name, name=table.relation or "", trusted=table.trusted),
                failed(),
            )
            for table in self._policy.tables
        }
        self._oids = [self._relations[table.name].oid for table in self._policy.tables]
        rights.check_apart(self._policy, self._relations)
        stored = {name: each.columns for name, each in self._relations.items()}
        check_units(
            self._policy,
            stored,
            UNITS,
        )
        kept = [relation for relation in self._relations.values() if relation.sort != "m"]
        # A materialized view cannot be locked. One that is refreshed after the snapshot was taken shows its new rows.
        # An unlogged table is emptied by a crash. Neither is a write that the server's stamp would tell of; and the
        # snapshots of a standby do not say which of the transactions they list have ended.
        emptied = any(each.unlogged for each in kept)
        self._unstamped = len(kept) < len(self._relations) or emptied or self._server.follows
        self._places = sorted({place_of(relation) for relation in kept})
        self._names = sorted({(relation.schema, relation.name) for relation in self._relations.values()})
        self._shape = self._asked(self._places, lambda ask: catalogue.shape(ask, self._names), failed())
        self._scans = {
            table.name: scan(table, stored[table.name], place_of(self._relations[table.name]), self.dialect, called)
            for table in self._policy.tables
        }

    # --- looking -------------------------------------------------------------------------------------------------

    def _asked(self, places: Sequence[str], work: Callable[[catalogue.Ask], Result], otherwise: LapwingError) -> Result:
        """What comes of our own questions in one look; an error of the driver becomes a fixed one."""

        def looked() -> Result:
            with self._connection.asking(places, self._seconds if places else _SOON) as ask:
                return work(ask)

        return guarded(looked, otherwise, psycopg.Error)

    def _on_one_snapshot(self, statements: Sequence[str]) -> list[pa.Table]:
        with self._connection.fetching(self._places, self._seconds) as run:

            def ask(statement: str, *_: object) -> list[tuple[Any, ...]]:
                return _rows(run(statement))

            self._same_shape(ask)
            parts = catalogue.parts(ask, self._oids)
            if any(sort == "f" for _, sort in parts):  # it is in another database
                raise changed()
            if self._seen is not None:
                self._unchanged(ask, self._seen)
            results = [run(statement) for statement in statements]
            # While this look lasts, a part that was read cannot be taken away again: what is listed now was read.
            if self._asked([], partial(catalogue.parts, oids=self._oids), failed()) != parts:
                raise changed()
            return results

    def _same_shape(self, ask: catalogue.Ask) -> None:
        """A column of another type would be read by a cast that was chosen for the old one, and could fail."""
        if catalogue.shape(ask, self._names) != self._shape:
            raise changed()

    def _unchanged(self, ask: catalogue.Ask, seen: _Seen) -> None:
        """Refuses to answer from other data than those that were compared with the protected ones."""
        if self._stamp(ask) == seen.stamp and not self._unstamped:
            return
        if self._content(ask, seen.secret) != seen.content:
            raise changed()

    # --- identity ------------------------------------------------------------------------------------------------

    def _moment(self, ask: catalogue.Ask) -> str:
        self._same_shape(ask)
        return self._stamp(ask)

    def _stamp(self, ask: catalogue.Ask) -> str:
        return hashlib.sha256(catalogue.marker(ask, self._oids).encode()).hexdigest()[:32]

    def _identity(self, ask: catalogue.Ask, secret: bytes, known: str | None) -> _Seen:
        """The data as they are in this snapshot; they are read only if something was written since the last time."""
        stamp = self._moment(ask)
        content, _, before = (known or "").partition(".")
        if stamp == before and not self._unstamped:
            self._seen = _Seen(stamp, content, secret)
        elif self._seen is None or self._unstamped or (self._seen.stamp, self._seen.secret) != (stamp, secret):
            self._seen = _Seen(stamp, self._content(ask, secret), secret)
        return self._seen

    def _content(self, ask: catalogue.Ask, secret: bytes) -> str:
        """A keyed hash of every listed column of every table. Counts and sums leave this function only inside it."""
        seed = int.from_bytes(hmac.digest(secret, b"rows of postgresql", "sha256")[:8], "big", signed=True)
        found = []
        for table in self._policy.tables:
            columns = {column.name: Kind(column.kind) for column in table.columns}
            statement = around(content_of(table.name, columns, seed), {table.name: self._scans[table.name]})
            found.append([table.name, sorted(columns.items()), *map(str, ask(statement)[0])])
        return hmac.digest(secret, json.dumps(found).encode(), "sha256").hex()


def _one_address(policy: Policy) -> str:
    found = {table.path for table in policy.tables}
    if len(found) != 1:
        raise InvalidInput(
            "E124",
            "the tables of one policy are in several databases, or in files and a database",
            "Bring them into one database",
        )
    return found.pop()


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    columns: Mapping[str, list[Any]] = table.to_pydict()
    return list(zip(*columns.values(), strict=True))

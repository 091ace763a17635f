"""Spark: the tables of a policy on one cluster, read through Spark Connect.

The one idea: nothing is created on the cluster but views of a session of our own, over exactly the files that were
listed; these are looked at again before an answer is given, so that it is about one state.
"""

from __future__ import annotations

import hmac
import json
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from lapwing.engines.background import in_background
from lapwing.engines.closing import Closing
from lapwing.engines.engine import Progress
from lapwing.engines.failures import changed, failed
from lapwing.engines.scanning import check_units, scan
from lapwing.engines.spark import table_files
from lapwing.engines.spark.connection import Connection
from lapwing.engines.spark.scans import around, content_of
from lapwing.engines.spark.schemas import UNITS
from lapwing.engines.spark.table_files import Files
from lapwing.engines.spark.types import quoted
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.expressions import Kind
from lapwing.ledger import Receipt
from lapwing.policy import Policy
from lapwing.policy.addresses import database_address, is_address
from lapwing.query.lowering import most_alike


class Spark(Closing):
    """The tables of a policy on a cluster. ``Spark(policy)`` opens and checks them."""

    dialect = "spark"

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self._policy = policy
        self._busy = threading.Lock()
        self._connection = Connection(database_address(_one_cluster(policy)))
        #: what the views of this session are over, and the stamp of each table's files when the data were hashed
        self._files: Files = {}
        self._fixed: dict[str, str] = {}
        try:
            with self._busy:
                self._check()
        except BaseException:
            self.close()
            raise

    @property
    def release(self) -> str:
        """The engine and its version."""
        return f"spark {self._connection.version}"

    def fetch(self, receipt: Receipt, statements: Sequence[str], progress: Progress | None = None) -> list[pa.Table]:
        """The results of SELECT statements, all on one state of the files. Without a receipt nothing is read."""
        if not isinstance(receipt, Receipt):
            raise InvalidInput("E105", "private rows were asked for without a receipt", "Charge the ledger first")
        if self._closed:
            raise failed()
        wrapped = [around(statement, self._scans) for statement in statements]
        named = {name for name in self._sources if any(name in statement for statement in statements)}
        work = partial(self._on_one_state, wrapped, named)
        return in_background(work, self._busy, self._connection.stop, None, progress, self._policy.timeout)

    def multiplicity(self, table: str, keys: Sequence[tuple[str, Kind]]) -> int:
        """The most rows of a public table that one key can meet; each column is compared as the kind beside it."""
        found = self._policy.table(table)
        if found is None or found.role != "public":
            raise InvalidInput("E108", f"the table {table!r} is not public", "Ask this of public tables only")
        statement = around(most_alike(table, keys, self.dialect), {table: self._scans[table]})
        with self._busy:
            return int(self._run(statement, failed()).column(0)[0].as_py())

    def examine(self) -> None:
        """Reads everything once, for the curator: a value that cannot be read would otherwise tell of itself later."""
        unfit = InvalidInput("E114", "a table holds a value that cannot be read", "Correct the table")
        with self._busy:
            self._content(b"", unfit)

    def fingerprint(self, secret: bytes, known: str | None = None) -> str:
        """A keyed hash of the content of all tables; ``known`` is returned where it is still true.

        Of a live table only the moment counts: the hash is that of the list of files, and no row is read.
        """
        with self._busy:
            self._revive()
            files = self._open_views(self._sources)
            stamp = table_files.stamp(files)
            if self._policy.data == "live":
                return f"live-{stamp}"
            content, _, before = (known or "").partition(".")
            if stamp != before:
                content = self._content(secret, failed())
                if self._listed(self._sources, changed()) != files:
                    raise changed()
            self._fixed = {name: table_files.stamp({name: seen}) for name, seen in files.items()}
        if known is not None and known.partition(".")[0] == content:
            return known
        return f"{content}.{stamp}"

    def _end(self) -> None:
        """Ends the session, and with it the views."""
        self._connection.close()

    # --- opening -------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Everything that must hold of the tables; only the catalogue and the descriptions of files are read."""
        tables = self._policy.tables
        self._views = {table.name: f"lapwing_source_{at}" for at, table in enumerate(tables)}
        self._sources = {
            table.name: table_files.found(self._connection, table.path, table.relation, table_files.shown_of(table))
            for table in tables
        }
        stored = {name: each.columns for name, each in self._sources.items()}
        check_units(self._policy, stored, UNITS)
        self._scans = {
            table.name: scan(table, stored[table.name], quoted(self._views[table.name]), self.dialect, quoted)
            for table in tables
        }
        table_files.check_apart(self._policy, self._open_views(self._sources))

    def _revive(self) -> None:
        before = self._connection.sessions
        self._connection.revive()
        if self._connection.sessions != before:
            self._files = {}

    def _listed(self, names: Iterable[str], otherwise: LapwingError) -> Files:
        return table_files.listed(self._connection, {name: self._sources[name] for name in names}, otherwise)

    def _open_views(self, names: Iterable[str]) -> Files:
        """Views over the files of these tables as they are now; returns these."""
        files = self._listed(names, failed())
        for name, now in files.items():
            if self._files.get(name) != now:
                table_files.opened(self._connection, self._views[name], self._sources[name], now, failed())
                self._files[name] = now
        return files

    # --- looking -------------------------------------------------------------------------------------------------

    def _run(self, statement: str, otherwise: LapwingError) -> pa.Table:
        found: pa.Table = self._connection.look(lambda session: session.sql(statement).toArrow(), otherwise)
        return found

    def _on_one_state(self, statements: Sequence[str], named: set[str]) -> list[pa.Table]:
        with self._connection.tagged():
            files = self._open_views(named)
            if any(
                table_files.stamp({name: seen}) != self._fixed.get(name) for name, seen in files.items() if self._fixed
            ):
                raise changed()
            results = [self._run(statement, failed()) for statement in statements]
            # Files that were written or taken away meanwhile may have been read before or after. New ones were not.
            now = self._listed(named, changed())
            if any(not set(seen) <= set(now[name]) for name, seen in files.items()):
                raise changed()
            return results

    def _content(self, secret: bytes, otherwise: LapwingError) -> str:
        """A keyed hash of every listed column of every table. Counts and sums leave this function only inside it."""
        key = hmac.digest(secret, b"rows of spark", "sha256").hex()
        found = []
        for table in self._policy.tables:
            columns = {column.name: Kind(column.kind) for column in table.columns}
            statement = around(content_of(table.name, columns, key), {table.name: self._scans[table.name]})
            row: dict[str, Any] = self._run(statement, otherwise).to_pylist()[0]
            found.append([table.name, sorted(columns.items()), *map(str, row.values())])
        return hmac.digest(secret, json.dumps(found).encode(), "sha256").hex()


def _one_cluster(policy: Policy) -> str:
    found = {database_address(t.path).server if is_address(t.path) else "" for t in policy.tables}
    if len(found) != 1:
        raise InvalidInput(
            "E124",
            "the tables of one policy are on several clusters, or in files or a database and on a cluster",
            "Bring them to one cluster",
        )
    return found.pop()

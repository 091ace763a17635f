"""The file: an SQLite database that processes share, in which a transaction happened or did not.

Settings, and why:

- *Rollback journal*, not write-ahead log: between transactions the ledger is one file, so one that is copied, moved or
  tidied up after a crash cannot lose the charges that were still in the log beside it.
- ``synchronous = EXTRA``: a commit returns when the file and the removal of its journal are on disk. With less, a power
  failure could bring the journal back, and SQLite would undo a charge whose answer is already out.
- ``BEGIN IMMEDIATE``: two processes never both read a balance that only one of them may spend.
- *A connection per transaction*, or one for the length of a question (``Ledger.during``): none is carried over a fork
  or shared by threads; either breaks SQLite's locks. Between its transactions a connection holds no lock.

Nothing here opens the file but SQLite: closing any other handle would drop the locks of this process.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lapwing.errors import InvalidInput, LapwingError
from lapwing.ledger.entries import FIELDS
from lapwing.ledger.stores.store import VERSION, corrupt

Connected = AbstractContextManager[sqlite3.Connection]
APPLICATION = 0x4C415057  # "LAPW"

_TYPES = {"sequence": "INTEGER PRIMARY KEY", "terms": "INTEGER NOT NULL", "reference": "INTEGER"}
_SCHEMA = [
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    f"CREATE TABLE entries ({', '.join(f'{name} ' + _TYPES.get(name, 'TEXT NOT NULL') for name in FIELDS)})",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE balances (account TEXT, node TEXT, state TEXT NOT NULL, seal TEXT NOT NULL, "
    "PRIMARY KEY (account, node)) WITHOUT ROWID",
    "CREATE TABLE releases (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE secret (one INTEGER PRIMARY KEY CHECK (one = 1), key BLOB NOT NULL)",
    "CREATE INDEX by_kind ON entries (kind, sequence)",
    "CREATE INDEX by_analyst ON entries (kind, analyst, sequence)",
    "CREATE INDEX by_query ON entries (query, analyst, sequence) WHERE kind = 'charge'",
    "CREATE UNIQUE INDEX once ON entries (reference, kind) WHERE reference IS NOT NULL",
    # These stop accidents. Whoever means to rewrite history can drop them, and is caught by the chain.
    "CREATE TRIGGER no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries stay'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries stay'); END",
]


@dataclass(frozen=True, slots=True)
class SQLiteStore:
    """A ledger in a file."""

    path: Path

    def create(self) -> None:
        """An empty file that only its owner may read; one that is there already and empty is taken over."""
        path = self.path
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if not path.is_file() or path.stat().st_size > 0:
                raise InvalidInput(
                    "L102",
                    f"{path.name!a} exists already",
                    "Open it, or choose another name: a ledger is never overwritten, for that would forget what was "
                    "spent",
                ) from None
            path.chmod(0o600)
        except (OSError, ValueError) as refused:  # ValueError: a path with a NUL in it
            raise _unwritable(refused.strerror if isinstance(refused, OSError) else None) from None

    def discard(self) -> None:
        """Removes a ledger that was made a moment ago and that nobody has used."""
        self.path.unlink(missing_ok=True)

    def build(self, db: sqlite3.Connection) -> None:
        """The tables, within the transaction that also writes the first entry."""
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:  # another process was faster
            raise InvalidInput("L102", "the ledger exists already", "Open it: it is never overwritten")
        for statement in _SCHEMA:
            db.execute(statement)

    @contextmanager
    def writing(self, connected: Connected, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer is beside; durable when the block ends, undone if it raises."""
        with connected as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                if not new:
                    _check_is_ledger(db)
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self, connected: Connected) -> Iterator[sqlite3.Connection]:
        """One moment of the ledger; also of a file that may only be read, unless a crashed write waits to be undone."""
        with connected as db:
            db.execute("BEGIN")
            try:
                _check_is_ledger(db)
                yield db
            finally:  # nothing was written: this only lets go of the moment
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def connection(self, patience: float) -> Iterator[sqlite3.Connection]:
        """A connection for as long as the block lasts; whatever SQLite refuses in it is explained."""
        path = self.path
        if not path.is_file():
            raise InvalidInput(
                "L101", f"there is no ledger {path.name!a}", "Name the ledger's file, or make one with lapwing protect"
            )
        mode = "rw" if os.access(path, os.W_OK) else "ro"
        with self.explained(patience):
            db = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", patience, isolation_level=None, uri=True)
            try:
                db.execute("PRAGMA synchronous = EXTRA")
                yield db
            finally:
                db.close()

    @contextmanager
    def explained(self, patience: float) -> Iterator[None]:
        """Whatever SQLite refuses in the block, as an error of the ledger."""
        try:
            yield
        except sqlite3.Error as failed:
            raise _explained(failed, patience) from failed
        except UnicodeDecodeError:  # SQLite quotes a damaged schema in its message, and Python cannot read that
            raise corrupt("SQLite cannot make sense of the file") from None


def _check_is_ledger(db: sqlite3.Connection) -> None:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION or version != VERSION:
        what = (
            "another version of Lapwing's"
            if application == APPLICATION
            else "not a ledger, or its making was cut short"
        )
        raise InvalidInput("L103", f"the file is {what}", "Name the right file, or make one with lapwing protect")


def _explained(failed: sqlite3.Error, patience: float) -> LapwingError:
    code = getattr(failed, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the primary code
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LapwingError(
            "L104",
            f"another process has held the ledger for {patience:g} seconds",
            "Try again when it is done: nothing was charged",
        )
    if code == sqlite3.SQLITE_NOTADB:
        return InvalidInput("L103", "the file is not a ledger", "Name the right file, or make one with lapwing protect")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return _unwritable(str(failed))
    return corrupt("SQLite cannot make sense of the file")


def _unwritable(reason: str | None) -> LapwingError:
    return LapwingError(
        "L106",
        f"the ledger cannot be written ({reason or 'no such place'})",
        "Make room, or get the right to write to its folder: no answer was given",
    )

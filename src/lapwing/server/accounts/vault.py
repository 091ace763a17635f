"""The file of accounts: an SQLite database of its own, beside the tables and apart from their ledgers.

Like a ledger it has no connection that outlives a transaction, and a commit is on disk before it returns: a token that
was revoked stays revoked, and a question that was begun is known to have begun.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lapwing.errors import InvalidInput, LapwingError
from lapwing.noise.source import SECURE

APPLICATION = 0x4C415041  # "LAPA"
VERSION = 1
#: Seconds to wait for another process; a transaction here takes some milliseconds.
_PATIENCE = 20.0

_SCHEMA = [
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    "CREATE TABLE accounts (name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, "
    "disabled INTEGER NOT NULL DEFAULT 0, made TEXT NOT NULL) WITHOUT ROWID",
    # Ana and ana would be two people with one name, in every list that a person reads
    "CREATE UNIQUE INDEX alike ON accounts (lower(name))",
    "CREATE TABLE tokens (digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts, scope TEXT NOT NULL, "
    "made TEXT NOT NULL, ends TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE logins (digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts, form TEXT NOT NULL, "
    "ends TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE questions (account TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, source TEXT NOT NULL, "
    "head INTEGER NOT NULL, charge INTEGER, made TEXT NOT NULL, PRIMARY KEY (account, key)) WITHOUT ROWID",
    "CREATE TABLE events (sequence INTEGER PRIMARY KEY, time TEXT NOT NULL, account TEXT NOT NULL, what TEXT NOT NULL, "
    "about TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TRIGGER no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events stay'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events stay'); END",
]


def create(path: Path) -> None:
    """An empty file of accounts that only its owner may read; one that is there already is left as it is."""
    with contextlib.suppress(FileExistsError), _explained():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with _connected(path) as db:
        db.execute("BEGIN IMMEDIATE")
        if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _SCHEMA:
                db.execute(statement)
        db.execute("COMMIT")
        _check(db)


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that no other writer is beside; on disk when the block ends, undone if it raises."""
    with _connected(path) as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            _check(db)
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """One moment of the file."""
    with _connected(path) as db:
        db.execute("BEGIN")
        _check(db)
        yield db


def now() -> str:
    """The moment, as the file writes times: in UTC, to the second, so that texts compare as times do."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def later(span: timedelta) -> str:
    """So much after the moment."""
    return (datetime.now(UTC) + span).isoformat(timespec="seconds")


def secret(bits: int = 256) -> str:
    """A text that nobody can guess, in hexadecimal."""
    return f"{SECURE.random_bits(bits):0{bits // 4}x}"


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    with _explained():
        address = f"{path.absolute().as_uri()}?mode=rw"
        db = sqlite3.connect(address, _PATIENCE, isolation_level=None, uri=True)
        try:
            db.execute("PRAGMA synchronous = EXTRA")
            db.execute("PRAGMA foreign_keys = ON")
            yield db
        finally:
            db.close()


def _check(db: sqlite3.Connection) -> None:
    found = (db.execute("PRAGMA application_id").fetchone()[0], db.execute("PRAGMA user_version").fetchone()[0])
    if found != (APPLICATION, VERSION):
        raise InvalidInput(
            "D101",
            "the file of accounts is something else, or of another version of Lapwing",
            "Restore it from a copy, or move it away and add the accounts again",
        )


@contextmanager
def _explained() -> Iterator[None]:
    """What went wrong with the file, without the words of SQLite."""
    try:
        yield
    except FileExistsError:
        raise
    except sqlite3.Error as failed:
        code = getattr(failed, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the primary code
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LapwingError(
                "D102", f"another process has held the accounts for {_PATIENCE:g} seconds", "Try again when it is done"
            ) from None
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise InvalidInput("D101", "the file of accounts is damaged", "Restore it from a copy") from None
        raise _unwritable() from None
    except OSError:
        raise _unwritable() from None


def _unwritable() -> LapwingError:
    return LapwingError(
        "D103",
        "the file of accounts cannot be opened or written",
        "Make room on the disk, or get the right to write to its folder",
    )

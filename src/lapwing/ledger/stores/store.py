"""What a store offers, and what is the same in all of them: the entries, the head, balances, releases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from lapwing.errors import LapwingError
from lapwing.ledger.entries import FIELDS, Entry, text_digest

VERSION = 1
SELECT = f"SELECT {', '.join(FIELDS)} FROM entries "  # noqa: S608  # the names are ours
_INSERT = f"INSERT INTO entries VALUES ({', '.join('?' * len(FIELDS))})"  # noqa: S608  # question marks only


class Rows(Protocol):
    """What a statement brought."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Database(Protocol):
    """A connection inside a transaction. Statements are ours; values go where a ``?`` is."""

    def execute(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Runs a statement."""


class Store(Protocol):
    """A place for one ledger."""

    def create(self) -> None:
        """Makes an empty place, which only its owner may read; refuses one that is taken."""

    def discard(self) -> None:
        """Removes a ledger that was made a moment ago and that nobody has used."""

    def build(self, db: Any) -> None:  # noqa: ANN401  # the store's own connection
        """The tables, within the transaction that also writes the first entry."""

    def connection(self, patience: float) -> AbstractContextManager[Any]:
        """A connection for as long as the block lasts; whatever the database refuses in it is explained."""

    def explained(self, patience: float) -> AbstractContextManager[None]:
        """Whatever the database refuses in the block, as an error of the ledger."""

    def writing(self, connected: AbstractContextManager[Any], *, new: bool = False) -> AbstractContextManager[Database]:
        """A transaction that no other writer is beside; durable when the block ends, undone if it raises."""

    def reading(self, connected: AbstractContextManager[Any]) -> AbstractContextManager[Database]:
        """One moment of the ledger."""


def copied(old: Database, new: Database) -> None:
    """All rows of a ledger, as they are, into a new one that has none."""
    for table, columns in (("entries", len(FIELDS)), ("head", 3), ("balances", 4), ("releases", 2), ("secret", 2)):
        row = f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608  # our own names
        for values in old.execute(f"SELECT * FROM {table}").fetchall():  # noqa: S608  # our own names
            new.execute(row, values)


def corrupt(what: str) -> LapwingError:
    """The refusal to go on with a ledger that is not as it was written."""
    return LapwingError(
        "L105",
        f"the ledger is not as it was written: {what}",
        "Restore it from a copy and charge what was asked since, or protect the data anew",
    )


def append(db: Database, entry: Entry) -> None:
    """Adds the entry, and makes it the head."""
    db.execute(_INSERT, entry.row())
    db.execute(
        "INSERT INTO head VALUES (1, ?, ?)"
        " ON CONFLICT (one) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash",
        (entry.sequence, entry.hash),
    )


def keep_balance(db: Database, account: str, node: str, state: str) -> None:
    """Writes a balance, sealed with its hash: SQLite itself would not notice a bit that fell over."""
    row = (account, node, state, balance_seal(account, node, state))
    db.execute(
        "INSERT INTO balances VALUES (?, ?, ?, ?)"
        " ON CONFLICT (account, node) DO UPDATE SET state = excluded.state, seal = excluded.seal",
        row,
    )


def find_balance(db: Database, account: str, node: str) -> str | None:
    """The balance, with its seal checked; None if nothing was charged there."""
    row = db.execute("SELECT state, seal FROM balances WHERE account = ? AND node = ?", (account, node)).fetchone()
    if row is None:
        return None
    if row[1] != balance_seal(account, node, row[0]):
        raise corrupt("the balance of a part was changed")
    return str(row[0])


def balance_seal(account: str, node: str, state: object) -> str:
    """The hash that a balance must carry."""
    return text_digest(json.dumps([account, node, str(state)]))


def find(db: Database, where: str, *values: object) -> Entry | None:
    """The entry that the clause leads to, with its hash checked; None if there is none."""
    row = db.execute(SELECT + where + " LIMIT 1", values).fetchone()
    if row is None:
        return None
    entry = Entry(*row)
    if not entry.is_whole():
        raise corrupt(f"entry {entry.sequence} was changed")
    return entry


def last(db: Database) -> Entry:
    """The newest entry; refuses a ledger whose tail was cut off."""
    entry = find(db, "ORDER BY sequence DESC")
    head = db.execute("SELECT sequence, hash FROM head").fetchone()
    if entry is None or head != (entry.sequence, entry.hash):
        raise corrupt("its last entries are missing")
    return entry

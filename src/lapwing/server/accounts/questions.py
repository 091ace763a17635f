"""Questions that came with an idempotency key: begun once, answered once, charged once.

The one idea: a key is written down before the ledger is charged, with the place the ledger was at. Whoever comes again
with the key, even after the server was killed, is told what became of the first attempt, and pays for no second one.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import timedelta

from lapwing.server.accounts.vault import later, now

#: A key is remembered for so long; a retry comes within seconds.
_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Begun:
    """A question that was begun: ``head`` is the ledger's last entry at that time, ``charge`` what came of it."""

    content: str
    source: str
    head: int
    charge: int | None


def find(db: sqlite3.Connection, account: str, key: str) -> Begun | None:
    """The question that a key came with before; None for a new key."""
    wanted = "SELECT content, source, head, charge FROM questions WHERE account = ? AND key = ?"
    found = db.execute(wanted, (account, key)).fetchone()
    return None if found is None else Begun(*found)


def begin(db: sqlite3.Connection, account: str, key: str, question: Begun) -> Begun | None:
    """Writes the question down; if the key is known, the question it came with, and nothing is written."""
    found = find(db, account, key)
    if found is not None:
        return found
    db.execute("DELETE FROM questions WHERE made < ?", (later(-_KEPT),))
    row = (account, key, question.content, question.source, question.head, question.charge, now())
    db.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return None


def finish(db: sqlite3.Connection, account: str, key: str, charge: int | None) -> None:
    """Notes the charge that came of a question; a question that was refused is forgotten, and may be asked again."""
    if charge is None:
        db.execute("DELETE FROM questions WHERE account = ? AND key = ?", (account, key))
    else:
        db.execute("UPDATE questions SET charge = ? WHERE account = ? AND key = ?", (charge, account, key))


def charges(db: sqlite3.Connection, account: str, source: str) -> set[int]:
    """The charges on a table that are known to belong to a key."""
    found = "SELECT charge FROM questions WHERE account = ? AND source = ? AND charge IS NOT NULL"
    return {row[0] for row in db.execute(found, (account, source))}

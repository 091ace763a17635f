"""What happened at the door, as a chain: who came in, who was refused, what was changed. Never an answer.

As in a ledger each event carries the hash of the one before, so that one that is changed, removed or moved is noticed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import astuple, dataclass

from lapwing.server.accounts.vault import now

_FIRST = "0" * 64
#: Longer texts (a refused question) are kept in part.
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Event:
    """One event: ``account`` is who, or the name that was tried; ``about`` is for people to read."""

    sequence: int
    time: str
    account: str
    what: str
    about: str
    previous: str
    hash: str

    def is_whole(self) -> bool:
        """Whether the hash is that of the fields."""
        return self.hash == _digest(*astuple(self)[:-1])


def note(db: sqlite3.Connection, account: str, what: str, about: str = "") -> None:
    """Adds an event."""
    last = db.execute("SELECT sequence, hash FROM events ORDER BY sequence DESC LIMIT 1").fetchone() or (0, _FIRST)
    fields = (last[0] + 1, now(), account[:_LONGEST], what, about[:_LONGEST], last[1])
    db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*fields, _digest(*fields)))


def events(db: sqlite3.Connection, most: int) -> list[Event]:
    """The newest events, newest first."""
    rows = db.execute("SELECT * FROM events ORDER BY sequence DESC LIMIT ?", (most,))
    return [Event(*row) for row in rows]


def broken_at(db: sqlite3.Connection) -> int | None:
    """The first event that does not follow from the one before; None if all do."""
    previous, count = _FIRST, 0
    for row in db.execute("SELECT * FROM events ORDER BY sequence"):
        event, count = Event(*row), count + 1
        if event.sequence != count or event.previous != previous or not event.is_whole():
            return count
        previous = event.hash
    return None


def _digest(*fields: object) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()

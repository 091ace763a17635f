"""API tokens: 256 random bits, shown once, kept as a hash, with a scope and an end."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from datetime import timedelta

from lapwing.errors import InvalidInput
from lapwing.server.accounts.vault import later, now, secret

PREFIX = "lpw_"
#: ``ask`` may do what the account may do; ``quote`` may see tables and prices, and can pay for nothing.
SCOPES = ("ask", "quote")
LONGEST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: ``mark`` names it, and is of no use to anybody else."""

    mark: str
    account: str
    scope: str
    made: str
    ends: str


def make(db: sqlite3.Connection, account: str, scope: str, days: int) -> str:
    """A new token; this is the only time it is seen."""
    if scope not in SCOPES:
        raise InvalidInput("D111", f"the scope of a token is not {' or '.join(SCOPES)}", "Choose one of the two")
    if not 1 <= days <= LONGEST_DAYS:
        raise InvalidInput("D111", f"a token lasts 1 to {LONGEST_DAYS} days", "Give a number of days in this range")
    token = PREFIX + secret()
    row = (digest(token), account, scope, now(), later(timedelta(days=days)))
    db.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", row)
    return token


def find(db: sqlite3.Connection, token: str) -> Token | None:
    """What is known of a token; None for one that is unknown or over."""
    found = db.execute("SELECT * FROM tokens WHERE digest = ? AND ends > ?", (digest(token), now())).fetchone()
    return None if found is None else _listed(*found)


def of(db: sqlite3.Connection, account: str) -> list[Token]:
    """The tokens of an account that are not over, newest first."""
    rows = db.execute("SELECT * FROM tokens WHERE account = ? AND ends > ? ORDER BY made DESC", (account, now()))
    return [_listed(*row) for row in rows]


def revoke(db: sqlite3.Connection, account: str, mark: str | None) -> int:
    """Ends a token of the account, or all of them; how many."""
    if mark is None:
        return db.execute("DELETE FROM tokens WHERE account = ?", (account,)).rowcount
    return db.execute("DELETE FROM tokens WHERE account = ? AND substr(digest, 1, 12) = ?", (account, mark)).rowcount


def digest(text: str) -> str:
    """What is kept of a token or a cookie; it has 256 random bits, so a fast hash is enough."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _listed(kept: str, account: str, scope: str, made: str, ends: str) -> Token:
    return Token(kept[:12], account, scope, made, ends)

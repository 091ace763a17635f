"""The accounts of a folder as others use them: one object for one file, every method one transaction."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from lapwing.errors import InvalidInput
from lapwing.policy.identifiers import quoted
from lapwing.server.accounts import event_chain, passwords, questions, tokens
from lapwing.server.accounts.callers import alike, check_name
from lapwing.server.accounts.event_chain import Event
from lapwing.server.accounts.questions import Begun
from lapwing.server.accounts.tokens import Token
from lapwing.server.accounts.vault import create, later, now, reading, secret, writing

#: The name of the file, in the folder of the tables.
FILE = "lapwing.accounts"
ROLES = ("curator", "analyst")
#: A browser session is over after so long, whatever happens.
_DAY = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may knock. A curator decides about tables and people; whoever has a share of a table may ask."""

    name: str
    role: str
    disabled: bool
    made: str

    @property
    def is_curator(self) -> bool:
        """Whether they decide about tables and people."""
        return self.role == "curator"


@dataclass(frozen=True, slots=True)
class Login:
    """A browser session: whose it is, and the word that every form of it must carry."""

    account: Account
    form: str


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts in a file."""

    path: Path

    @staticmethod
    def of(folder: Path) -> Accounts:
        """The accounts of a folder; the file is made if there is none."""
        if not folder.is_dir():
            raise InvalidInput("D104", f"there is no folder {quoted(str(folder))}", "Name the folder of the tables")
        path = folder / FILE
        create(path)
        return Accounts(path)

    # --- people ------------------------------------------------------------------------------------------

    def add(self, name: str, role: str, password: str, by: str) -> None:
        """A new account."""
        check_name(name)
        if role not in ROLES:
            raise InvalidInput("D112", f"a role is {' or '.join(ROLES)}", "Choose one of the two")
        kept = passwords.hashed(password)  # slow, so outside the transaction
        with writing(self.path) as db:
            if any(alike(each) == alike(name) for (each,) in db.execute("SELECT name FROM accounts")):
                raise InvalidInput("D113", f"there is an account {quoted(name)} already", "Choose another name")
            db.execute("INSERT INTO accounts VALUES (?, ?, ?, 0, ?)", (name, role, kept, now()))
            event_chain.note(db, by, "account added", f"{name}, {role}")

    def all(self) -> list[Account]:
        """Every account, by name."""
        with reading(self.path) as db:
            rows = db.execute("SELECT name, role, disabled, made FROM accounts ORDER BY name")
            return [_account(*row) for row in rows]

    def named(self, name: str) -> Account:
        """The account of this name; refuses a name that nobody has."""
        with reading(self.path) as db:
            found = _find(db, name)
        if found is None:
            raise InvalidInput("D114", f"there is no account {quoted(name)}", "Look at them with: lapwing account list")
        return found

    def set_disabled(self, name: str, disabled: bool, by: str) -> None:
        """Shuts an account out, from this moment on, or lets it in again. What it spent stays spent."""
        account = self.named(name)
        with writing(self.path) as db:
            if disabled and account.is_curator and _curators(db) <= {name}:
                raise InvalidInput(
                    "D115", f"{quoted(name)} is the last curator who can log in", "Add another curator first"
                )
            db.execute("UPDATE accounts SET disabled = ? WHERE name = ?", (int(disabled), name))
            if disabled:
                _end_everything(db, name)
            event_chain.note(db, by, "account disabled" if disabled else "account enabled", name)

    def set_password(self, name: str, password: str, by: str) -> None:
        """Another password; whoever was logged in with the old one is logged out."""
        self.named(name)
        kept = passwords.hashed(password)
        with writing(self.path) as db:
            db.execute("UPDATE accounts SET password = ? WHERE name = ?", (kept, name))
            db.execute("DELETE FROM logins WHERE account = ?", (name,))
            event_chain.note(db, by, "password changed", name)

    def is_password(self, name: str, password: str) -> bool:
        """Whether this is the password of an account that may log in; a no takes the same time for every reason."""
        with reading(self.path) as db:
            row = db.execute("SELECT password FROM accounts WHERE name = ? AND NOT disabled", (name,)).fetchone()
        return passwords.matches(password, None if row is None else row[0])

    # --- what they come with -----------------------------------------------------------------------------

    def new_token(self, name: str, scope: str, days: int, by: str) -> str:
        """A new API token; this is the only time it is seen."""
        account = self.named(name)
        if account.disabled:
            raise InvalidInput("D116", f"the account {quoted(name)} is disabled", "Enable it first, or name another")
        with writing(self.path) as db:
            token = tokens.make(db, name, scope, days)
            event_chain.note(db, by, "token made", f"{name}, {tokens.digest(token)[:12]}, {scope}, {days} days")
        return token

    def by_token(self, token: str) -> tuple[Account, Token] | None:
        """Whose token this is; None for one that opens nothing."""
        with reading(self.path) as db:
            found = tokens.find(db, token)
            account = None if found is None else _find(db, found.account)
        return None if found is None or account is None or account.disabled else (account, found)

    def tokens(self, name: str) -> list[Token]:
        """The tokens of an account that are not over."""
        with reading(self.path) as db:
            return tokens.of(db, name)

    def revoke(self, name: str, mark: str, by: str) -> None:
        """Ends a token."""
        with writing(self.path) as db:
            if not tokens.revoke(db, name, mark):
                raise InvalidInput("D117", "there is no such token", "Look at the list: it may be over already")
            event_chain.note(db, by, "token revoked", f"{name}, {mark}")

    def log_in(self, name: str) -> tuple[str, Login]:
        """A browser session for somebody who gave the password: the value of its cookie, made anew each time."""
        cookie, form = secret(), secret()
        account = self.named(name)
        with writing(self.path) as db:
            db.execute("DELETE FROM logins WHERE ends <= ?", (now(),))
            db.execute("INSERT INTO logins VALUES (?, ?, ?, ?)", (tokens.digest(cookie), name, form, later(_DAY)))
            event_chain.note(db, name, "logged in")
        return cookie, Login(account, form)

    def by_cookie(self, cookie: str) -> Login | None:
        """Whose browser session this is; None for one that is forged or over."""
        with reading(self.path) as db:
            wanted = (tokens.digest(cookie), now())
            row = db.execute("SELECT account, form FROM logins WHERE digest = ? AND ends > ?", wanted).fetchone()
            account = None if row is None else _find(db, row[0])
        return None if account is None or account.disabled else Login(account, row[1])

    def log_out(self, cookie: str, name: str) -> None:
        """Ends a browser session."""
        with writing(self.path) as db:
            db.execute("DELETE FROM logins WHERE digest = ?", (tokens.digest(cookie),))
            event_chain.note(db, name, "logged out")

    def log_out_everywhere(self, name: str) -> None:
        """Ends all browser sessions and all tokens of an account."""
        with writing(self.path) as db:
            _end_everything(db, name)
            event_chain.note(db, name, "logged out everywhere")

    # --- questions with a key ----------------------------------------------------------------------------

    def begun(self, name: str, key: str) -> Begun | None:
        """The question that a key came with before; None for a new key."""
        with reading(self.path) as db:
            return questions.find(db, name, key)

    def begin(self, name: str, key: str, question: Begun) -> Begun | None:
        """Writes a question down before it is charged; the earlier one if the key was used before."""
        with writing(self.path) as db:
            return questions.begin(db, name, key, question)

    def finish(self, name: str, key: str, charge: int | None) -> None:
        """Notes what came of a question."""
        with writing(self.path) as db:
            questions.finish(db, name, key, charge)

    def claimed(self, name: str, source: str) -> set[int]:
        """The charges on a table that are known to belong to a key."""
        with reading(self.path) as db:
            return questions.charges(db, name, source)

    # --- the chain of events -----------------------------------------------------------------------------

    def note(self, account: str, what: str, about: str = "") -> None:
        """Adds an event."""
        with writing(self.path) as db:
            event_chain.note(db, account, what, about)

    def note_refused(self, name: str, address: str) -> None:
        """Adds that somebody was not let in; a name that nobody has stays out, for it may be a password."""
        with writing(self.path) as db:
            event_chain.note(db, name if _find(db, name) else "(no such name)", "log-in refused", f"from {address}")

    def events(self, most: int = 200) -> list[Event]:
        """The newest events, newest first."""
        with reading(self.path) as db:
            return event_chain.events(db, most)

    def broken_at(self) -> int | None:
        """The first event that does not follow from the one before; None if all do."""
        with reading(self.path) as db:
            return event_chain.broken_at(db)


def _find(db: sqlite3.Connection, name: str) -> Account | None:
    row = db.execute("SELECT name, role, disabled, made FROM accounts WHERE name = ?", (name,)).fetchone()
    return None if row is None else _account(*row)


def _account(name: str, role: str, disabled: int, made: str) -> Account:
    return Account(name, role, bool(disabled), made)


def _curators(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("SELECT name FROM accounts WHERE role = 'curator' AND NOT disabled")}


def _end_everything(db: sqlite3.Connection, name: str) -> None:
    db.execute("DELETE FROM logins WHERE account = ?", (name,))
    tokens.revoke(db, name, None)

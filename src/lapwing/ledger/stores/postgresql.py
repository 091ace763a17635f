"""A schema in PostgreSQL that servers on several machines share, in which a transaction happened or did not.

Settings, and why:

- *A lock first*: a transaction that writes locks the head against other writers before it reads anything, so two
  processes never both read a balance that only one of them may spend. Readers are not kept waiting.
- ``synchronous_commit = on`` in every transaction, and a server without ``fsync`` is refused: a charge that is
  committed is on disk, whatever the server's habits are.
- *A commit whose reply is lost counts as charged*: no receipt is given, so nothing is looked at. If the commit did not
  happen after all, the analyst has lost a question and nobody any privacy.
- *Settings inside the transaction*, so that a pool of connections between here and the server changes nothing.

The ledger's database is another one than the data's, with a role of its own: this one writes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors

from lapwing.errors import InvalidInput, LapwingError
from lapwing.ledger.entries import FIELDS
from lapwing.ledger.stores.store import VERSION, Rows, corrupt
from lapwing.policy.addresses import ledger_address

APPLICATION = "lapwing"
_TYPES = {"sequence": "BIGINT PRIMARY KEY", "terms": "BIGINT NOT NULL", "reference": "BIGINT"}
_SCHEMA = [
    "CREATE TABLE about (application TEXT NOT NULL, version INT NOT NULL)",
    f"CREATE TABLE entries ({', '.join(f'{name} ' + _TYPES.get(name, 'TEXT NOT NULL') for name in FIELDS)})",
    "CREATE TABLE head (one INT PRIMARY KEY CHECK (one = 1), sequence BIGINT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE balances (account TEXT, node TEXT, state TEXT NOT NULL, seal TEXT NOT NULL, "
    "PRIMARY KEY (account, node))",
    "CREATE TABLE releases (sequence BIGINT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE secret (one INT PRIMARY KEY CHECK (one = 1), key BYTEA NOT NULL)",
    "CREATE INDEX by_kind ON entries (kind, sequence)",
    "CREATE INDEX by_analyst ON entries (kind, analyst, sequence)",
    # a hash: other indexes hold no text of a million letters
    "CREATE INDEX by_query ON entries USING hash (query) WHERE kind = 'charge'",
    "CREATE UNIQUE INDEX once ON entries (reference, kind) WHERE reference IS NOT NULL",
    # These stop accidents. Whoever means to rewrite history can drop them, and is caught by the chain.
    "CREATE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'entries stay'; END $$",
    "CREATE TRIGGER no_change BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION entries_stay()",
    "CREATE TRIGGER no_end BEFORE TRUNCATE ON entries EXECUTE FUNCTION entries_stay()",
]
#: Seconds after which a server that says nothing is taken for gone.
_SILENCE = 30


class _Connected:
    """A connection that takes ``?`` for a value, as SQLite does."""

    def __init__(self, line: psycopg.Connection[tuple[Any, ...]]) -> None:
        self.line = line

    def execute(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Runs one of our statements."""
        return self.line.execute(statement.replace("?", "%s"), values or None)


@dataclass(frozen=True, slots=True)
class PostgreSQLStore:
    """A ledger in a schema of its own: ``postgresql://role@host/database/NAME``."""

    place: str

    @property
    def _schema(self) -> str:
        _, name = ledger_address(self.place)
        return f"lapwing_{name}"

    def create(self) -> None:
        """Refuses a name that is taken; the schema itself is made together with the first entry."""
        with self.connection(_SILENCE) as db:
            if db.execute("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = ?", (self._schema,)).fetchone():
                raise _taken()
            ((fsync, pages),) = db.execute(
                "SELECT pg_catalog.current_setting('fsync'), pg_catalog.current_setting('full_page_writes')"
            ).fetchall()
            if (fsync, pages) != ("on", "on"):
                raise InvalidInput(
                    "L109",
                    "the server does not wait until what it commits is on disk (fsync or full_page_writes is off)",
                    "Turn both on: a charge that a power failure undoes was never made",
                )

    def discard(self) -> None:
        """Removes a ledger that was made a moment ago and that nobody has used."""
        with self.connection(_SILENCE) as db:
            db.execute(f"DROP SCHEMA IF EXISTS {_quoted(self._schema)} CASCADE")

    def build(self, db: _Connected) -> None:
        """The schema and its tables, within the transaction that also writes the first entry."""
        db.execute(f"CREATE SCHEMA {_quoted(self._schema)}")
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute("INSERT INTO about VALUES (?, ?)", (APPLICATION, VERSION))

    @contextmanager
    def writing(self, connected: AbstractContextManager[_Connected], *, new: bool = False) -> Iterator[_Connected]:
        """A transaction that no other writer is beside; durable when the block ends, undone if it raises."""
        with connected as db:
            try:
                self._begin(db, "READ COMMITTED READ WRITE")
                db.execute("SET LOCAL synchronous_commit = on")
                if not new:
                    self._check_is_ledger(db)
                    db.execute("LOCK TABLE head IN SHARE ROW EXCLUSIVE MODE")
                yield db
                _commit(db)
            except BaseException:
                _give_up(db)
                raise

    @contextmanager
    def reading(self, connected: AbstractContextManager[_Connected]) -> Iterator[_Connected]:
        """One moment of the ledger."""
        with connected as db:
            try:
                self._begin(db, "REPEATABLE READ READ ONLY")
                self._check_is_ledger(db)
                yield db
            finally:
                _give_up(db)

    @contextmanager
    def connection(self, patience: float) -> Iterator[_Connected]:
        """A connection for as long as the block lasts; whatever PostgreSQL refuses in it is explained."""
        address, _ = ledger_address(self.place)
        try:
            line = psycopg.connect(
                address.url,
                autocommit=True,
                connect_timeout=10,
                application_name="lapwing ledger",
                tcp_user_timeout=_SILENCE * 1000,
                options=f"-c lock_timeout={max(1, int(patience * 1000))}",
                prepare_threshold=None,  # a pool of connections may give each transaction another one
            )
        except psycopg.Error:
            line = None
        if line is None:
            raise LapwingError(
                "L107",
                "the ledger's database cannot be reached, or does not let the role in",
                "Check the address, and the password in the file that PGPASSFILE names: nothing was charged",
            )
        with self.explained(patience), contextlib.closing(line):
            yield _Connected(line)

    @contextmanager
    def explained(self, patience: float) -> Iterator[None]:
        """Whatever PostgreSQL refuses in the block, as an error of the ledger."""
        found: LapwingError | None = None
        try:
            yield
        except psycopg.Error as failed:
            found = _explained(failed, patience)
        if found is not None:
            raise found from None

    def _begin(self, db: _Connected, mode: str) -> None:
        db.execute(f"BEGIN ISOLATION LEVEL {mode}")
        db.execute(f"SET LOCAL search_path = {_quoted(self._schema)}")

    def _check_is_ledger(self, db: _Connected) -> None:
        if db.execute("SELECT pg_catalog.to_regclass('about')").fetchone() == (None,):
            name = ledger_address(self.place)[1]
            raise InvalidInput(
                "L101", f"there is no ledger {name!a} in the database", "Name another, or make one with lapwing protect"
            )
        if db.execute("SELECT application, version FROM about").fetchall() != [(APPLICATION, VERSION)]:
            raise InvalidInput(
                "L103", "the schema is another version of Lapwing's", "Name the right ledger, or use that version"
            )


def _commit(db: _Connected) -> None:
    """Ends the transaction; without the server's word for it, the charge counts and nothing else does."""
    said = None
    with contextlib.suppress(psycopg.Error):
        said = db.line.execute("COMMIT").statusmessage
    if said != "COMMIT":
        raise LapwingError(
            "L108",
            "the ledger's database did not say whether the entry was written",
            "It counts as charged. See lapwing ledger SOURCE, then ask again",
        )


def _give_up(db: _Connected) -> None:
    with contextlib.suppress(psycopg.Error):
        if db.line.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            db.line.execute("ROLLBACK")


def _explained(failed: psycopg.Error, patience: float) -> LapwingError:
    """Fixed words: the server's own may quote what an analyst asked."""
    if isinstance(failed, errors.LockNotAvailable):
        return LapwingError(
            "L104",
            f"another process has held the ledger for {patience:g} seconds",
            "Try again when it is done: nothing was charged",
        )
    if isinstance(failed, errors.DuplicateSchema | errors.UniqueViolation):
        return _taken()
    if isinstance(failed, psycopg.DataError):
        return InvalidInput("L118", "an entry's words are not text", "Give ordinary text, without a zero character")
    refused = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction, errors.DiskFull, errors.InvalidSchemaName)
    if isinstance(failed, refused):
        return LapwingError(
            "L106",
            "the ledger cannot be written: its database does not let the role",
            "GRANT CREATE on the database to the role, or free some room: no answer was given",
        )
    if isinstance(failed, psycopg.OperationalError):
        return LapwingError(
            "L107", "the ledger's database went away", "Try again: nothing was charged, unless lapwing ledger says so"
        )
    return corrupt("PostgreSQL cannot make sense of the schema")


def _taken() -> InvalidInput:
    return InvalidInput(
        "L102",
        "the database has a ledger of this name already",
        "Open it, or choose another name: a ledger is never overwritten, for that would forget what was spent",
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

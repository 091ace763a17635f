"""The stores that the contract of ``test_stores`` is held against: a place for a new ledger in each."""

from __future__ import annotations

from contextlib import contextmanager

from lapwing.policy.addresses import database_address
from tests.contracts import postgresql
from tests.ledger.making import own_folder


@contextmanager
def sqlite():
    """A file."""
    with own_folder() as folder:
        yield folder / "people.lapwing.ledger"


@contextmanager
def in_postgresql():
    """A schema in a database of its own, whose role may create it and is no superuser."""
    database = postgresql.Database()
    try:
        database.run(f"GRANT CREATE ON DATABASE {database.name} TO {postgresql.READER}")
        yield database_address(database.url).with_relation("people")
    finally:
        database.drop()


STORES = {"sqlite": sqlite, "postgresql": in_postgresql}

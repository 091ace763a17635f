"""Which engine answers: files are read by DuckDB, tables behind an address by the database or cluster that has them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lapwing.engines.duckdb import DuckDB
from lapwing.engines.engine import Engine
from lapwing.errors import MissingExtra
from lapwing.policy import Policy
from lapwing.policy.addresses import database_address, is_address


def open_engine(policy: Policy, folder: str | Path) -> Engine:
    """The engine for the tables of a policy; their paths are seen from the folder."""
    address = next((table.path for table in policy.tables if is_address(table.path)), None)
    if address is None:
        return DuckDB(policy, folder)
    with drivers("Spark" if database_address(address).is_cluster else "PostgreSQL") as name:
        if name == "PostgreSQL":
            from lapwing.engines.postgresql.reader import PostgreSQL

            return PostgreSQL(policy)
        from lapwing.engines.spark.reader import Spark

        return Spark(policy)


@contextmanager
def drivers(name: str) -> Iterator[str]:
    """Drivers are an extra, and are imported only when a database is opened."""
    try:
        yield name
    except ImportError:
        problem = f"the drivers of {name} are not installed"
        raise MissingExtra("E126", problem, f"Run: pip install 'lapwing[{name.lower()}]'") from None

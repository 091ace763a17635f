"""Engines run lowered statements on real tables and bring back exact whole numbers, nothing else.

The one idea: charge before look is a type. An engine reads private rows only when it is handed a ledger's receipt, on
one snapshot, behind a lock that keeps statements from any other file; and no error of a driver is shown, since it may
quote a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from lapwing.engines import describing
from lapwing.engines.describing import guessed_kinds
from lapwing.engines.duckdb import DuckDB
from lapwing.engines.engine import Engine, Progress
from lapwing.engines.listing import Keys
from lapwing.errors import MissingExtra
from lapwing.policy import Column, Policy
from lapwing.policy.addresses import database_address, is_address
from lapwing.query.expressions import Kind

__all__ = ["DuckDB", "Engine", "Progress", "describe", "guessed_kinds", "kinds", "open_engine", "public_keys"]


def open_engine(policy: Policy, folder: str | Path) -> Engine:
    """The engine for the tables of a policy; their paths are seen from the folder."""
    address = next((table.path for table in policy.tables if is_address(table.path)), None)
    if address is None:
        return DuckDB(policy, folder)
    room = _room(address)
    engine: Engine = room.Spark(policy) if database_address(address).is_cluster else room.PostgreSQL(policy)
    return engine


def describe(path: str | Path, relation: str | None = None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a source for writing a policy; the ``unit`` as a kind that keeps people apart."""
    columns: tuple[Column, ...] = _room(path).describe(path, relation, unit)
    return columns


def kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """All columns of a source, each with its kind; None for those of no kind."""
    found: dict[str, Kind | None] = _room(path).kinds(path, relation)
    return found


def public_keys(path: str | Path, relation: str | None, columns: Sequence[Column]) -> dict[str, Keys]:
    """The different values of each column of a public table, where they are few."""
    found: dict[str, Keys] = _room(path).public_keys(path, relation, columns)
    return found


def _room(address: str | Path) -> ModuleType:
    """What describes files; or the room of a database or a cluster, whose drivers are an extra."""
    if not isinstance(address, str) or not is_address(address):
        return describing
    cluster = database_address(address).is_cluster
    name, extra = ("Spark", "spark") if cluster else ("PostgreSQL", "postgresql")
    try:
        if cluster:
            from lapwing.engines import spark

            return spark
        from lapwing.engines import postgresql
    except ImportError:
        problem = f"the drivers of {name} are not installed"
        raise MissingExtra("E126", problem, f"Run: pip install 'lapwing[{extra}]'") from None
    return postgresql

"""Engines run lowered statements on real tables and bring back exact whole numbers, nothing else.

The one idea: charge before look is a type. An engine reads private rows only when it is handed a ledger's receipt, on
one snapshot, behind a lock that keeps statements from any other file; and no error of a driver is shown, since it may
quote a value.
"""

from __future__ import annotations

from pathlib import Path

from lapwing.engines.duckdb import DuckDB
from lapwing.engines.engine import Engine, Progress
from lapwing.policy import Column, Policy
from lapwing.query.expressions import Kind

__all__ = ["DuckDB", "Engine", "Progress", "describe", "kinds", "open_engine"]


def open_engine(policy: Policy, folder: str | Path) -> Engine:
    """The engine for the tables of a policy; their paths are seen from the folder."""
    return DuckDB(policy, folder)


def describe(path: str | Path, relation: str | None = None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a file, a folder of parts, or a table of a database, for writing a policy.

    The ``unit`` gets a kind in which different people stay different: its own where that is exact, else text.
    """
    return DuckDB.describe(path, relation, unit)


def kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """All columns of a source with their kinds, also those that a policy cannot list; None for columns of no kind."""
    return DuckDB.kinds(path, relation)

"""Engines run lowered statements on real tables and bring back exact whole numbers, nothing else.

The one idea: charge before look is a type. An engine reads private rows only when it is handed a ledger's receipt, on
one snapshot, behind a lock that keeps statements from any other file; and no error of a driver is shown, since it may
quote a value.
"""

from __future__ import annotations

from pathlib import Path

from lapwing.engines.describing import describe, kinds
from lapwing.engines.duckdb import DuckDB
from lapwing.engines.engine import Engine, Progress
from lapwing.policy import Policy

__all__ = ["DuckDB", "Engine", "Progress", "describe", "kinds", "open_engine"]


def open_engine(policy: Policy, folder: str | Path) -> Engine:
    """The engine for the tables of a policy; their paths are seen from the folder."""
    return DuckDB(policy, folder)

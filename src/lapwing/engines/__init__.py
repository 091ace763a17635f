"""Engines run lowered statements on real tables and bring back exact whole numbers, nothing else.

The one idea: charge before look is a type. An engine reads private rows only when it is handed a ledger's receipt, on
one snapshot, behind a lock that keeps statements from any other file; and no error of a driver is shown, since it may
quote a value.
"""

from lapwing.engines.describing import guessed_kinds, public_ranges
from lapwing.engines.duckdb import DuckDB
from lapwing.engines.engine import Engine, Progress
from lapwing.engines.of_policy import open_engine
from lapwing.engines.of_sources import describe, kinds, public_keys

__all__ = [
    "DuckDB",
    "Engine",
    "Progress",
    "describe",
    "guessed_kinds",
    "kinds",
    "open_engine",
    "public_keys",
    "public_ranges",
]

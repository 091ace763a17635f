"""Where a ledger is kept: a file of SQLite's, or a schema of its own in PostgreSQL. The chain is the same in both.

The one idea: everything that a ledger means is written once, over the few statements that both databases read alike. A
store says only how a transaction begins, how it is made durable, and what a refusal means.
"""

from __future__ import annotations

import os
from pathlib import Path

from lapwing.errors import MissingExtra
from lapwing.ledger.stores.sqlite import SQLiteStore
from lapwing.ledger.stores.store import Database, Store
from lapwing.policy.addresses import is_address

__all__ = ["Database", "Store", "store_at"]


def store_at(place: str | os.PathLike[str]) -> Store:
    """The store at a path, or behind an address."""
    if not isinstance(place, str) or not is_address(place):
        return SQLiteStore(Path(place))
    try:
        from lapwing.ledger.stores.postgresql import PostgreSQLStore
    except ImportError:
        raise MissingExtra(
            "E126", "the drivers of PostgreSQL are not installed", "Run: pip install 'lapwing[postgresql]'"
        ) from None
    return PostgreSQLStore(place)

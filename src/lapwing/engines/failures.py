"""What an engine says when it fails: fixed words, because a driver's own may quote values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import duckdb

from lapwing.errors import InvalidInput, LapwingError

Result = TypeVar("Result")


def guarded(work: Callable[[], Result], otherwise: LapwingError, driver: type[Exception] = duckdb.Error) -> Result:
    """A driver's error becomes a fixed one: its text may quote values, so not even its chain is kept."""
    try:
        return work()
    except LapwingError:  # our own words already
        raise
    except (driver, OSError, RuntimeError, ValueError):
        pass
    raise otherwise


def failed() -> LapwingError:
    """The engine gave up on a statement."""
    return LapwingError("E106", "the engine could not finish", "Try again; if memory or disk is short, free some")


def changed() -> LapwingError:
    """A file is another one than when it was opened."""
    return LapwingError("E109", "the data changed since they were opened", "Open the source again")


def unreachable() -> LapwingError:
    """There is no way to the database: gone, refused, or in the way of a wall."""
    return LapwingError(
        "E123",
        "the database cannot be reached, or does not let the role in",
        "Check host, database and role in the address, and the password in the file that PGPASSFILE names",
    )


def unreadable(file: str, relation: str | None = None) -> LapwingError:
    """A source is no table, or not a whole one."""
    what = f"{file!r}" if relation is None else f"{relation!r} of {file!r}"
    return InvalidInput(
        "E103", f"{what} cannot be read as a table", "Check that it is there and whole, and not in use for writing"
    )

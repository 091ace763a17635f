"""Running a query where it can be watched and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import duckdb

from lapwing.engines.engine import Progress
from lapwing.engines.failures import failed

Result = TypeVar("Result")
#: Seconds between two looks at how far a query is.
_BREATH = 0.1


def in_background(
    work: Callable[[], Result], connection: duckdb.DuckDBPyConnection, progress: Progress | None
) -> Result:
    """Runs the work in a thread, so that this one can report progress and hear Ctrl-C, which ends it cleanly."""
    done: list[Result] = []
    errors: list[type[BaseException]] = []

    # An event and not Thread.join: a join that Ctrl-C interrupts may take a running thread for an ended one.
    finished = threading.Event()

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # its text may hold data, so only its type leaves
            errors.append(type(error))
        finally:
            finished.set()

    threading.Thread(target=run, name="lapwing-duckdb", daemon=True).start()
    try:
        while not finished.wait(_BREATH):
            if progress is not None:
                progress(min(max(connection.query_progress() / 100, 0.0), 1.0))
    except BaseException:
        connection.interrupt()
        while not finished.wait(_BREATH):
            connection.interrupt()
        raise
    if errors:
        raise failed()
    return done[0]

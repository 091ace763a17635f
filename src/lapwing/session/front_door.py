"""``lapwing.open`` and ``lapwing.protect``: a path or a data frame, which is written and protected on the way.

What is written here is not believed: an answer rests on the policy that is read when the table is opened.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.session.asking import Session
from lapwing.session.frames import is_frame, written
from lapwing.session.opening import opened
from lapwing.session.protecting import Wishes, left_out, protect
from lapwing.session.said import wishes_of


def open_session(source: Any, analyst: str | None = None, **wishes: Any) -> Session:  # noqa: ANN401  # a path or a frame
    """A session on a protected table: ``lapwing.open("people.parquet", analyst="ana")``.

    With a single analyst in the policy the name can be left out. A data frame is protected on the way:
    ``lapwing.open(frame, unit="person", epsilon=1)`` is ``lapwing.protect(frame, ...)``.
    """
    if is_frame(source):
        return protect_and_open(source, **wishes)
    if wishes:
        raise InvalidInput(
            "S120", "a file was opened with what a policy says", "Protect it first: lapwing.protect(...)"
        )
    return opened(source, analyst)


def protect_and_open(
    source: Any,  # noqa: ANN401  # a path or a frame
    *,
    name: str = "frame",
    folder: str | Path | None = None,
    neighbours: Neighbours | str = Neighbours.ADDED,
    unit: str | None = None,
    **wishes: Any,  # noqa: ANN401  # those of Wishes
) -> Session:
    """Protect a file or a data frame, and open it: ``lapwing.protect(frame, unit="person", epsilon=1)``.

    What can be said is what ``lapwing protect`` takes: ``epsilon``, ``delta``, ``bounds={"age": (0, 100)}``,
    ``keys={"region": ["north", "south"]}``, ``rows_per_unit``, ``groups_per_unit``, ``kinds``, ``analysts`` ….
    A frame goes by ``name`` in SQL. Its copy, its policy and its ledger lie in ``folder``; without one they are gone,
    and so is the record of what was spent, when the session is closed. Columns that cannot be asked for are warned of.
    """
    said = wishes_of(unit, neighbours, wishes)
    if not is_frame(source):
        _protected(source, said)
        return open_session(source)
    path, passing = written(source, name, folder)
    try:
        _protected(path, said)
        session = open_session(path, next(iter(said.analysts or ()), None))
    except BaseException:
        if passing is not None:
            passing.cleanup()
        raise
    if passing is not None:
        session.engine.on_close(passing.cleanup)
    return session


def _protected(source: Any, said: Wishes) -> None:  # noqa: ANN401  # a path, as the curator wrote it
    """Protects a file, and warns of columns that are left out, as the command line says it."""
    policy, path = protect(source, said)
    for table, columns in left_out(policy, path).items():
        for name, reason in columns.items():
            warnings.warn(f"the column {name!a} of {table} is left out: {reason}", stacklevel=3)

"""Opening a protected table: a table without a policy is refused, never public."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import open_engine
from lapwing.errors import InvalidInput
from lapwing.ledger import Ledger
from lapwing.policy import Policy
from lapwing.session.asking import Session
from lapwing.session.frames import is_frame, written
from lapwing.session.places import ledger_of, places, protected
from lapwing.session.protecting import Wishes, protect


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
    at = places(source)
    policy = protected(at)
    name = _analyst(policy, analyst)
    ledger = Ledger.open(ledger_of(at, policy))
    ledger.check_policy(policy)
    return Session(policy, ledger, open_engine(policy, at.policy.parent), name)


def protect_and_open(
    source: Any,  # noqa: ANN401  # a path or a frame
    *,
    name: str = "frame",
    folder: str | Path | None = None,
    neighbours: Neighbours | str = Neighbours.ADDED,
    unit: str | None = None,
    **wishes: Any,  # noqa: ANN401  # handed on to Wishes, which says what they are
) -> Session:
    """Protect a file or a data frame, and open it: ``lapwing.protect(frame, unit="person", epsilon=1)``.

    What can be said is what ``lapwing protect`` takes: ``epsilon``, ``delta``, ``bounds={"age": (0, 100)}``,
    ``keys={"region": ["north", "south"]}``, ``rows_per_unit``, ``groups_per_unit``, ``kinds``, ``analysts`` ….
    A frame goes by ``name`` in SQL. Its copy, its policy and its ledger lie in ``folder``; without one they are gone,
    and so is the record of what was spent, when the session is closed.
    """
    unknown = next((each for each in wishes if each not in {known.name for known in fields(Wishes)}), None)
    if unknown is not None or "epsilon" not in wishes:
        problem = "there is no budget" if unknown is None else f"a policy has no {unknown!r}"
        raise InvalidInput("S128", problem, "Give epsilon=1, say, and bounds, keys and limits by their names")
    said = Wishes(unit, neighbours=Neighbours(neighbours), **wishes)
    if not is_frame(source):
        protect(source, said)
        return open_session(source)
    path, passing = written(source, name, folder)
    try:
        protect(path, said)
        session = open_session(path, next(iter(said.analysts or ()), None))
    except BaseException:
        if passing is not None:
            passing.cleanup()
        raise
    if passing is not None:
        session.engine.on_close(passing.cleanup)
    return session


def _analyst(policy: Policy, analyst: str | None) -> str:
    names = [each.name for each in policy.analysts]
    if analyst is None and len(names) == 1:
        return names[0]
    if analyst is None or analyst not in names:
        who = "nobody was named" if analyst is None else f"{analyst!r} is not an analyst of {policy.name!r}"
        raise InvalidInput("S122", who, f"Name one of {', '.join(sorted(names)) or 'the analysts in the policy'}")
    return analyst

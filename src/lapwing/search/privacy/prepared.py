"""Loops with private steps, and what is set or drawn before them for their sake."""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.kernel.composition.exposure import exposed, targets
from lapwing.kernel.program import ir, walk


def acts(statement: ir.Statement) -> bool:
    """Whether a statement draws or calls."""
    return any(isinstance(each, ir.Sample | ir.Call) for each in walk.statements((statement,)))


def shared_by_a_loop(mechanism: ir.Mechanism) -> bool:
    """Whether a loop reads what was drawn before it."""
    drawn: set[str] = set()
    for statement in mechanism.body:
        used = exposed((statement,), mechanism)
        if isinstance(statement, ir.For | ir.While) and acts(statement) and used & drawn:
            return True
        if isinstance(statement, ir.Sample) or used & drawn:
            drawn |= targets((statement,))
    return False


def loop_behind(body: Sequence[ir.Statement], position: int) -> int | None:
    """Where the loop with private steps stands for which assignments and draws from here on prepare."""
    for place in range(position, len(body)):
        if not isinstance(body[place], ir.Assign | ir.Sample):
            loops = isinstance(body[place], ir.For | ir.While) and acts(body[place])
            return place if loops and place > position else None
    return None


def prepares_loops(mechanism: ir.Mechanism) -> bool:
    """Whether assignments prepare for a loop that is not all there is."""
    places = (loop_behind(mechanism.body, place) for place in range(len(mechanism.body)))
    found = {place for place in places if place is not None}
    return bool(found) and sum(map(acts, mechanism.body)) > 1

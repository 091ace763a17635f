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
    """Where the loop with private steps stands for which assignments and draws from here on prepare.

    The first of them prepares nothing where it sets what the loop only reads.
    """
    for place in range(position, len(body)):
        if not isinstance(body[place], ir.Assign | ir.Sample):
            loops = isinstance(body[place], ir.For | ir.While) and acts(body[place]) and place > position
            first = body[position]
            changed = isinstance(first, ir.Sample) or bool(targets((first,)) & set(walk.assigned((body[place],))))
            return place if loops and changed else None
    return None


def prepares_loops(mechanism: ir.Mechanism) -> bool:
    """Whether assignments prepare for a loop that is not all there is: something follows, or is around."""
    loops = [each.body for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    if any(map(_prepares, loops)):
        return True
    follows = not isinstance(mechanism.body[-2], ir.For | ir.While) if len(mechanism.body) > 1 else False
    return _prepares(mechanism.body) and (follows or sum(map(acts, mechanism.body)) > 1)


def _prepares(block: Sequence[ir.Statement]) -> bool:
    return any(loop_behind(block, place) is not None for place in range(len(block)))

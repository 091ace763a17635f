"""A ``while`` that counts its rounds, read as a ``for`` over a range."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.doubt import at
from lapwing.kernel.folds.values import Number, Value
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import ONE, constant

COUNTED = "this loop is not one that counts its rounds: begin its counter at 0 and add 1 to it once in every round"


def counted(loop: ir.While, values: Mapping[str, Value]) -> ir.For:
    """``while i < n``, where i begins at a number and goes up by 1 in each round, and nothing else moves i or n.

    No round reads the counter once it went up: in a round of a range it has not gone up yet.
    """
    name, stop = _limit(loop)
    begun = values.get(name)
    raised = ir.Assign(name, ir.Arithmetic("+", ir.Name(name), ONE))
    place = next((at for at, each in enumerate(loop.body) if each == raised), None)
    if place is None or not isinstance(begun, Number) or not begun.whole or constant(begun.base) is None:
        raise at(loop, COUNTED)
    before, after = loop.body[:place], loop.body[place + 1 :]
    body = (*before, *after)
    leaves = any(isinstance(each, ir.Break | ir.Continue) for each in walk.statements(body))
    moved = set(walk.assigned(body))
    read = any(isinstance(part, ir.Name) and part.name == name for each in after for part in walk.nodes(each))
    if leaves or read or moved & (walk.names(stop) | {name}) or name in walk.names(stop):
        raise at(loop, COUNTED)
    return ir.For(ir.Range(name, begun.base, stop, span=loop.span), body, loop.number, span=loop.span)


def _limit(loop: ir.While) -> tuple[str, ir.Expression]:
    """The counter of a loop, and what it has to be below: ``i + w <= n`` says ``i < n - w + 1``, of whole numbers."""
    match loop.condition:
        case ir.Compare("<" | "<=" as symbol, low, high):
            pass
        case ir.Compare(">" | ">=" as symbol, high, low):
            pass
        case _:
            raise at(loop, COUNTED)
    match low:
        case ir.Name(name):
            stop = high
        case ir.Arithmetic("+", ir.Name(name), more):
            stop = ir.Arithmetic("-", high, more, span=loop.span)
        case _:
            raise at(loop, COUNTED)
    return name, stop if symbol in ("<", ">") else ir.Arithmetic("+", stop, ONE, span=loop.span)

"""A loop that goes on for ever but for what its rounds begin with, said as the test of the loop.

The one idea: ``while True`` with ``if i >= len(q) or hits >= limit: break`` first in each round goes on while
``i < len(q) and hits < limit``.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import NEGATED
from lapwing.source.built_lists import Block


def tested_first(block: Block) -> Block:
    """The block with such loops asking before each round."""
    return walk.exchanged(block, _asking)


def _asking(loop: ir.Statement) -> Block | None:
    """Such a loop with all that its rounds begin with as its test."""
    if not isinstance(loop, ir.While) or loop.condition != ir.Truth(True):
        return None
    rounds, tests = loop.body, list[ir.Expression]()
    while len(rounds) > 1 and isinstance(first := rounds[0], ir.If) and _leaves(first):
        tests.append(_opposite(first.condition))
        rounds = rounds[1:]
    if not tests:
        return None
    parts = [part for each in tests for part in (each.operands if isinstance(each, ir.And) else (each,))]
    test = parts[0] if len(parts) == 1 else ir.And(tuple(parts), span=loop.span)
    return (replace(loop, condition=test, body=tested_first(rounds)),)


def _leaves(statement: ir.If) -> bool:
    return not statement.otherwise and len(statement.then) == 1 and isinstance(statement.then[0], ir.Break)


def _opposite(test: ir.Expression) -> ir.Expression:
    """What holds where a test does not, in the same order."""
    match test:
        case ir.Not(operand):
            return operand
        case ir.And(operands):
            return ir.Or(tuple(map(_opposite, operands)), span=test.span)
        case ir.Or(operands):
            return ir.And(tuple(map(_opposite, operands)), span=test.span)
        case ir.Compare(symbol):
            return replace(test, operator=NEGATED[symbol])
    return ir.Not(test, span=test.span)

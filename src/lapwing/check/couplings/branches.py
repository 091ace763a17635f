"""Branches in which the two runs may go different ways.

Where a branch only sets variables, each run takes its own side and nothing else is asked. Everywhere else (a draw, a
list that grows, a loop, a way out) both runs have to take the same side, so no draw is ever without its partner.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.program import ir


def runs_may_part(statement: ir.If, types: Mapping[str, ir.Type]) -> bool:
    """Whether both sides do nothing but set numbers and truth values."""
    for inner in (*statement.then, *statement.otherwise):
        match inner:
            case ir.Assign(target, _) if isinstance(types[target], ir.Real | ir.Integer | ir.Boolean):
                continue
            case ir.If() if runs_may_part(inner, types):
                continue
        return False
    return True

"""A loop that fills a list and is left before its end, as one that stays and does nothing more.

The one idea: ``break`` is a truth value that every round asks for first. All rounds are gone through then, so each
place of the list has a round of its own; what is drawn, and when, is the same.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import Block, Variables, jumps, mentioned


def staying(loop: ir.For, rest: Block, names: Variables) -> tuple[ir.Assign, ir.For] | None:
    """The loop without its ``break``, and what stands in front of it; ``rest`` is what stands behind it."""
    returns = any(isinstance(each, ir.Return) for each in walk.statements(loop.body))
    if returns or walk.continues(loop.body) or not jumps(loop.body) or set(loop.source.targets) & mentioned(rest):
        return None  # behind the loop its own variables would be those of the last round
    left = names.fresh("left", ir.Boolean())
    body = ir.If(ir.Not(ir.Name(left)), _staying(loop.body, left), (), span=loop.span)
    return ir.Assign(left, ir.Truth(False), span=loop.span), replace(loop, body=(body,))


def _staying(block: Block, left: str) -> Block:
    for at, each in enumerate(block):
        rest = block[at + 1 :]
        match each:
            case ir.Break():
                return (*block[:at], ir.Assign(left, ir.Truth(True), span=each.span))
            case ir.If(_, then, otherwise) if jumps((each,)):
                if _leaves(then) or _leaves(otherwise):
                    sides = [side if _leaves(side) else (*side, *rest) for side in (then, otherwise)]
                    rest = ()
                else:
                    sides = [then, otherwise]
                one, other = (_staying(side, left) for side in sides)
                made: Block = (replace(each, then=one, otherwise=other),)
                if rest:
                    made = (*made, ir.If(ir.Not(ir.Name(left)), _staying(rest, left), (), span=each.span))
                return (*block[:at], *made)
    return block


def _leaves(block: Block) -> bool:
    """Whether every way through a block ends the loop."""
    last = block[-1] if block else None
    match last:
        case ir.Break():
            return True
        case ir.If(_, then, otherwise):
            return _leaves(then) and _leaves(otherwise)
    return False

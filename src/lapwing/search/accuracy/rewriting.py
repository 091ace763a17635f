"""Conditions rewritten for the search: every ``all(...)`` read at its ghost."""

from __future__ import annotations

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.formulas_of_runs import word
from lapwing.kernel.symbolic.terms import plus


def at_ghosts(condition: ir.Expression) -> ir.Expression:
    """The condition as a formula: each ``all`` about the one position that its ghost is."""
    return _at_ghosts(condition, [1])


def _at_ghosts(node: ir.Expression, number: list[int]) -> ir.Expression:
    match node:
        case ir.And(operands):
            return ir.And(tuple(_at_ghosts(each, number) for each in operands))
        case ir.Or(operands):
            return ir.Or(tuple(_at_ghosts(each, number) for each in operands))
        case ir.Conditional(condition, then, otherwise):
            return ir.Conditional(condition, _at_ghosts(then, number), _at_ghosts(otherwise, number))
        case ir.Builtin("all", (ir.Comprehension(element, source, condition),)):
            ghost = word("ghost", number[0])
            number[0] += 1
            meanings: dict[ir.Expression, ir.Expression] = {}
            if isinstance(source, ir.Range):
                here = plus(source.start, ghost)
                meanings[ir.Name(source.target)] = here
                outside: list[ir.Expression] = [ir.Compare(">=", here, source.stop)]
            else:
                outside = [ir.Compare(">=", ghost, ir.Builtin("len", (walked,))) for _, walked in source.items]
                for name, walked in source.items:
                    meanings[ir.Name(name)] = ir.Index(walked, ghost, ir.Real())
                if source.index is not None:
                    meanings[ir.Name(source.index)] = ghost
            if condition is not None:
                outside.append(ir.Not(replaced(condition, meanings)))
            return ir.Or((*outside, replaced(element, meanings)))
    return node

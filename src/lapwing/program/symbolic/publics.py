"""Public formulas of a program: scales and probabilities as expressions over parameters."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.program import ir, walk


def over_parameters(mechanism: ir.Mechanism, node: ir.Expression) -> ir.Expression:
    """``node`` with each variable that is set once, at the top of the mechanism, replaced by what it is set to."""
    names = [name for each in walk.statements(mechanism.body) for name in walk.targets(each)]
    settings = {
        each.target: each.value
        for each in mechanism.body
        if isinstance(each, ir.Assign) and names.count(each.target) == 1
    }
    return _replaced(node, settings, len(settings))


def _replaced(node: ir.Expression, settings: Mapping[str, ir.Expression], depth: int) -> ir.Expression:
    match node:
        case ir.Name(name) if name in settings and depth > 0:
            return _replaced(settings[name], settings, depth - 1)
        case ir.Negate(operand):
            return ir.Negate(_replaced(operand, settings, depth))
        case ir.Arithmetic(symbol, left, right):
            return ir.Arithmetic(symbol, *(_replaced(each, settings, depth) for each in (left, right)))
    return node

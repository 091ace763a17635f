"""Public formulas of a program: scales and probabilities as expressions over parameters."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import Outside


def over_parameters(mechanism: ir.Mechanism, node: ir.Expression) -> ir.Expression:
    """``node`` with each variable that is set once, to a formula, replaced by that formula.

    Any other variable is refused: a formula knows no variables, and may use their names for something else.
    """
    names = walk.assigned(mechanism.body)
    settings = {
        each.target: each.value
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Assign) and names.count(each.target) == 1
    }
    return _replaced(mechanism, node, settings)


def _replaced(mechanism: ir.Mechanism, node: ir.Expression, settings: Mapping[str, ir.Expression]) -> ir.Expression:
    match node:
        case ir.Name(name) if name in settings:
            earlier = {other: value for other, value in settings.items() if other != name}
            return _replaced(mechanism, settings[name], earlier)
        case ir.Name(name) if mechanism.parameter(name) is None:
            raise Outside(f"the variable '{name}' is not set once, to a formula over parameters", node)
        case ir.Negate(operand):
            return ir.Negate(_replaced(mechanism, operand, settings))
        case ir.Arithmetic(symbol, left, right):
            return ir.Arithmetic(symbol, *(_replaced(mechanism, each, settings) for each in (left, right)))
    return node

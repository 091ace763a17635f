"""Public formulas of a program: scales and probabilities as expressions over parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import Outside

#: More parts than a formula has. A chain of variables each of which reads the one before twice doubles at every step.
MAX_PARTS = 2000


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
    return _replaced(mechanism, node, settings, count())


def _replaced(
    mechanism: ir.Mechanism, node: ir.Expression, settings: Mapping[str, ir.Expression], parts: Iterator[int]
) -> ir.Expression:
    if next(parts) > MAX_PARTS:
        raise Outside("a formula over parameters is longer than any formula should be", node)
    match node:
        case ir.Name(name) if name in settings:
            earlier = {other: value for other, value in settings.items() if other != name}
            return _replaced(mechanism, settings[name], earlier, parts)
        case ir.Name(name) if mechanism.parameter(name) is None:
            raise Outside(f"the variable '{name}' is not set once, to a formula over parameters", node)
        case ir.Negate(operand):
            return ir.Negate(_replaced(mechanism, operand, settings, parts))
        case ir.Arithmetic(symbol, left, right):
            return ir.Arithmetic(symbol, *(_replaced(mechanism, each, settings, parts) for each in (left, right)))
    return node

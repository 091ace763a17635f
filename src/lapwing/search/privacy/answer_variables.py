"""Which variables hold what is answered in the end: ``best`` where ``winner = best`` and ``return winner + 1``."""

from __future__ import annotations

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import outcomes


def answered(mechanism: ir.Mechanism) -> dict[str, ir.Expression]:
    """By variable: the answer in its words, where that is the variable itself, or so much more or less."""
    every = walk.assigned(mechanism.body)
    copies = {
        each.target: each.value
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Assign) and every.count(each.target) == 1
    }
    found: dict[str, ir.Expression] = {}
    waiting = [
        value
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Return) and each.value is not None
        for value in outcomes(each.value)
    ]
    while waiting:
        value = waiting.pop(0)
        name = _named(value)
        if name is None or name in found:
            continue
        found[name] = value
        if name in copies:
            sources = [each for each in outcomes(copies[name]) if _named(each) is not None]
            waiting += [replaced(value, {ir.Name(name): each}) for each in sources]
    return found


def _named(value: ir.Expression) -> str | None:
    """The variable that a value is, or is a number away from."""
    match value:
        case ir.Name(name):
            return name
        case ir.Arithmetic("+" | "-", inner, ir.Number()) | ir.Arithmetic("+", ir.Number(), inner):
            return _named(inner)
    return None

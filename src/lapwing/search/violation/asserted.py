"""Public values that meet the preconditions, asked of a solver where ordinary ones do not.

The one idea: what the solver says is a suggestion. Whether a mechanism runs with it is asked of the mechanism, so a
precondition that is not translated is only left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.comparisons import COMPARED

#: Suggestions, and milliseconds for each.
SUGGESTIONS, MILLISECONDS = 6, 500


def solved(mechanism: ir.Mechanism) -> Iterator[tuple[dict[str, Fraction], dict[str, int]]]:
    """Numbers for public parameters and lengths for lists that meet the preconditions, each unlike the ones before."""
    numbers = {each.name: _unknown(each) for each in mechanism.parameters if _is_number(each) and not each.private}
    lists = [each.name for each in mechanism.parameters if isinstance(each.type, ir.List)]
    lengths = {name: z3.Int(f"len({name})") for name in lists}
    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    solver.add(*(each >= 0 for each in lengths.values()))
    for condition in mechanism.preconditions:
        with suppress(_Untold):
            solver.add(_term(condition, {**numbers, **lengths}))
    for _ in range(SUGGESTIONS):
        if solver.check() != z3.sat:
            return
        model = solver.model()
        values = {name: model.eval(unknown, model_completion=True) for name, unknown in {**numbers, **lengths}.items()}
        told = {name: Fraction(str(value)) for name, value in values.items() if z3.is_rational_value(value)}
        told |= {name: Fraction(value.as_long()) for name, value in values.items() if z3.is_int_value(value)}
        yield (
            {name: value for name, value in told.items() if name in numbers},
            {name: int(value) for name, value in told.items() if name in lengths},
        )
        if not numbers:
            return
        solver.add(z3.Or(*(unknown != values[name] for name, unknown in numbers.items())))


class _Untold(Exception):
    """A condition that the solver is not told."""


def _is_number(parameter: ir.Parameter) -> bool:
    return isinstance(parameter.type, ir.Integer | ir.Real)


def _unknown(parameter: ir.Parameter) -> z3.ArithRef:
    return z3.Int(parameter.name) if isinstance(parameter.type, ir.Integer) else z3.Real(parameter.name)


def _term(node: ir.Expression, names: dict[str, z3.ArithRef]) -> z3.ExprRef:
    match node:
        case ir.Number(value):
            return z3.RealVal(str(value)) if value.denominator != 1 else z3.IntVal(int(value))
        case ir.Name(name) if name in names:
            return names[name]
        case ir.Builtin("len", (ir.Name(name),)) if name in names:
            return names[name]
        case ir.Negate(operand):
            return -_term(operand, names)
        case ir.Arithmetic(symbol, left, right):
            a, b = _term(left, names), _term(right, names)
            return a + b if symbol == "+" else a - b if symbol == "-" else a * b if symbol == "*" else z3.ToReal(a) / b
        case ir.Compare(symbol, left, right):
            a, b = _term(left, names), _term(right, names)
            return COMPARED[symbol](a, b)
        case ir.Not(operand):
            return z3.Not(_term(operand, names))
        case ir.And(operands):
            return z3.And(*(_term(each, names) for each in operands))
        case ir.Or(operands):
            return z3.Or(*(_term(each, names) for each in operands))
    raise _Untold

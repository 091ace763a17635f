"""Numbers between which a value lies whatever the inputs are: constants, clipped values, choices between such."""

from __future__ import annotations

from fractions import Fraction

from lapwing.program import ir


def bounds_of(node: ir.Expression) -> tuple[Fraction, Fraction] | None:
    """Numbers between which a value always lies."""
    match node:
        case ir.Number(value):
            return value, value
        case ir.Negate(operand):
            inner = bounds_of(operand)
            return None if inner is None else (-inner[1], -inner[0])
        case ir.Conditional(_, then, otherwise):
            a, b = bounds_of(then), bounds_of(otherwise)
            return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))
        case ir.Builtin("clip", (_, low, high)):
            ends = bounds_of(low), bounds_of(high)
            if ends[0] is not None and ends[1] is not None and ends[0][0] == ends[0][1] <= ends[1][0] == ends[1][1]:
                return ends[0][0], ends[1][0]
    return None

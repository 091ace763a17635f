"""The value of a claim: exact where it is rational, otherwise an interval that certainly contains it.

Claims and β are expressions over public parameters that may use ``ln``, ``exp`` and ``sqrt``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run.evaluate import Environment, evaluate


def enclosed(expression: ir.Expression, environment: Environment) -> Interval:
    """An interval around the value of ``expression``: one point if no ``ln``, ``exp`` or ``sqrt`` is in it."""
    if not is_irrational(expression):
        return Interval.point(Fraction(evaluate(expression, environment)))
    return enclose(lambda: ball_of(expression, environment))


def ball_of(expression: ir.Expression, environment: Environment) -> arb:
    """A ball around the value of ``expression``, at the working precision."""
    if not is_irrational(expression):
        return ball(Fraction(evaluate(expression, environment)))
    match expression:
        case ir.Negate(operand):
            return -ball_of(operand, environment)
        case ir.Arithmetic(operator, left, right):
            a, b = ball_of(left, environment), ball_of(right, environment)
            return {"+": arb.__add__, "-": arb.__sub__, "*": arb.__mul__, "/": arb.__truediv__}[operator](a, b)
        case ir.Conditional(condition, then, otherwise) if not is_irrational(condition):
            return ball_of(then if evaluate(condition, environment) else otherwise, environment)
        case ir.Builtin("ln" | "sqrt" as function, (operand,)):
            inside = enclosed(operand, environment)
            if inside.lower < 0 or (function == "ln" and inside.lower == 0):
                raise InvalidInput(
                    "P214", f"a claim takes the {function} of a number that is too small", "Give other parameters"
                )
            value = ball_of(operand, environment)
            return value.log() if function == "ln" else value.sqrt()
        case ir.Builtin("exp", (operand,)):
            return ball_of(operand, environment).exp()
        case ir.Builtin("abs", (operand,)):
            return abs(ball_of(operand, environment))
        case ir.Builtin("min" | "max" as function, operands) if len(operands) > 1:
            pick = arb.min if function == "min" else arb.max
            return reduce(pick, (ball_of(operand, environment) for operand in operands))
    raise InvalidInput(
        "P204", f"a claim is too involved ({expression.span})", "Use + - * /, min, max, ln, exp and sqrt"
    )

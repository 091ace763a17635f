"""What a claim, or the closed form of a loss, is worth in numbers.

Both are formulas with ``ln``, ``exp`` and ``sqrt`` besides rational arithmetic; a formula without them is exact.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import exact
from lapwing.check.expressions import Evaluator
from lapwing.check.values import Value
from lapwing.errors import InvalidInput
from lapwing.program import ir, walk

IRRATIONAL = {"ln": arb.log, "log": arb.log, "exp": arb.exp, "sqrt": arb.sqrt}
#: Longer closed forms are not worth reading, by people or by this module.
MAX_LENGTH = 400


def claimed(expression: ir.Expression, variables: Mapping[str, Value], types: Mapping[str, ir.Type]) -> Interval:
    """The value of a claim's expression for these parameters."""
    look = Evaluator(variables, (), types)

    def irrational(node: ir.Node) -> bool:
        return any(isinstance(part, ir.Builtin) and part.function in IRRATIONAL for part in walk.nodes(node))

    def enclosed(node: ir.Expression) -> arb:
        match node:
            case _ if not irrational(node):
                return ball(look.number(node))
            case ir.Builtin(function, (argument,)) if function in IRRATIONAL:
                return IRRATIONAL[function](enclosed(argument))
            case ir.Builtin("min" | "max" as function, arguments) if len(arguments) > 1:
                return _extreme(function, [enclosed(argument) for argument in arguments])
            case ir.Negate(operand):
                return -enclosed(operand)
            case ir.Arithmetic(operator, left, right):
                return _operate(operator, enclosed(left), enclosed(right))
            case ir.Conditional(condition, then, otherwise) if not irrational(condition):
                return enclosed(then if look.truth(condition) else otherwise)
        raise InvalidInput("C113", "the claim has a form that is not checked", "Use + - * / ln exp sqrt min max in it")

    return enclose(lambda: enclosed(expression)) if irrational(expression) else Interval.point(look.number(expression))


def closed_form(text: str) -> Interval:
    """The value of a closed form such as ``ln(3)`` or ``1 + ln(3/2)``."""
    refusal = InvalidInput("C114", "closed_form is not a formula", "Write numbers, + - * /, ln, exp and sqrt")

    def enclosed(node: ast.expr) -> arb:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return ball(exact(value, "closed_form"))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -enclosed(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
                operator = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(op)]
                return _operate(operator, enclosed(left), enclosed(right))
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in IRRATIONAL:
                return IRRATIONAL[name](enclosed(argument))
        raise refusal

    if len(text) > MAX_LENGTH:
        raise refusal
    try:
        tree = ast.parse(text, mode="eval").body
        value = enclose(lambda: enclosed(tree), bits=256)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refusal from None
    return value


def _operate(operator: str, left: arb, right: arb) -> arb:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right


def _extreme(function: str, values: list[arb]) -> arb:
    best = values[0]
    for value in values[1:]:
        best = best.max(value) if function == "max" else best.min(value)
    return best


def log_bounds(left: Interval, right: Interval) -> tuple[Fraction | None, Fraction | None]:
    """Bounds on ln(left / right), None for infinity; ``left`` is certainly above 0."""
    low = None if right.upper == 0 else enclose(lambda: ball(left.lower / right.upper).log()).lower
    high = None if right.lower == 0 else enclose(lambda: ball(left.upper / right.lower).log()).upper
    return low, high

"""What the closed form of a loss is worth in numbers, and bounds on a loss."""

from __future__ import annotations

import ast
from fractions import Fraction

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput

IRRATIONAL = {"ln": arb.log, "log": arb.log, "exp": arb.exp, "sqrt": arb.sqrt}
#: Longer closed forms are not worth reading, by people or by this module.
MAX_LENGTH = 400


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


def log_bounds(left: Interval, right: Interval) -> tuple[Fraction | None, Fraction | None]:
    """Bounds on ln(left / right), None for infinity; ``left`` is certainly above 0."""
    low = None if right.upper == 0 else enclose(lambda: ball(left.lower / right.upper).log()).lower
    high = None if right.lower == 0 else enclose(lambda: ball(left.upper / right.lower).log()).upper
    return low, high

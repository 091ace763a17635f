"""What the closed form of a loss is worth in numbers, and bounds on a loss."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput

_OPERATORS: dict[type, Callable[[arb, arb], arb]] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
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
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](enclosed(left), enclosed(right))
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


def log_bounds(left: Interval, right: Interval) -> tuple[Fraction | None, Fraction | None]:
    """Bounds on ln(left / right), None for infinity; ``left`` is certainly above 0."""
    low = None if right.upper == 0 else enclose(lambda: ball(left.lower / right.upper).log()).lower
    high = None if right.lower == 0 else enclose(lambda: ball(left.upper / right.lower).log()).upper
    return low, high

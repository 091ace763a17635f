"""Formulas of certificates, read from Python's syntax as expressions of the IR; nothing in them is ever run.

Besides the language's own expressions they have words: ``round(k)`` (rounds of loop k that have ended), ``draws(k)``
and ``noise(k)`` (how often site k has drawn, and the sum of what it drew), ``gamma(k)`` (the margin that each draw of
site k stays within) and ``ghost(k)`` (the one position considered by the k-th ``all`` of the condition).
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Literal, cast

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from lapwing.program import ir
from lapwing.program.nesting import too_deep
from lapwing.program.symbolic.terms import Outside

WORDS = ("round", "draws", "noise", "gamma", "ghost")
_FUNCTIONS = (*WORDS, "abs", "min", "max", "len", "sum", "ln", "exp", "sqrt", "step", "all")
_ARITHMETIC: dict[type, Literal["+", "-", "*", "/"]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def formula(text: str) -> ir.Expression:
    """A formula as an expression. Elements are called numbers: whoever evaluates them knows better."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Outside(f"the formula {text[:60]!r} cannot be read") from None
    if too_deep(tree) is not None:
        raise Outside("a formula is nested too deep")
    return _expression(tree)


def _expression(node: ast.expr) -> ir.Expression:
    match node:
        case ast.Constant(value=bool() as value):
            return ir.Truth(value)
        case ast.Constant(value=int() | float() as value):
            try:
                return ir.Number(exact(str(value)))
            except (InvalidInput, ValueError):  # ValueError: more digits than Python writes out
                raise Outside("a number in a formula cannot be read") from None
        case ast.Name(id=name):
            return ir.Name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ir.Negate(_expression(operand))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ir.Not(_expression(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return ir.Arithmetic(_ARITHMETIC[type(op)], _expression(left), _expression(right))
        case ast.BoolOp(op=ast.And(), values=values):
            return ir.And(tuple(map(_expression, values)))
        case ast.BoolOp(op=ast.Or(), values=values):
            return ir.Or(tuple(map(_expression, values)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            symbol = cast(Literal["<", "<=", ">", ">=", "==", "!="], _COMPARE[type(op)])
            return ir.Compare(symbol, _expression(left), _expression(right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ir.Conditional(_expression(test), _expression(body), _expression(orelse))
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            ends = (None if end is None else _expression(end) for end in (lower, upper))
            return ir.Slice(_expression(value), *ends)
        case ast.Subscript(value=value, slice=index):
            return ir.Index(_expression(value), _expression(index), ir.Real())
        case ast.ListComp(
            elt=element, generators=[ast.comprehension(target=ast.Name(id=name), iter=walked, ifs=tests)]
        ):
            kept = [_expression(each) for each in tests]
            source = ir.Over(((name, _expression(walked)),))
            every = None if not kept else kept[0] if len(kept) == 1 else ir.And(tuple(kept))
            return ir.Comprehension(_expression(element), source, every)
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if function in _FUNCTIONS:
            return ir.Builtin(function, tuple(map(_expression, arguments)))
    raise Outside(f"{ast.unparse(node)[:60]!r} is not a formula here")


def word(function: str, position: int) -> ir.Expression:
    """A word such as ``gamma(2)``."""
    return ir.Builtin(function, (ir.Number(Fraction(position)),))

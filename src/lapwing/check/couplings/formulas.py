"""The formulas of a certificate (see :mod:`lapwing.evidence.certificate`), read as expressions of the language.

The one idea: a formula is an expression of the language with a few words more (``hat``, ``cost``, …), so one evaluation
serves both. A numeral is the number that stands there, digit by digit: what people read is what was checked.
"""

from __future__ import annotations

import ast

from lapwing.algebra.exact import exact
from lapwing.check.couplings.doubt import Unproved
from lapwing.errors import InvalidInput
from lapwing.evidence.certificate import MAX_FORMULA
from lapwing.evidence.values import number_from_json
from lapwing.program import ir

#: Words of formulas only. They get names that no function of a program can have.
_WORDS = frozenset({"hat", "other", "where", "rising", "cost", "round", "draw", "output"})
#: Words that read their operand in the second run. One inside another says nothing more and doubles the work.
_SECOND_RUN = frozenset({"hat", "other"})
#: More parts than the formula of any proof has.
MAX_NODES = 2000
_ARITHMETIC: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def formula(text: str) -> ir.Expression:
    """The expression that a formula stands for; nothing in it is ever run."""
    if len(text) > MAX_FORMULA:
        raise Unproved(f"a formula is longer than {MAX_FORMULA} characters")
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
        if sum(isinstance(part, ast.expr) for part in ast.walk(tree)) > MAX_NODES:
            raise Unproved(f"a formula has more than {MAX_NODES} parts")
        return _expression(tree, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, InvalidInput):
        raise Unproved(f"the formula {text[:60]!r} cannot be read") from None


def _expression(node: ast.expr, text: str) -> ir.Expression:
    def inner(part: ast.expr) -> ir.Expression:
        return _expression(part, text)

    match node:
        case ast.Constant(value=bool() as value):
            return ir.Truth(value)
        case ast.Constant(value=int() | float() as value):
            digits = number_from_json(ast.get_source_segment(text, node), "a number in a formula")
            if digits != exact(value):  # whoever reads the bound as a program would read another number
                raise Unproved("a number in a formula has more digits than are read in programs")
            return ir.Number(digits)
        case ast.Name(id=name):
            return ir.Name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ir.Negate(inner(operand))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ir.Not(inner(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return ir.Arithmetic(_ARITHMETIC[type(op)], inner(left), inner(right))  # type: ignore[arg-type]  # one of four
        case ast.BoolOp(op=op, values=values):
            joined = ir.And if isinstance(op, ast.And) else ir.Or
            return joined(tuple(inner(value) for value in values))
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _COMPARE for op in ops):
            sides = [inner(each) for each in (left, *comparators)]
            steps = zip((_COMPARE[type(op)] for op in ops), sides, sides[1:], strict=False)
            return ir.And(tuple(ir.Compare(*step) for step in steps))  # type: ignore[arg-type]  # one of six
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ir.Conditional(inner(test), inner(body), inner(orelse))
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            return ir.Index(ir.Name(name), inner(index), ir.Real())
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            if function in _SECOND_RUN and any(_of_second_run(part) for each in arguments for part in ast.walk(each)):
                raise Unproved(f"{function}(…) is about another hat(…) or other(…)")
            name = f"%{function}" if function in _WORDS else function
            return ir.Builtin(name, tuple(inner(argument) for argument in arguments))
    raise Unproved(f"{ast.unparse(node)[:60]!r} is not a formula")


def _of_second_run(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SECOND_RUN

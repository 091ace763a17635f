"""The one reader of formulas: the text of evidence as expressions of the language, and back.

The one idea: a formula is an expression of the language with a few words more (``hat``, ``cost``, …), so one evaluation
serves both. It is one line of plain characters without comments, a numeral is the number that stands there, digit by
digit, and what people are shown is printed from what was read: nobody sees another formula than the one checked.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.wellformed.nesting import MAX_DEPTH
from lapwing.kernel.written_numbers import numeral

#: Longer formulas than any proof needs, and more parts.
MAX_FORMULA, MAX_NODES = 20_000, 2000
#: Words of couplings only. They get names that no function of a program can have.
WORDS = frozenset(
    {
        "hat", "other", "where", "rising", "cost", "round", "draw", "output", "next", "left", "answered", "answer",
        "tries", "uses", "width", "place",
    }
)  # fmt: skip
#: Words that read their operand in the second run. One inside another says nothing more and doubles the work.
_SECOND_RUN = frozenset({"hat", "other"})
_ARITHMETIC: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@lru_cache(maxsize=512)
def formula(text: str, words: frozenset[str] = WORDS) -> ir.Expression:
    """The expression that a formula stands for; nothing in it is ever run. ``words`` are marked with a ``%``."""
    if len(text) > MAX_FORMULA:
        raise Unproved(f"a formula is longer than {MAX_FORMULA} characters")
    if not (text.isascii() and text.isprintable()) or "#" in text:
        raise Unproved("a formula is not one line of plain characters without a comment")
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
        if _too_deep(tree):
            raise Unproved("a formula is nested too deep")
        if sum(isinstance(part, ast.expr) for part in ast.walk(tree)) > MAX_NODES:
            raise Unproved(f"a formula has more than {MAX_NODES} parts")
        return _expression(tree, text, words)
    except (SyntaxError, ValueError, RecursionError, MemoryError, InvalidInput):
        raise Unproved(f"the formula {text[:60]!r} cannot be read") from None


def shown(expression: ir.Expression) -> str:
    """A formula as people read it, and as :func:`formula` reads it again."""
    return re.sub(r"%(?=[a-z])", "", show(expression))  # the mark of a word, not the rest of a division


def printed(text: str) -> str:
    """The text of a formula, printed from what is read of it."""
    return shown(formula(text))


def _expression(node: ast.expr, text: str, words: frozenset[str]) -> ir.Expression:
    def inner(part: ast.expr) -> ir.Expression:
        return _expression(part, text, words)

    match node:
        case ast.Constant(value=bool() as value):
            return ir.Truth(value)
        case ast.Constant(value=int() | float() as value):
            digits = numeral(ast.get_source_segment(text, node) or "", "a number in a formula")
            if digits != exact(value):  # whoever reads the bound as a program would read another number
                raise Unproved("a number in a formula has more digits than are read in programs")
            return ir.Number(digits, real=isinstance(value, float))
        case ast.Name(id=name):
            return ir.Name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ir.Negate(inner(operand))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ir.Not(inner(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return ir.Arithmetic(_ARITHMETIC[type(op)], inner(left), inner(right))  # type: ignore[arg-type]  # one of four
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod() as op, right=right):
            return ir.Builtin("//" if isinstance(op, ast.FloorDiv) else "%", (inner(left), inner(right)))
        case ast.BoolOp(op=op, values=values):
            joined = ir.And if isinstance(op, ast.And) else ir.Or
            return joined(tuple(inner(value) for value in values))
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _COMPARE for op in ops):
            sides = [inner(each) for each in (left, *comparators)]
            steps = zip((_COMPARE[type(op)] for op in ops), sides, sides[1:], strict=False)
            tests = tuple(ir.Compare(*step) for step in steps)  # type: ignore[arg-type]  # one of six
            return tests[0] if len(tests) == 1 else ir.And(tests)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ir.Conditional(inner(test), inner(body), inner(orelse))
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            ends = (None if end is None else inner(end) for end in (lower, upper))
            return ir.Slice(inner(value), *ends)
        case ast.Subscript(value=value, slice=index):
            return ir.Index(inner(value), inner(index), ir.Real())
        case ast.List(elts=elements):
            return ir.ListOf(tuple(map(inner, elements)))
        case ast.ListComp(
            elt=element, generators=[ast.comprehension(target=ast.Name(id=name), iter=walked, ifs=tests, is_async=0)]
        ):
            kept = tuple(map(inner, tests))
            every = None if not kept else kept[0] if len(kept) == 1 else ir.And(kept)
            return ir.Comprehension(inner(element), ir.Over(((name, inner(walked)),)), every)
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            if function == "step":
                raise Unproved("step() means nothing: noise is real-valued, and no longer a multiple of a step")
            marked = function in words
            if marked and function in _SECOND_RUN and any(_of_second_run(p) for a in arguments for p in ast.walk(a)):
                raise Unproved(f"{function}(…) is about another hat(…) or other(…)")
            return ir.Builtin(f"%{function}" if marked else function, tuple(map(inner, arguments)))
    raise Unproved(f"{ast.unparse(node)[:60]!r} is not a formula")


def _of_second_run(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SECOND_RUN


def _too_deep(tree: ast.expr) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return any(isinstance(node, ast.expr) for node in level)

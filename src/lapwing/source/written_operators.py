"""Operators on numbers, lists and membership: what Python writes with an operator and the IR says in simpler words.

The one idea: nothing new is meant. ``x ** 3`` is a product, ``[0] * k`` a comprehension, ``x in xs`` a comparison with
each element; so whatever runs, proves or measures the IR knows these words already. Only ``//`` and ``%`` are functions
of their own.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from itertools import islice
from typing import Literal, cast

from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.ir import Boolean, Integer, List, Real, Tuple, Type, Unknown
from lapwing.source import conversions, expressions
from lapwing.source.frame import Frame, Lowered, Out
from lapwing.source.language_words import instead

_ARITHMETIC: dict[type[ast.operator], Literal["+", "-", "*", "/"]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_WHOLE: dict[type[ast.operator], str] = {ast.FloorDiv: "//", ast.Mod: "%"}
#: The highest power that is written out as a product.
MAX_POWER = 8
#: What is written once and meant often (a power, a helper's argument) may not grow beyond this many parts.
MAX_PARTS = 2000


def lower_arithmetic(frame: Frame, node: ast.BinOp, out: Out) -> Lowered:
    """``left operator right``."""
    span = frame.scope.span(node)
    if isinstance(node.op, ast.Pow):
        return _power(frame, node, out)
    if isinstance(node.op, ast.Mult):
        for one, times in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.List):
                return _repeated(frame, node, one, times, out)
    if (function := _WHOLE.get(type(node.op))) is not None:
        parts = tuple(expressions.whole(frame, each, out) for each in (node.left, node.right))
        return ir.Builtin(function, parts, span=span), Integer()
    if (of_truths := conversions.lower_bits(frame, node, out)) is not None:
        return of_truths
    operator = _ARITHMETIC.get(type(node.op))
    if operator is None:
        raise frame.scope.refused(
            "P113", node, "this operator is outside the language", instead(type(node.op).__name__)
        )
    (left, a), (right, b) = expressions.number(frame, node.left, out), expressions.number(frame, node.right, out)
    kind = Real() if operator == "/" else cast(Type, types.join(a, b))
    return ir.Arithmetic(operator, left, right, span=span), kind


def _power(frame: Frame, node: ast.BinOp, out: Out) -> Lowered:
    base, kind = expressions.number(frame, node.left, out)
    if out is not None and not isinstance(node.right, ast.Constant) and _is_natural(frame, node.right):
        return _multiplied(frame, node, (base, kind), out)
    power = node.right.value if isinstance(node.right, ast.Constant) else None
    if isinstance(power, bool) or not isinstance(power, int) or not 0 <= power <= MAX_POWER:
        raise frame.scope.refused("P113", node, "this power is outside the language", instead("Pow"))
    span = frame.scope.span(node)
    if power == 0:
        return ir.Number(Fraction(1), isinstance(kind, Real), span=span), kind
    product = base
    for _ in range(power - 1):
        product = ir.Arithmetic("*", product, base, span=span)
    return small(frame, product, node), kind


def _is_natural(frame: Frame, node: ast.expr) -> bool:
    """Whether this is a whole number of 0 or more whatever is run: counters of ranges, numbers, and sums of these."""
    match node:
        case ast.Name(id=name):
            shadowed = name in frame.bound or name in frame.values
            return not shadowed and frame.renamed.get(name, name) in frame.naturals
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value >= 0
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return _is_natural(frame, left) and _is_natural(frame, right)
    return False


def _multiplied(frame: Frame, node: ast.BinOp, base: Lowered, out: list[ir.Statement]) -> Lowered:
    """``2 ** level``: 1, doubled in a loop of so many rounds, which is what Python gives for powers of 0 or more."""
    span, (factor, kind) = frame.scope.span(node), base
    times, _ = expressions.number(frame, node.right, out)
    name, counter = frame.fresh("power"), frame.fresh("i")
    frame.assign(name, kind, node)
    frame.assign(counter, Integer(), node)
    product = ir.Arithmetic("*", ir.Name(name, span=span), factor, span=span)
    out.append(ir.Assign(name, ir.Number(Fraction(1), isinstance(kind, Real), span=span), span=span))
    source = ir.Range(counter, ir.Number(Fraction(0), span=span), times, span=span)
    out.append(ir.For(source, (ir.Assign(name, product, span=span),), frame.loop(), span=span))
    return ir.Name(name, span=span), kind


def _repeated(frame: Frame, node: ast.BinOp, one: ast.List, times: ast.expr, out: Out) -> Lowered:
    """``[x] * k``: k times the same value, as a comprehension."""
    if len(one.elts) != 1:
        raise frame.scope.refused(
            "P115", node, "a list of more than one value is repeated", "Write [x] * k, or a comprehension"
        )
    first, second = (one.elts[0], times) if one is node.left else (times, one.elts[0])
    parts: dict[ast.expr, Lowered] = {}
    for each in (first, second):  # in the order in which Python would draw
        parts[each] = expressions.lower(frame, each, out)
    value, kind = parts[one.elts[0]]
    count, counted = parts[times]
    if _has_list(kind):
        raise frame.scope.refused(
            "P115", node, "one list is repeated, and would have many names", "Write [[0] for i in range(k)]"
        )
    if not isinstance(counted, Integer | Unknown):
        problem = f"a whole number is needed here, and this is {types.show(counted)}"
        raise frame.scope.refused("P133", times, problem, "Annotate it as int")
    span = frame.scope.span(node)
    source = ir.Range(frame.fresh("i"), ir.Number(Fraction(0), span=span), count, span=span)
    return ir.Comprehension(value, source, None, span=span), List(kind)


def _has_list(kind: Type) -> bool:
    return isinstance(kind, List) or (isinstance(kind, Tuple) and any(map(_has_list, kind.elements)))


def member(frame: Frame, node: ast.Compare, left: Lowered, place: ast.expr, out: Out) -> ir.Expression:
    """``left in place``: whether some element is equal."""
    span = frame.scope.span(node)
    value, kind = left
    if isinstance(place, ast.List | ast.Tuple):
        elements = [expressions.lower(frame, each, out) for each in place.elts]
        for (_, found), written in zip(elements, place.elts, strict=True):
            _comparable(frame, written, kind, found)
        tests = tuple(ir.Compare("==", value, element, span=span) for element, _ in elements)
        if len(tests) < 2:
            return tests[0] if tests else ir.Truth(False, span=span)
        return small(frame, ir.Or(tests, span=span), node)
    items, held = expressions.lower(frame, place, out)
    if not isinstance(held, List | Unknown):
        problem = f"a list is needed here, and this is {types.show(held)}"
        raise frame.scope.refused("P138", place, problem, "Look for it in a list")
    _comparable(frame, place, kind, held.element if isinstance(held, List) else Unknown())
    name = frame.fresh("each")
    source = ir.Over(((name, items),), span=span)
    equal = ir.Comprehension(
        ir.Name(name, span=span), source, ir.Compare("==", ir.Name(name, span=span), value, span=span), span=span
    )
    zero = ir.Number(Fraction(0), span=span)
    return ir.Compare(">", ir.Builtin("len", (equal,), span=span), zero, span=span)


def _comparable(frame: Frame, place: ast.expr, left: Type, right: Type) -> None:
    truths = all(isinstance(each, Boolean | Unknown) for each in (left, right))
    if not truths and not (types.is_number(left) and types.is_number(right)):
        raise frame.scope.refused(
            "P135",
            place,
            f"{types.show(left)} is never equal to {types.show(right)}",
            "Look for a number among numbers, or a truth value among truth values",
        )


def small(frame: Frame, expression: ir.Expression, node: ast.AST) -> ir.Expression:
    """The expression, unless writing it out made it too large."""
    if next(islice(walk.nodes(expression), MAX_PARTS, None), None) is not None:
        raise frame.scope.refused("P102", node, "this is too large when it is written out", "Set a variable and use it")
    return expression

"""A condition without logarithms and roots that holds wherever the condition may hold, or wherever it may fail.

The one idea: an irrational number is enclosed by two rationals, and each comparison takes the end that favours the side
asked for. What comes out is a condition of the language, which is decided exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import floor

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import NEGATED
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.evaluate import Value, evaluate
from lapwing.kernel.uncomputable import Uncomputable

#: Enclosures are widened to multiples of this: breakpoints stay short numbers.
GRAIN = 2**40


def certainly(condition: ir.Expression, known: Mapping[str, Value]) -> bool:
    """Whether a condition on known numbers certainly holds."""
    return evaluate(possibly(condition, known, holds=False), dict(known)) is False


def possibly(node: ir.Expression, known: Mapping[str, Value], *, holds: bool = True) -> ir.Expression:
    """A condition without irrational numbers, true wherever ``node`` may hold (may fail, if ``holds`` is False)."""
    if not is_irrational(node):
        return node if holds else ir.Not(node)
    match node:
        case ir.And(operands) | ir.Or(operands):
            joined = ir.And if isinstance(node, ir.And) == holds else ir.Or
            return joined(tuple(possibly(each, known, holds=holds) for each in operands))
        case ir.Not(operand):
            return possibly(operand, known, holds=not holds)
        case ir.Conditional(test, then, otherwise):
            ways = ((test, True, then), (test, False, otherwise))
            parts = ((possibly(t, known, holds=way), possibly(side, known, holds=holds)) for t, way, side in ways)
            return ir.Or(tuple(ir.And(part) for part in parts))
        case ir.Compare(operator, left, right):
            return _compare(operator if holds else NEGATED[operator], left, right, known)
        case ir.Builtin("all", (ir.Comprehension(element, source, test),)):
            inner = {name: value for name, value in known.items() if name not in source.targets}
            # an element keeps it where its test fails or it holds, and breaks it where its test holds and it fails
            told = possibly(element, inner, holds=holds)
            if test is not None:
                asked = possibly(test, inner, holds=not holds)
                told = ir.Or((asked, told)) if holds else ir.And((asked, told))
            every = ir.Builtin("all", (ir.Comprehension(told if holds else ir.Not(told), source),))
            return every if holds else ir.Not(every)
    raise Uncomputable("the condition has logarithms or roots where they cannot be enclosed")


def _compare(operator: str, left: ir.Expression, right: ir.Expression, known: Mapping[str, Value]) -> ir.Expression:
    """Whether a comparison may hold: each side at the end that favours it."""
    low, high = ((_end(side, known, up=False), _end(side, known, up=True)) for side in (left, right))
    match operator:
        case "<" | "<=":
            return ir.Compare(operator, low[0], high[1])
        case ">" | ">=":
            return ir.Compare(operator, low[1], high[0])
        case "==":
            return ir.And((ir.Compare("<=", low[0], high[1]), ir.Compare(">=", low[1], high[0])))
    ends = (*low, *high)  # different unless all of them are one number
    return ir.Or(tuple(ir.Compare("!=", one, two) for one, two in pairwise(ends)))


def _end(node: ir.Expression, known: Mapping[str, Value], *, up: bool) -> ir.Expression:
    """A rational expression that is certainly not below the number, or not above it."""
    if not is_irrational(node):
        return node
    if walk.names(node) <= known.keys() and not _has_test(node):
        value = enclosed(node, dict(known))
        steps = -floor(-value.upper * GRAIN) if up else floor(value.lower * GRAIN)
        return ir.number(Fraction(steps, GRAIN))

    def ends(part: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
        return _end(part, known, up=up), _end(part, known, up=not up)

    match node:
        case ir.Negate(operand):
            return replace(node, operand=_end(operand, known, up=not up))
        case ir.Arithmetic("+", left, right):
            return replace(node, left=ends(left)[0], right=ends(right)[0])
        case ir.Arithmetic("-", left, right):
            return replace(node, left=ends(left)[0], right=ends(right)[1])
        case ir.Arithmetic("*", left, right):
            products = tuple(ir.Arithmetic("*", one, two) for one in ends(left) for two in ends(right))
            return ir.Builtin("max" if up else "min", products)
        case ir.Arithmetic("/", left, right) if not is_irrational(right):
            return ir.Builtin("max" if up else "min", tuple(ir.Arithmetic("/", one, right) for one in ends(left)))
        case ir.Builtin("abs", (operand,)):
            near, far = ends(operand)
            return ir.Builtin("max", (near, ir.Negate(far)) if up else (near, ir.Negate(far), ir.ZERO))
        case ir.Builtin("min" | "max", operands) if len(operands) > 1:
            return replace(node, arguments=tuple(ends(each)[0] for each in operands))
        case ir.Builtin("clip", (number, low, high)):
            return ir.Builtin("max", (ends(low)[0], ir.Builtin("min", (ends(number)[0], ends(high)[0]))))
        case ir.Conditional(test, then, otherwise):
            one, two = ends(then)[0], ends(otherwise)[0]
            both = ir.Builtin("max" if up else "min", (one, two))
            unsure = ir.Conditional(possibly(test, known, holds=False), both, one)
            return ir.Conditional(possibly(test, known), unsure, two)
    raise Uncomputable("the condition has logarithms or roots where they cannot be enclosed")


def _has_test(node: ir.Node) -> bool:
    """Whether a number hangs on a comparison, which claims may not have."""
    return any(isinstance(part, ir.Conditional | ir.Index) for part in walk.nodes(node))

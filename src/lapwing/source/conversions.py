"""Words between truth values and numbers: ``int(b)``, ``float(n)``, ``bool(x)``, and ``^ & |`` of truth values.

The one idea: a truth value is 1 or 0 where Python counts with it, and a number is a truth value where it is not 0. No
number is rounded: ``int`` of one that is not whole is refused.
"""

from __future__ import annotations

import ast
from fractions import Fraction

from lapwing.kernel.program import ir, types
from lapwing.kernel.program.ir import Boolean, Integer, Real, Type
from lapwing.source import expressions
from lapwing.source.frame import Frame, Lowered, Out
from lapwing.source.language_words import instead


def lower_conversion(frame: Frame, node: ast.Call, word: str, out: Out) -> Lowered:
    """``word(value)``."""
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        raise frame.scope.refused("P140", node, f"{word}(…) takes one value", "Give one plain argument")
    value, kind = expressions.lower(frame, node.args[0], out)
    span = frame.scope.span(node)
    match word, kind:
        case ("int", Integer()) | ("float", Real()) | ("bool", Boolean()):
            return value, kind
        case "float", Integer():
            return value, Real()
        case (("int" | "float"), Boolean()):
            return counted(value, real=word == "float"), Real() if word == "float" else Integer()
        case "bool", Integer() | Real():
            return ir.Compare("!=", value, ir.Number(Fraction(0), span=span), span=span), Boolean()
    raise frame.scope.refused("P118", node, f"{word}(…) of {types.show(kind)} is outside the language", instead(word))


def counted(value: ir.Expression, *, real: bool = False) -> ir.Expression:
    """A truth value as 1 or 0."""
    one, zero = (ir.Number(Fraction(each), real, span=value.span) for each in (1, 0))
    return ir.Conditional(value, one, zero, span=value.span)


def lower_bits(frame: Frame, node: ast.BinOp, out: Out) -> Lowered | None:
    """``^ & |`` of two truth values; None where the operator, or what it joins, is another."""
    if not isinstance(node.op, ast.BitXor | ast.BitAnd | ast.BitOr):
        return None
    sides = [expressions.lower(frame, each, out) for each in (node.left, node.right)]
    kinds: list[Type] = [kind for _, kind in sides]
    if kinds != [Boolean(), Boolean()]:
        return None
    left, right = (value for value, _ in sides)
    span = frame.scope.span(node)
    match node.op:
        case ast.BitXor():
            return ir.Compare("!=", left, right, span=span), Boolean()
        case ast.BitAnd():
            return ir.And((left, right), span=span), Boolean()
    return ir.Or((left, right), span=span), Boolean()

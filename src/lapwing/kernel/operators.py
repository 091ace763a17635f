"""The operators of the language as terms: one table, for everybody who asks the solver about a program.

Names, numbers and lists are the business of who asks, and so is the order in which ``and``, ``or`` and a conditional
are evaluated, where that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms


def operated(terms: Terms, node: ir.Expression, value: Callable[[ir.Expression], Term]) -> Term | None:
    """The value of an operator, whose operands have these; ``None`` for what is none."""
    match node:
        case ir.Truth(truth):
            return terms.truth(truth)
        case ir.Negate(operand):
            return terms.minus(value(operand))
        case ir.Arithmetic(symbol, left, right):
            return terms.arithmetic(symbol, value(left), value(right))
        case ir.Compare(symbol, left, right):
            return terms.compare(symbol, value(left), value(right))
        case ir.Not(operand):
            return terms.negate(value(operand))
        case ir.And(operands):
            return terms.both([value(operand) for operand in operands])
        case ir.Or(operands):
            return terms.either([value(operand) for operand in operands])
        case ir.Conditional(condition, then, otherwise):
            return terms.choose(value(condition), value(then), value(otherwise))
    return None


def applied(terms: Terms, function: str, values: Sequence[Term]) -> Term | None:
    """The value of a function of numbers; ``None`` for what is none."""
    match function, values:
        case "abs", [number]:
            return terms.magnitude(number)
        case "min", [_, _, *_]:
            return terms.smaller(*values)
        case "max", [_, _, *_]:
            return terms.larger(*values)
        case "clip", [number, low, high]:
            return terms.larger(low, terms.smaller(number, high))
        case "//", [left, right]:
            return terms.quotient(left, right)
        case "%", [left, right]:
            return terms.arithmetic("-", left, terms.arithmetic("*", right, terms.quotient(left, right)))
    return None

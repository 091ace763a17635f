"""Arithmetic of distances, and ranges of expressions that hold whatever their variables are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.polynomials import Polynomial, Quotient
from lapwing.program import ir, walk

ZERO = Quotient.of(0)
Range = tuple[Fraction, Fraction]


def outer(items: ir.Comprehension) -> list[ir.Expression]:
    """The variables that the element and the condition of a comprehension read from outside it."""
    parts = [items.element] if items.condition is None else [items.element, items.condition]
    inside = frozenset(items.source.targets)
    return [ir.Name(name) for part in parts for name in sorted(walk.names(part) - inside)]


def substituted(value: Quotient, by: Mapping[str, Quotient]) -> Quotient:
    """``value`` with unknowns replaced by formulas."""

    def polynomial(part: Polynomial) -> Quotient:
        total = ZERO
        for monomial, factor in part.terms.items():
            product = Quotient.of(factor)
            for name, power in monomial:
                if name not in by:
                    raise Unproved(f"{name} has no value in the caller")
                for _ in range(power):
                    product = product * by[name]
            total = total + product
        return total

    return polynomial(value.above) / polynomial(value.below)


def operands(node: ir.Expression) -> list[ir.Expression]:
    """The scalars that a scalar expression is computed from."""
    match node:
        case ir.Arithmetic(_, left, right) | ir.Compare(_, left, right):
            return [left, right]
        case ir.And(operands) | ir.Or(operands) | ir.Builtin("min" | "max" | "clip" | "abs", operands):
            return list(operands)
        case ir.Not(operand) | ir.Negate(operand):
            return [operand]
        case ir.Conditional(condition, then, otherwise):
            return [condition, then, otherwise]
    raise at(node, "the distance of this expression is not derived")


def range_of(node: ir.Expression) -> Range | None:
    """Numbers between which ``node`` always lies, whatever its variables hold."""
    match node:
        case ir.Number(value):
            return value, value
        case ir.Negate(operand):
            inner = range_of(operand)
            return None if inner is None else (-inner[1], -inner[0])
        case ir.Conditional(_, then, otherwise):
            a, b = range_of(then), range_of(otherwise)
            return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))
        case ir.Builtin("clip", (_, low, high)):
            below, above = range_of(low), range_of(high)
            if below is None or above is None or below[0] != below[1] or above[0] != above[1]:
                return None
            return below[0], max(below[0], above[0])
    return None


def width(node: ir.Expression) -> Quotient | None:
    """The width of the range of ``node``."""
    found = range_of(node)
    return None if found is None else Quotient.of(found[1] - found[0])


def plus(left: Quotient | None, right: Quotient | None) -> Quotient | None:
    """The distance of a sum or difference."""
    return None if left is None or right is None else left + right


def times(distance: Quotient | None, factor: Fraction) -> Quotient | None:
    """The distance of a multiple."""
    if factor == 0:
        return ZERO
    return None if distance is None else distance * Quotient.of(abs(factor))


def smaller(left: Quotient | None, right: Quotient | None) -> Quotient | None:
    """The only bound of two, or the first where both are."""
    return right if left is None else left

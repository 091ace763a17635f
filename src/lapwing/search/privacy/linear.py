"""Linear forms of expressions: what the templates of alignments and invariants are made from."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.kernel.coefficients import added
from lapwing.kernel.program import ir, walk

Form = Mapping[ir.Expression | None, Fraction]
#: The draw of the site at hand, in a guard.
DRAW = ir.Builtin("draw", ())
OUTPUT = ir.Builtin("output", ())
number = ir.number


def word(function: str, argument: str | int) -> ir.Expression:
    """A certificate's word: ``hat(x)``, ``cost(1)``, ``round(1)``, ``where(q)``."""
    inner = ir.Name(argument) if isinstance(argument, str) else ir.Number(Fraction(argument))
    return ir.Builtin(function, (inner,))


def times(factor: ir.Expression, other: ir.Expression) -> ir.Expression:
    """The product, without factors of 1."""
    if isinstance(factor, ir.Number) and isinstance(other, ir.Number):
        return ir.Number(factor.value * other.value)
    if factor == number(1):
        return other
    return factor if other == number(1) else ir.Arithmetic("*", factor, other)


def linear(expression: ir.Expression) -> dict[ir.Expression | None, Fraction] | None:
    """Coefficients of names, words, extremes and 1 (under ``None``); ``None`` when the expression is not linear."""
    match expression:
        case ir.Number(value):
            return {None: value}
        case (
            ir.Name()
            | ir.Index(sequence=ir.Name())
            | ir.Builtin(function="draw" | "len" | "hat" | "round" | "cost" | "where" | "output" | "//" | "%")
        ):
            return {expression: Fraction(1)}
        case ir.Builtin(function="abs" | "min" | "max" | "clip") if DRAW not in walk.nodes(expression):
            return {expression: Fraction(1)}
        case ir.Negate(operand):
            return scaled(linear(operand), Fraction(-1))
        case ir.Arithmetic("+", left, right):
            return plus(linear(left), linear(right))
        case ir.Arithmetic("-", left, right):
            return plus(linear(left), scaled(linear(right), Fraction(-1)))
        case ir.Arithmetic("*", left, right):
            a, b = linear(left), linear(right)
            if a is not None and set(a) <= {None}:
                return scaled(b, a.get(None, Fraction(0)))
            if b is not None and set(b) <= {None}:
                return scaled(a, b.get(None, Fraction(0)))
        case ir.Arithmetic("/", left, right):
            divisor = linear(right)
            if divisor is not None and set(divisor) <= {None} and divisor.get(None):
                return scaled(linear(left), 1 / divisor[None])
    return None


def scaled(form: Form | None, factor: Fraction) -> dict[ir.Expression | None, Fraction] | None:
    """The multiple."""
    return None if form is None else {atom: factor * value for atom, value in form.items() if factor}


def plus(a: Form | None, b: Form | None) -> dict[ir.Expression | None, Fraction] | None:
    """The sum."""
    if a is None or b is None:
        return None
    return added(a, b)


def written(form: Form) -> ir.Expression:
    """The form as an expression, positive terms first."""
    positive = sorted(form.items(), key=lambda item: (item[1] < 0, item[0] is not None))
    result: ir.Expression | None = None
    for atom, value in positive:
        size = abs(value)
        term: ir.Expression = (
            ir.Number(size) if atom is None else atom if size == 1 else ir.Arithmetic("*", ir.Number(size), atom)
        )
        if result is None:
            result = ir.Negate(term) if value < 0 else term
        else:
            result = ir.Arithmetic("-" if value < 0 else "+", result, term)
    return ir.ZERO if result is None else result


def rewritten(expression: ir.Expression, meanings: Mapping[str, ir.Expression]) -> ir.Expression:
    """The expression with names replaced by what they stand for."""
    if isinstance(expression, ir.Name):
        return meanings.get(expression.name, expression)
    return walk.with_parts(expression, lambda part: rewritten(part, meanings))

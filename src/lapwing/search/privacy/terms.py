"""Small terms: numerals, sums without zeros, and tests that decide something."""

from __future__ import annotations

from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.search.solving import limited_solver

ZERO = z3.IntVal(0)
#: How long the solver may think about one question of a search.
MILLISECONDS = 3000


def solver(*, small_cores: bool = False) -> z3.Solver:
    """A solver that gives up in time."""
    return limited_solver(MILLISECONDS, small_cores=small_cores)


def length(name: str) -> z3.ArithRef:
    """The length of a list, which is the same in both runs."""
    return z3.Int(f"len({name})")


def numeral(value: Fraction) -> z3.ArithRef:
    """A number as written."""
    return z3.IntVal(value.numerator) if value.denominator == 1 else z3.RealVal(value)


def is_literal(term: z3.ExprRef) -> bool:
    """Whether a term is a numeral."""
    return bool(z3.is_int_value(term) or z3.is_rational_value(term))


def literal(term: z3.ExprRef) -> Fraction:
    """The numeral's value."""
    return Fraction(term.as_long()) if z3.is_int_value(term) else Fraction(term.as_fraction())


def is_zero(term: z3.ExprRef) -> bool:
    """Whether a term is the numeral 0."""
    return is_literal(term) and literal(term) == 0


def real(term: z3.ArithRef) -> z3.ArithRef:
    """The term as a real."""
    return z3.ToReal(term) if term.is_int() else term


def add(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    """The sum, without zeros."""
    return b if is_zero(a) else a if is_zero(b) else a + b


def subtract(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    """The difference, without zeros."""
    return a if is_zero(b) else -b if is_zero(a) else a - b


def relate(operator: str, a: z3.ArithRef, b: z3.ArithRef) -> z3.BoolRef:
    """One comparison."""
    match operator:
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "==":
            return a == b
    return a != b


def either(condition: z3.BoolRef, then: z3.ExprRef, otherwise: z3.ExprRef) -> z3.ExprRef:
    """If-then-else, without the test where it decides nothing."""
    if then.eq(otherwise) or z3.is_true(condition):
        return then
    if z3.is_false(condition):
        return otherwise
    if z3.is_arith(then) and then.sort() != otherwise.sort():
        then, otherwise = real(then), real(otherwise)
    return z3.If(condition, then, otherwise)


def constants(term: z3.ExprRef) -> list[z3.ExprRef]:
    """The unknowns of a term, each once."""
    found: dict[int, z3.ExprRef] = {}
    seen: set[int] = set()
    stack = [term]
    while stack:
        each = stack.pop()
        if each.get_id() in seen:
            continue
        seen.add(each.get_id())
        if z3.is_const(each) and each.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[each.get_id()] = each
        stack.extend(each.children())
    return list(found.values())

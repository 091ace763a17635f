"""Terms: expressions of the IR over unknowns, built so that what is certain is not asked.

A `program.ir.Name` is an unknown; `program.ir.Index` applies an unknown function of
whole numbers (the elements of a list, a running total), which is total: nothing is said of places outside a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Literal

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import COMPARED
from lapwing.kernel.program.ir import Order
from lapwing.kernel.program.printer import show

Term = ir.Expression
Symbol = Literal["+", "-", "*", "/"]

ZERO, ONE, number = ir.ZERO, ir.ONE, ir.number
TRUE, FALSE = ir.Truth(True), ir.Truth(False)


class Outside(Unproved):
    """What cannot be followed, with the reason in words and its place."""

    def __init__(self, reason: str, place: ir.Node | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = 0 if place is None else place.span.line

    def __str__(self) -> str:
        return f"{self.reason} (line {self.line})" if self.line else self.reason


def constant(term: Term) -> Fraction | None:
    """The number that a term is, if it is one."""
    match term:
        case ir.Number(value):
            return value
        case ir.Negate(ir.Number(value)):
            return -value
    return None


def outcomes(term: Term) -> Iterator[Term]:
    """What a term may come to, by the tests in it."""
    if isinstance(term, ir.Conditional):
        yield from outcomes(term.then)
        yield from outcomes(term.otherwise)
    else:
        yield term


def unknowns(term: ir.Node) -> Iterator[str]:
    """The unknowns of a term: names, and elements of public lists at their places."""
    if isinstance(term, ir.Name | ir.Index):
        yield show(term)
        return
    for child in walk.children(term):
        yield from unknowns(child)


def arithmetic(symbol: Symbol, left: Term, right: Term) -> Term:
    """``left symbol right``, computed where both are numbers."""
    a, b = constant(left), constant(right)
    if a is not None and b is not None and (symbol != "/" or b != 0):
        return number({"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}[symbol])
    if symbol in ("+", "-") and b == 0:
        return left
    if symbol == "+" and a == 0:
        return right
    if symbol in ("*", "/") and b == 1:
        return left
    if symbol == "*" and a == 1:
        return right
    return ir.Arithmetic(symbol, left, right)


def plus(left: Term, right: Term) -> Term:
    """The sum."""
    return arithmetic("+", left, right)


def minus(left: Term, right: Term) -> Term:
    """The difference."""
    return arithmetic("-", left, right)


def times(left: Term, right: Term) -> Term:
    """The product."""
    return arithmetic("*", left, right)


def compare(symbol: Order, left: Term, right: Term) -> Term:
    """A comparison, decided where both sides are numbers or the same."""
    a, b = constant(left), constant(right)
    if a is not None and b is not None:
        return ir.Truth(COMPARED[symbol](a, b))
    if left == right:
        return ir.Truth(symbol in ("<=", ">=", "=="))
    return ir.Compare(symbol, left, right)


def negate(term: Term) -> Term:
    """``not term``."""
    match term:
        case ir.Truth(value):
            return ir.Truth(not value)
        case ir.Not(operand):
            return operand
    return ir.Not(term)


def both(terms: Iterable[Term]) -> Term:
    """All of the terms."""
    parts: list[Term] = []
    for each in terms:
        parts += each.operands if isinstance(each, ir.And) else () if each == TRUE else (each,)
    if FALSE in parts:
        return FALSE
    return TRUE if not parts else parts[0] if len(parts) == 1 else ir.And(tuple(parts))


def either(terms: Iterable[Term]) -> Term:
    """Some of the terms."""
    parts: list[Term] = []
    for each in terms:
        parts += each.operands if isinstance(each, ir.Or) else () if each == FALSE else (each,)
    if TRUE in parts:
        return TRUE
    return FALSE if not parts else parts[0] if len(parts) == 1 else ir.Or(tuple(parts))


def implies(condition: Term, conclusion: Term) -> Term:
    """If ``condition`` then ``conclusion``."""
    return either((negate(condition), conclusion))


def choose(condition: Term, then: Term, otherwise: Term) -> Term:
    """``then if condition else otherwise``."""
    if isinstance(condition, ir.Truth):
        return then if condition.value else otherwise
    return then if then == otherwise else ir.Conditional(condition, then, otherwise)


def magnitude(term: Term) -> Term:
    """The absolute value."""
    return choose(compare(">=", term, ZERO), term, minus(ZERO, term))


def within(term: Term, low: Term, high: Term) -> Term:
    """``low <= term <= high``."""
    return both((compare("<=", low, term), compare("<=", term, high)))


def inside(position: Term, length: Term) -> Term:
    """Whether a position is one of a list of this length."""
    return both((compare("<=", ZERO, position), compare("<", position, length)))


def extreme(function: str, terms: list[Term]) -> Term:
    """The smallest or largest of several numbers."""
    best = terms[0]
    for each in terms[1:]:
        best = choose(compare("<=" if function == "min" else ">=", best, each), best, each)
    return best

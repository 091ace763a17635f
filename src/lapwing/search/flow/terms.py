"""Values of one run as solver terms: numbers and truth values, lists as (elements, length), tuples as tuples.

The one idea: what the solver cannot follow (sums over lists, slices, comprehensions) is refused, never approximated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import NOWHERE, Span


class Blocked(Exception):
    """A place that self-composition cannot pass, with the reason in words."""

    def __init__(self, reason: str, span: Span = NOWHERE) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


#: A term of the solver, which has no type information; a Term may also be a Listed or a tuple of Terms.
Scalar = Any
Term = Any


@dataclass(frozen=True, slots=True)
class Listed:
    """A list: an array from positions to elements, of which the first ``length`` count."""

    elements: Scalar
    length: Scalar


def sort(kind: ir.Type) -> Scalar:
    """The sort of a scalar type."""
    match kind:
        case ir.Real():
            return z3.RealSort()
        case ir.Integer():
            return z3.IntSort()
        case ir.Boolean():
            return z3.BoolSort()
    raise Blocked("a list of lists or of tuples is not followed")


def zero(kind: ir.Type) -> Term:
    """What reading outside a list gives, and what a variable holds that was never set."""
    match kind:
        case ir.Boolean():
            return z3.BoolVal(False)
        case ir.Integer():
            return z3.IntVal(0)
        case ir.List(element):
            sort(element)  # refuses lists of lists
            return Listed(z3.K(z3.IntSort(), zero(element)), z3.IntVal(0))
        case ir.Tuple(elements):
            return tuple(zero(each) for each in elements)
    return z3.RealVal(0)


def unknown(kind: ir.Type, name: str) -> Term:
    """Any value of a type; its parts carry ``name``, which is used once."""
    match kind:
        case ir.List(element):
            return Listed(z3.Array(f"{name}[]", z3.IntSort(), sort(element)), z3.Int(f"len {name}"))
        case ir.Tuple(elements):
            return tuple(unknown(each, f"{name}.{position}") for position, each in enumerate(elements))
    return z3.Const(name, sort(kind))


def fitted(term: Term, kind: ir.Type) -> Term:
    """``term`` where a value of ``kind`` is meant: whole numbers become reals."""
    match kind:
        case ir.Real():
            return z3.ToReal(term) if z3.is_int(term) else term
        case ir.Tuple(elements) if isinstance(term, tuple):
            return tuple(fitted(each, part) for each, part in zip(term, elements, strict=True))
        case ir.List(element) if isinstance(term, Listed) and term.elements.range() != sort(element):
            if term.elements.decl().kind() == z3.Z3_OP_CONST_ARRAY:
                return Listed(z3.K(z3.IntSort(), zero(element)), term.length)
            raise Blocked("a list of whole numbers stands for one of numbers")
    return term


def either(condition: Scalar, then: Term, otherwise: Term) -> Term:
    """``then if condition else otherwise``."""
    if isinstance(then, tuple) and isinstance(otherwise, tuple):
        return tuple(either(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    if isinstance(then, Listed) and isinstance(otherwise, Listed):
        return Listed(
            either(condition, then.elements, otherwise.elements), either(condition, then.length, otherwise.length)
        )
    if then.eq(otherwise) or z3.is_true(condition):
        return then
    if z3.is_false(condition):
        return otherwise
    if z3.is_int(then) != z3.is_int(otherwise) and z3.is_arith(then):
        then, otherwise = (z3.ToReal(each) if z3.is_int(each) else each for each in (then, otherwise))
    return z3.If(condition, then, otherwise)


def equal(left: Term, right: Term) -> Scalar:
    """Equality; of lists, of their elements wherever they are (which is more than is needed)."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return z3.And([equal(a, b) for a, b in zip(left, right, strict=True)])
    if isinstance(left, Listed) and isinstance(right, Listed):
        return z3.And(left.length == right.length, left.elements == right.elements)
    return left == right


@dataclass(frozen=True, slots=True)
class Reader:
    """Expressions in one state of one run; ``ask`` hears of every match and the condition under which it is made."""

    variables: Mapping[str, Term]
    ask: Callable[[ir.Builtin, Term, Term, Scalar], None]

    def term(self, expression: ir.Expression, under: Scalar) -> Term:
        """The value of ``expression``, evaluated where ``under`` holds."""
        match expression:
            case ir.Number(value, real):
                whole = value.denominator == 1 and not real
                return z3.IntVal(value.numerator) if whole else z3.RealVal(value)
            case ir.Truth(value):
                return z3.BoolVal(value)
            case ir.Name(name):
                if name not in self.variables:
                    raise Blocked(f"'{name}' is not followed here", expression.span)
                return self.variables[name]
            case ir.Negate(operand):
                return -self.term(operand, under)
            case ir.Arithmetic(operator, left, right):
                return _arithmetic(operator, self.term(left, under), self.term(right, under))
            case ir.Compare(operator, left, right):
                return _compare(operator, self.term(left, under), self.term(right, under))
            case ir.Not(operand):
                return z3.Not(self.term(operand, under))
            case ir.And(operands):
                return self._junction(operands, under, stops_at=False)
            case ir.Or(operands):
                return self._junction(operands, under, stops_at=True)
            case ir.Conditional(condition, then, otherwise):
                test = self.term(condition, under)
                yes, no = self.term(then, z3.And(under, test)), self.term(otherwise, z3.And(under, z3.Not(test)))
                return either(test, yes, no)
            case ir.TupleOf(elements):
                return tuple(self.term(each, under) for each in elements)
            case ir.Item(record, position):
                return self.term(record, under)[position]
            case ir.ListOf():
                return self._list(expression, under)
            case ir.Index(sequence, index, element):
                found = self.term(sequence, under)
                if not isinstance(found, Listed):
                    raise Blocked("a list of lists or of tuples is not followed", expression.span)
                return element_at(found, self.term(index, under), element)
            case ir.Builtin():
                return self._builtin(expression, under)
        raise Blocked("slices and comprehensions are not followed", expression.span)

    def _junction(self, operands: tuple[ir.Expression, ...], under: Scalar, *, stops_at: bool) -> Scalar:
        parts: list[Scalar] = []
        for operand in operands:
            part = self.term(operand, under)
            parts.append(part)
            under = z3.And(under, z3.Not(part) if stops_at else part)
        return z3.Or(parts) if stops_at else z3.And(parts)

    def _list(self, expression: ir.ListOf, under: Scalar) -> Listed:
        parts = [self.term(each, under) for each in expression.elements]
        if any(isinstance(part, tuple | Listed) for part in parts):
            raise Blocked("a list of lists or of tuples is not followed", expression.span)
        if any(z3.is_real(part) for part in parts):
            parts = [z3.ToReal(part) if z3.is_int(part) else part for part in parts]
        truths, reals = (any(test(part) for part in parts) for test in (z3.is_bool, z3.is_real))
        elements = z3.K(z3.IntSort(), zero(ir.Boolean() if truths else ir.Real() if reals else ir.Integer()))
        for position, part in enumerate(parts):
            elements = z3.Store(elements, position, part)
        return Listed(elements, z3.IntVal(len(parts)))

    def _builtin(self, expression: ir.Builtin, under: Scalar) -> Term:
        values = [self.term(argument, under) for argument in expression.arguments]
        match expression.function, values:
            case "match", [left, right]:
                self.ask(expression, left, right, under)
                if isinstance(left, Listed):
                    raise Blocked("a match of lists is not followed", expression.span)
                return equal(left, right)
            case "len", [Listed() as found]:
                return found.length
            case "abs", [value]:
                return either(value >= 0, value, -value)
            case ("min" | "max") as function, [first, second, *rest]:
                best = first
                for value in (second, *rest):
                    best = _extreme(function, best, value)
                return best
            case "clip", [value, low, high]:
                return _extreme("max", low, _extreme("min", value, high))
        raise Blocked(f"{expression.function} of a list is not followed", expression.span)


def element_at(found: Listed, index: Scalar, kind: ir.Type) -> Scalar:
    """``xs[i]``: from the end where i is negative, and the zero of its type outside the list."""
    position = either(index < 0, index + found.length, index)
    inside = z3.And(position >= 0, position < found.length)
    return either(inside, z3.Select(found.elements, position), fitted(zero(kind), kind))


def _arithmetic(operator: str, left: Scalar, right: Scalar) -> Scalar:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return (z3.ToReal(left) if z3.is_int(left) else left) / (z3.ToReal(right) if z3.is_int(right) else right)


def _compare(operator: str, left: Scalar, right: Scalar) -> Scalar:
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
    return left != right


def _extreme(function: str, left: Scalar, right: Scalar) -> Scalar:
    return either(left <= right if function == "min" else left >= right, left, right)

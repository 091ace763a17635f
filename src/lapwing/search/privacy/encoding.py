"""Values of both runs as solver terms: what an expression is in the first run, and by how much the second differs.

The one idea: a number is a pair (value, hat), where ``hat`` is second run minus first; sums add hats, so wherever the
runs agree the solver sees the constant 0. Everything outside linear arithmetic is refused, never approximated, but
for products of values on which the runs agree: a symbolic distance times a number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.program.spans import NOWHERE, Span
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.terms import (
    ZERO,
    add,
    either,
    is_literal,
    is_zero,
    length,
    literal,
    numeral,
    real,
    relate,
    subtract,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A number in both runs: ``value`` in the first, ``value + hat`` in the second."""

    value: z3.ArithRef
    hat: z3.ArithRef

    @property
    def other(self) -> z3.ArithRef:
        """The number in the second run; where the hat was made from it, as it was."""
        if z3.is_sub(self.hat) and self.hat.num_args() == 2 and self.hat.arg(1).eq(self.value):
            return self.hat.arg(0)
        return self.value if is_zero(self.hat) else self.value + self.hat


@dataclass(frozen=True, slots=True)
class Truths:
    """A truth value in both runs."""

    value: z3.BoolRef
    other: z3.BoolRef

    @property
    def same(self) -> bool:
        """Whether both runs have it for the same reason, so that no solver need be asked."""
        return bool(self.value.eq(self.other))


@dataclass(frozen=True, slots=True)
class PrivateList:
    """A private list parameter."""

    parameter: ir.Parameter


@dataclass(frozen=True, slots=True)
class PublicList:
    """A public list parameter: the same in both runs."""

    name: str
    element: ir.Type


@dataclass(frozen=True, slots=True)
class Grown:
    """A list the mechanism builds, element by element the same in both runs (an obligation at every append)."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A list the mechanism builds whose elements may differ; where loops are unrolled, with its elements."""

    name: str
    element: ir.Type
    elements: tuple[Pair | Truths, ...] = ()


Entry = Pair | Truths | PrivateList | PublicList | Grown | Filled


#: What a person wrote where a coupling cannot pass, and what would do instead.
_CONSTRUCTS: Mapping[type, str] = {
    ir.Slice: "a slice (walk over the list with range(a, b) instead)",
    ir.Comprehension: "this comprehension (write it as a loop that appends)",
    ir.TupleOf: "a tuple in a variable (use a variable for each part)",
    ir.Item: "a part of a tuple (use a variable for each part)",
    ir.ListOf: "a list written out (use a variable for each element)",
    ir.Index: "an element of a list that is also answered or changed (read it from a list that only grows)",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean at one point: program variables, and the words of certificates (``cost(1)``, ``output()``, …)."""

    variables: Mapping[str, Entry]
    words: Mapping[str, z3.ExprRef] = field(default_factory=dict)
    #: what an element of a list is, given the list and the index
    read: Callable[[PrivateList | PublicList | Filled, Pair, Span], Entry] | None = None
    #: what was asked before: likely facts are written of the same few expressions
    _found: dict[ir.Expression, Entry] = field(default_factory=dict, init=False, compare=False, repr=False)

    def number(self, expression: ir.Expression) -> Pair:
        """The numbers that an expression has in the two runs."""
        found = self.entry(expression)
        if not isinstance(found, Pair):
            raise Blocked("a number is expected here", expression.span)
        return found

    def truth(self, expression: ir.Expression) -> Truths:
        """The truth values that an expression has in the two runs."""
        found = self.entry(expression)
        if not isinstance(found, Truths):
            raise Blocked("a truth value is expected here", expression.span)
        return found

    def entry(self, expression: ir.Expression) -> Entry:
        """What an expression stands for in the two runs."""
        if expression not in self._found:
            self._found[expression] = self._entry(expression)
        return self._found[expression]

    def _entry(self, expression: ir.Expression) -> Entry:
        match expression:
            case ir.Number(value):
                return Pair(numeral(value), ZERO)
            case ir.Truth(value):
                return Truths(z3.BoolVal(value), z3.BoolVal(value))
            case ir.Name(name):
                if name not in self.variables:
                    raise Blocked(f"the value of '{name}' is not followed here", expression.span)
                return self.variables[name]
            case ir.Negate(operand):
                inner = self.number(operand)
                return Pair(-inner.value, ZERO if is_zero(inner.hat) else -inner.hat)
            case ir.Arithmetic(operator, left, right):
                return self._arithmetic(operator, self.number(left), self.number(right), expression)
            case ir.Compare(operator, left, right):
                return self._compare(operator, self.entry(left), self.entry(right), expression)
            case ir.And(operands):
                return self._junction(operands, z3.And)
            case ir.Or(operands):
                return self._junction(operands, z3.Or)
            case ir.Not(operand):
                inside = self.truth(operand)
                value = z3.Not(inside.value)
                return Truths(value, value if inside.same else z3.Not(inside.other))
            case ir.Conditional(condition, then, otherwise):
                return choose(self.truth(condition), self.entry(then), self.entry(otherwise), expression.span)
            case ir.Builtin():
                return self._builtin(expression)
            case ir.Index() if (key := show(expression)) in self.words:
                return Pair(self.words[key], self.words[f"hat({key})"])
            case ir.Index(sequence, index) if self.read is not None:
                found = self.entry(sequence)
                if isinstance(found, PrivateList | PublicList | Filled):
                    return self.read(found, self.number(index), expression.span)
        raise Blocked(f"{_CONSTRUCTS.get(type(expression), 'this')} is outside what couplings follow", expression.span)

    def _arithmetic(self, operator: str, a: Pair, b: Pair, place: ir.Expression) -> Pair:
        match operator:
            case "+":
                return Pair(a.value + b.value, add(a.hat, b.hat))
            case "-":
                return Pair(a.value - b.value, subtract(a.hat, b.hat))
            case "*" if is_literal(a.value) and is_literal(b.value):
                return Pair(numeral(literal(a.value) * literal(b.value)), ZERO)
            case "*":
                for factor, other in ((a, b), (b, a)):
                    if is_literal(factor.value) and is_zero(factor.hat):
                        hat = ZERO if is_zero(other.hat) else factor.value * other.hat
                        return Pair(factor.value * other.value, hat)
                for factor, other in ((a, b), (b, a)):
                    if is_zero(factor.hat):  # a distance times a number of rounds
                        hat = ZERO if is_zero(other.hat) else factor.value * other.hat
                        return Pair(factor.value * other.value, hat)
            case "/":
                if is_literal(b.value) and not is_zero(b.value):
                    divisor = z3.RealVal(literal(b.value))
                    return Pair(real(a.value) / divisor, ZERO if is_zero(a.hat) else real(a.hat) / divisor)
        if is_zero(a.hat) and is_zero(b.hat):  # some public number: the same for the same operands
            return Pair(z3.Real(f"public ({a.value.sexpr()} {operator} {b.value.sexpr()})"), ZERO)
        raise Blocked("this product or quotient is not linear", place.span)

    def _compare(self, operator: str, a: Entry, b: Entry, place: ir.Expression) -> Truths:
        if isinstance(a, Truths) and isinstance(b, Truths):
            value = a.value == b.value if operator == "==" else a.value != b.value
            other = a.other == b.other if operator == "==" else a.other != b.other
            return Truths(value, value if a.same and b.same else other)
        if not isinstance(a, Pair) or not isinstance(b, Pair):
            raise Blocked("this comparison is outside what couplings follow", place.span)
        value = relate(operator, a.value, b.value)
        if is_zero(a.hat) and is_zero(b.hat):
            return Truths(value, value)
        return Truths(value, relate(operator, a.other, b.other))

    def _junction(self, operands: tuple[ir.Expression, ...], join: object) -> Truths:
        parts = [self.truth(each) for each in operands]
        value = join([part.value for part in parts])  # type: ignore[operator]  # z3.And or z3.Or
        if all(part.same for part in parts):
            return Truths(value, value)
        return Truths(value, join([part.other for part in parts]))  # type: ignore[operator]  # as above

    def _builtin(self, expression: ir.Builtin) -> Entry:
        if expression.function in ("%output", "%round"):  # a word that the kernel has read
            expression = ir.Builtin(expression.function[1:], expression.arguments)
        match expression.function, expression.arguments:
            case "hat", (operand,):
                return Pair(self.number(operand).hat, ZERO)
            case "other", (ir.Name() | ir.Index() as name,):
                found = self.entry(name)
                if isinstance(found, Truths):
                    return Truths(found.other, found.other)
                return Pair(self.number(name).other, ZERO)
            case (("round" | "cost" | "where" | "output" | "draw" | "rising" | "place"), _):
                return self._word(word(expression), expression)
            case "len", (ir.Name(name),) if isinstance(self.variables.get(name), PrivateList | PublicList):
                return Pair(length(name), ZERO)
            case "len", (ir.Name(name),) if f"len({name})" in self.words:
                return Pair(self.words[f"len({name})"], ZERO)
            case ("//" | "%") as function, (left, right):
                a, b = self.number(left), self.number(right)
                if is_zero(b.hat) and all(map(z3.is_int, (a.value, a.other, b.value))):
                    first = _parted(function, a.value, b.value)
                    hat = ZERO if is_zero(a.hat) else _parted(function, a.other, b.value) - first
                    return Pair(first, hat)
            case "abs", (operand,):
                inner = self.number(operand)
                return _split(inner.value >= 0, inner.other >= 0, inner, Pair(-inner.value, -inner.hat))
            case ("min" | "max") as function, (first, *rest) if rest:
                best = self.number(first)
                for each in rest:
                    best = _extreme(function, best, self.number(each))
                return best
            case "clip", (operand, low, high):
                return _extreme("min", _extreme("max", self.number(operand), self.number(low)), self.number(high))
        raise Blocked(f"{expression.function}(...) is outside what couplings follow", expression.span)

    def _word(self, name: str, place: ir.Expression) -> Entry:
        if name not in self.words:
            raise Blocked(f"{name} has no meaning here", place.span)
        term = self.words[name]
        return Truths(term, term) if z3.is_bool(term) else Pair(term, ZERO)


def _parted(function: str, value: z3.ArithRef, divisor: z3.ArithRef) -> z3.ArithRef:
    """``//`` and ``%`` as Python has them: rounded down, which the solver's own division is for divisors above 0."""
    quotient = z3.If(divisor > 0, value / divisor, (-value) / (-divisor))
    return quotient if function == "//" else value - divisor * quotient


def word(expression: ir.Builtin) -> str:
    """A certificate's word as it is written: ``cost(2)``, ``where(q)``, ``output()``."""
    match expression.arguments:
        case ():
            return f"{expression.function}()"
        case (ir.Number(value),):
            return f"{expression.function}({value})"
        case (ir.Name(name),):
            return f"{expression.function}({name})"
    raise Blocked(f"{expression.function} is not followed here", expression.span)


def choose(condition: Truths, then: Entry, otherwise: Entry, span: Span = NOWHERE) -> Entry:
    """What a variable is after a test that each run makes for itself."""
    if isinstance(then, Pair) and isinstance(otherwise, Pair):
        if then.value.eq(otherwise.value) and then.hat.eq(otherwise.hat):
            return then  # whatever neither side touched stays as plain as it was
        value = either(condition.value, then.value, otherwise.value)
        if condition.same and not (z3.is_int(value) and z3.is_sub(then.hat) | z3.is_sub(otherwise.hat)):
            return Pair(value, either(condition.value, then.hat, otherwise.hat))
        other = either(condition.other, then.other, otherwise.other)
        return Pair(value, other - value)
    if isinstance(then, Truths) and isinstance(otherwise, Truths):
        return Truths(
            either(condition.value, then.value, otherwise.value),
            either(condition.other, then.other, otherwise.other),
        )
    if isinstance(then, Filled) and isinstance(otherwise, Filled):
        return max(then, otherwise, key=lambda each: len(each.elements))
    if then == otherwise:
        return then
    raise Blocked("the branches leave different lists behind", span)


def _split(one: z3.BoolRef, two: z3.BoolRef, then: Pair, otherwise: Pair) -> Pair:
    same = is_zero(then.hat) and is_zero(otherwise.hat)
    found = choose(Truths(one, one if same else two), then, otherwise)
    assert isinstance(found, Pair)  # noqa: S101  # both sides are numbers
    return found


def _extreme(function: str, a: Pair, b: Pair) -> Pair:
    keep = relate("<=" if function == "min" else ">=", a.value, b.value)
    other = relate("<=" if function == "min" else ">=", a.other, b.other)
    return _split(keep, other, a, b)

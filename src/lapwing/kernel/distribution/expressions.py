"""The value of an expression in one state: the language's meaning, written down once more.

This is deliberately a second reading of the language, independent of a run's; tests hold them together. Nothing is
inferred here: what an element outside a list is stands in the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from lapwing.algebra.outward import outward
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.values import (
    Known,
    Rational,
    Value,
    add,
    compare,
    concrete,
    divide,
    equal,
    multiply,
    plain,
)
from lapwing.kernel.program import ir
from lapwing.kernel.run.evaluate import zero
from lapwing.kernel.uncomputable import TooMuch

Environment = Mapping[str, Value]
#: Longer loops are not worth checking state by state.
MAX_ROUNDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Evaluator:
    """One state: its variables, and what is known of its draws."""

    environment: Environment
    known: Known

    def value(self, node: ir.Expression) -> Value:
        """The value of ``node``. Raises Undecided when it hangs on a draw in a way that must be settled first."""
        match node:
            case ir.Name(name):
                return self.environment[name]
            case ir.Number(number):
                return plain(number)
            case ir.Truth(truth):
                return truth
            case ir.Arithmetic(operator, left, right):
                return self._arithmetic(operator, self.value(left), self.value(right))
            case ir.Compare(operator, left, right):
                return compare(operator, self.value(left), self.value(right), self.known)
            case ir.Negate(operand):
                return multiply(self.value(operand), -1)
            case ir.Not(operand):
                return not self.truth(operand)
            case ir.And(operands):
                return all(self.truth(operand) for operand in operands)
            case ir.Or(operands):
                return any(self.truth(operand) for operand in operands)
            case ir.Conditional(condition, then, otherwise):
                return self.value(then if self.truth(condition) else otherwise)
            case ir.ListOf(elements) | ir.TupleOf(elements):
                return tuple(self.value(element) for element in elements)
            case ir.Item(record, position):
                return self.sequence(record)[position]
            case ir.Index(sequence, index, element):
                return _element(self.sequence(sequence), self.whole(index), element)
            case ir.Slice(sequence, start, stop):
                first, last = (None if end is None else self.whole(end) for end in (start, stop))
                return self.sequence(sequence)[first:last]
            case ir.Builtin(function, arguments):
                return self._builtin(function, arguments)
            case ir.Comprehension(element, source, condition):
                rows = (dict(zip(source.targets, row, strict=True)) for row in self.rows(source))
                inner = [Evaluator({**self.environment, **row}, self.known) for row in rows]
                return tuple(one.value(element) for one in inner if condition is None or one.truth(condition))

    def truth(self, node: ir.Expression) -> bool:
        """A truth value."""
        value = self.value(node)
        if not isinstance(value, bool):
            raise TypeError("a truth value was expected")
        return value

    def number(self, node: ir.Expression) -> Rational:
        """A number whose value is known."""
        return concrete(self.value(node))

    def whole(self, node: ir.Expression) -> int:
        """A whole number whose value is known."""
        return _whole(self.value(node))

    def sequence(self, node: ir.Expression) -> tuple[Value, ...]:
        """A list or a tuple."""
        value = self.value(node)
        if not isinstance(value, tuple):
            raise TypeError("a list was expected")
        return value

    def rows(self, source: ir.Over | ir.Range) -> tuple[tuple[Value, ...], ...]:
        """What each round of a loop sets, in order: a value for each of ``source.targets``."""
        if isinstance(source, ir.Range):
            counted = range(self.whole(source.start), self.whole(source.stop))
            if counted and counted[-1] - counted[0] > MAX_ROUNDS:
                raise TooMuch(f"a loop has more than {MAX_ROUNDS} rounds")
            return tuple((i,) for i in counted)
        steps = enumerate(zip(*(self.sequence(value) for _, value in source.items), strict=False))
        return tuple(row if source.index is None else (i, *row) for i, row in steps)  # the counter is the first target

    def _arithmetic(self, operator: str, left: Value, right: Value) -> Value:
        if operator == "+":
            return add(left, right, self.known)
        if operator == "-":
            return add(left, multiply(right, -1), self.known)
        if operator == "*":
            return multiply(left, right)
        divisor = concrete(right)
        if divisor == 0:
            raise InvalidInput("C112", "the program divides by zero", "Give parameters with which the mechanism runs")
        return multiply(left, plain(1 / fmpq(divisor)))

    def _builtin(self, function: str, arguments: tuple[ir.Expression, ...]) -> Value:
        values = [self.value(argument) for argument in arguments]
        match function, values:
            case "match", [left, right]:
                return equal(left, right, self.known)
            case "/", [left, right]:
                return divide(left, right, self.known)
            case (("//" | "%"), [left, right]):
                quotient, rest = divmod(_whole(left), _whole(right))
                return quotient if function == "//" else rest
            case (("~ln" | "~exp" | "~sqrt"), [number]):
                return plain(outward(function.removeprefix("~"), Fraction(str(concrete(number)))))
            case "len", [tuple() as items]:
                return len(items)
            case "sum", [tuple() as items]:
                total: Value = 0
                for item in items:
                    total = add(total, item, self.known)
                return total
            case "all", [tuple() as items]:
                return all(item is True for item in items)
            case "abs", [number]:
                return self._largest([number, multiply(number, -1)])
            case "clip", [number, low, high]:
                return self._largest([low, self._smallest([number, high])])
            case "max", [tuple() as items]:
                return self._largest(items)
            case "min", [tuple() as items]:
                return self._smallest(items)
            case "max", _:
                return self._largest(values)
            case "min", _:
                return self._smallest(values)
        raise TypeError(f"{function} is not a function of the language")

    def _largest(self, values: list[Value] | tuple[Value, ...]) -> Value:
        best: Value = values[0] if values else 0
        for value in values[1:]:
            best = value if compare(">", value, best, self.known) else best
        return best

    def _smallest(self, values: list[Value] | tuple[Value, ...]) -> Value:
        return multiply(self._largest([multiply(value, -1) for value in values]), -1)


def _whole(value: Value) -> int:
    number = concrete(value)
    if not isinstance(number, int):
        raise TypeError("a whole number was expected")
    return number


def _element(items: tuple[Value, ...], index: int, kind: ir.Type) -> Value:
    """Total: an error that depends on private data would be an answer."""
    return items[index] if -len(items) <= index < len(items) else zero(kind)

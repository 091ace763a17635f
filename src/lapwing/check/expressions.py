"""The value of an expression in one state: the language's meaning, written down once more.

This is deliberately a second reading of the language, independent of ``program.run`` and of the searcher; tests hold
all of them together. Nothing is inferred here: what an element outside a list is stands in the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.check.values import Draws, Rational, Value, add, compare, concrete, equal, multiply, plain
from lapwing.errors import InvalidInput
from lapwing.program import ir

Environment = Mapping[str, Value]
#: Longer loops are not worth checking state by state.
MAX_ROUNDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Evaluator:
    """One state (its variables, and what is known of its draws), and the static types of the variables."""

    environment: Environment
    draws: Draws
    types: Mapping[str, ir.Type]

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
                return compare(operator, self.value(left), self.value(right), self.draws)
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
                inner = [Evaluator({**self.environment, **row}, self.draws, self.types) for row in rows]
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
        number = self.number(node)
        if number != int(number):
            raise TypeError("a whole number was expected")
        return int(number)

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
                raise InvalidInput("C110", f"a loop has more than {MAX_ROUNDS} rounds", "Give a smaller witness")
            return tuple((i,) for i in counted)
        steps = enumerate(zip(*(self.sequence(value) for _, value in source.items), strict=False))
        return tuple(row if source.index is None else (i, *row) for i, row in steps)  # the counter is the first target

    def _arithmetic(self, operator: str, left: Value, right: Value) -> Value:
        if operator == "+":
            return add(left, right)
        if operator == "-":
            return add(left, multiply(right, -1))
        return multiply(left, right if operator == "*" else 1 / Fraction(concrete(right)))

    def _builtin(self, function: str, arguments: tuple[ir.Expression, ...]) -> Value:
        values = [self.value(argument) for argument in arguments]
        match function, values:
            case "match", [left, right]:
                return equal(left, right, self.draws)
            case "len", [tuple() as items]:
                return len(items)
            case "sum", [tuple() as items]:
                total: Value = 0
                for item in items:
                    total = add(total, item)
                return total
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
            best = value if compare(">", value, best, self.draws) else best
        return best

    def _smallest(self, values: list[Value] | tuple[Value, ...]) -> Value:
        return multiply(self._largest([multiply(value, -1) for value in values]), -1)


def _element(items: tuple[Value, ...], index: int, kind: ir.Type) -> Value:
    """Total: an error that depends on private data would be an answer."""
    return items[index] if -len(items) <= index < len(items) else zero(kind)


def zero(kind: ir.Type) -> Value:
    """What reading outside a list of ``kind`` gives."""
    match kind:
        case ir.Boolean():
            return False
        case ir.List():
            return ()
        case ir.Tuple(elements):
            return tuple(zero(element) for element in elements)
    return 0

"""The value of an expression, exactly: expressions become Python functions of the variables.

Numbers are ints, Fractions (never floats) and, where noise reached them, forms and their quotients, which compute like
numbers (:mod:`~lapwing.noise.forms`) and which this file need not know; lists are values; and evaluation is total, as
``ir`` defines it. Two things can stop it: a division by zero, whose divisor is public, and the :class:`Meter` of a run,
which counts the rounds of comprehensions and the work of long numbers, so that neither can keep a run going for ever.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from lapwing import watching
from lapwing.algebra.outward import outward
from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.program.comparisons import COMPARED
from lapwing.kernel.program.ir import Boolean, List, Tuple, Type
from lapwing.kernel.program.vocabulary import OUTWARD

#: A number, a truth value, a list (:mod:`~lapwing.kernel.run.lists`) or a tuple of values.
Value = Any
Environment = dict[str, Value]
Closure = Callable[[Environment], Value]

#: Where a run keeps its meter among the variables: no variable can have this name.
METER = "%meter"


@dataclass(slots=True)
class Meter:
    """How many steps a run may still take."""

    steps: int

    def tick(self, steps: int = 1) -> None:
        """Count one statement, one round, or the like."""
        self.steps -= steps
        if not self.steps & 63:  # now and then
            watching.check()
        if self.steps < 0:
            raise InvalidInput("P206", "the run takes too many steps", "Allow more with run(..., steps=...)")

    def matched(self, place: ir.Builtin, left: Value, right: Value) -> None:
        """Hear of a ``match``: who studies runs listens."""

    def turning(self) -> Callable[[Environment], None] | None:
        """What is told the variables at the head of each round of one ``while``, if anybody is."""
        return None

    def weigh(self, left: Value, right: Value) -> None:
        """Count the work of a sum or product: nothing for ordinary numbers, then growing with the square."""
        bits = _bits(left) + _bits(right)
        if bits > 1024:
            self.tick(bits * bits >> 20)  # about as long as so many statements take


def _bits(number: Value) -> int:
    if isinstance(number, int):
        return number.bit_length()
    if isinstance(number, Fraction):
        return number.numerator.bit_length() + number.denominator.bit_length()
    return int(number.weight())  # of a form


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def constant(expression: ir.Expression) -> Fraction:
    """The number that an expression without names stands for."""
    return Fraction(evaluate(expression, {}))


def evaluate(expression: ir.Expression, environment: Environment, _types: object = None) -> Value:
    """The value of ``expression``. Types are not needed: the front end wrote them where they matter."""
    return compiled(expression)(environment)


def zero(kind: Type) -> Value:
    """What reading outside a list gives."""
    match kind:
        case Boolean():
            return False
        case List():
            return ()
        case Tuple(elements):
            return tuple(zero(element) for element in elements)
    return 0


def compiled(expression: ir.Expression) -> Closure:
    """A function from variables to the value of ``expression``."""
    match expression:
        case ir.Number(value):
            plain: Value = value.numerator if value.denominator == 1 else value
            return lambda _: plain
        case ir.Truth(value):
            return lambda _: value
        case ir.Name(name):
            return operator.itemgetter(name)
        case ir.Negate(operand):
            inner = compiled(operand)
            return lambda env: -inner(env)
        case ir.Not(operand):
            inner = compiled(operand)
            return lambda env: not inner(env)
        case ir.Arithmetic("/", left, right):
            return _division(compiled(left), compiled(right), expression)
        case ir.Arithmetic(symbol, left, right):
            return _weighed(_ARITHMETIC[symbol], compiled(left), compiled(right))
        case ir.Compare(symbol, left, right):
            return _binary(COMPARED[symbol], compiled(left), compiled(right))
        case ir.And(operands):
            parts = [compiled(each) for each in operands]
            return lambda env: all(part(env) for part in parts)
        case ir.Or(operands):
            parts = [compiled(each) for each in operands]
            return lambda env: any(part(env) for part in parts)
        case ir.Conditional(condition, then, otherwise):
            test, yes, no = (compiled(each) for each in (condition, then, otherwise))
            return lambda env: yes(env) if test(env) else no(env)
        case ir.Builtin("//" | "%" as function, (left, right)):
            return _parted(function, compiled(left), compiled(right), expression)
        case ir.Builtin("/", (left, right)):
            return _weighed(_over, compiled(left), compiled(right))
        case ir.Builtin("match", (left, right)):
            return _match(compiled(left), compiled(right), expression)
        case ir.Builtin(function, arguments):
            return _builtin(function, [compiled(each) for each in arguments])
        case ir.Index(sequence, index, element):
            return _index(compiled(sequence), compiled(index), zero(element))
        case ir.Slice(sequence, start, stop):
            cut, low, high = (None if each is None else compiled(each) for each in (sequence, start, stop))
            return _slice(cut, low, high)
        case ir.Item(record, position):
            inner = compiled(record)
            return lambda env: inner(env)[position]
        case ir.ListOf(elements) | ir.TupleOf(elements):
            parts = [compiled(each) for each in elements]
            return lambda env: tuple(part(env) for part in parts)
        case ir.Comprehension():
            return _comprehension(expression)
    raise AssertionError(expression)


def _binary(operation: Callable[[Any, Any], Value], left: Closure, right: Closure) -> Closure:
    return lambda env: operation(left(env), right(env))


def _weighed(operation: Callable[[Any, Any], Value], left: Closure, right: Closure) -> Closure:
    def compute(env: Environment) -> Value:
        a, b = left(env), right(env)
        meter: Meter | None = env.get(METER)
        if meter is not None:
            meter.weigh(a, b)
        return operation(a, b)

    return compute


def _division(left: Closure, right: Closure, place: ir.Node) -> Closure:
    def quotient(value: Value, divisor: Value) -> Value:
        return division_by_zero(place) if divisor == 0 else value / Fraction(divisor)

    return _weighed(quotient, left, right)


def _over(value: Value, divisor: Value) -> Value:
    """The quotient by a number that need not be public: total, so 0 where that is 0."""
    if isinstance(divisor, int | Fraction):
        return 0 if divisor == 0 else value / Fraction(divisor)
    return value / divisor  # a noisy number looks to it itself


def _parted(function: str, left: Closure, right: Closure, place: ir.Node) -> Closure:
    operation: Callable[[Any, Any], Value] = operator.floordiv if function == "//" else operator.mod

    def part(value: Value, divisor: Value) -> Value:
        return division_by_zero(place) if divisor == 0 else operation(value, divisor)

    return _weighed(part, left, right)


def division_by_zero(place: ir.Node) -> NoReturn:
    """Refuse a division whose (public) divisor is 0."""
    raise InvalidInput(
        "P203", f"division by zero ({place.span})", "Give public parameters that keep the divisor from 0"
    )


def _index(sequence: Closure, index: Closure, outside: Value) -> Closure:
    def read(env: Environment) -> Value:
        values, position = sequence(env), index(env)
        return values[position] if -len(values) <= position < len(values) else outside

    return read


def _slice(sequence: Closure | None, start: Closure | None, stop: Closure | None) -> Closure:
    assert sequence is not None  # noqa: S101  # only the ends of a slice are optional

    def cut(env: Environment) -> Value:
        low = None if start is None else start(env)
        high = None if stop is None else stop(env)
        return tuple(sequence(env)[low:high])

    return cut


def clip(value: Value, low: Value, high: Value) -> Value:
    """``value`` moved into [low, high]; ``low`` if the range is empty."""
    return max(low, min(value, high))


def _match(left: Closure, right: Closure, place: ir.Builtin) -> Closure:
    def ask(env: Environment) -> bool:
        one, two = left(env), right(env)
        meter: Meter | None = env.get(METER)
        if meter is not None:
            meter.matched(place, one, two)
        return bool(one == two)

    return ask


def _total(values: Iterable[Value]) -> Value:
    for value in values:
        if not isinstance(value, int | Fraction):
            return value.total(values)  # forms are summed in one pass
    return sum(values)


def _builtin(function: str, arguments: list[Closure]) -> Closure:
    first = arguments[0]
    if function == "all":
        return lambda env: all(first(env))
    if function == "abs":
        return lambda env: abs(first(env))
    if function == "len":
        return lambda env: len(first(env))
    if function == "sum":
        return lambda env: _total(first(env))
    if function in ("min", "max"):
        pick: Callable[..., Value] = min if function == "min" else max
        if len(arguments) == 1:
            return lambda env: pick(first(env), default=0)
        return lambda env: pick(argument(env) for argument in arguments)
    if function == "clip":
        return lambda env: clip(*(argument(env) for argument in arguments))
    if function in OUTWARD:
        word = function.removeprefix("~")
        return lambda env: _plain(outward(word, Fraction(first(env))))
    raise InvalidInput("P204", f"{function}(…) is irrational", "Use it in claims only")


def _plain(number: Fraction) -> Value:
    return number.numerator if number.denominator == 1 else number


def walker(source: ir.Over | ir.Range) -> Callable[[Environment], Iterable[tuple[Value, ...]]]:
    """A function giving, for each step over ``source``, the values of ``source.targets``."""
    if isinstance(source, ir.Range):
        start, stop = compiled(source.start), compiled(source.stop)
        return lambda env: ((i,) for i in range(start(env), stop(env)))  # lazily: the end may be far away
    lists = [compiled(value) for _, value in source.items]
    if source.index is None:
        return lambda env: list(zip(*(values(env) for values in lists), strict=False))
    return lambda env: [(i, *step) for i, step in enumerate(zip(*(values(env) for values in lists), strict=False))]


def _comprehension(expression: ir.Comprehension) -> Closure:
    steps = walker(expression.source)
    element = compiled(expression.element)
    condition = None if expression.condition is None else compiled(expression.condition)
    names = expression.source.targets

    def build(env: Environment) -> Value:
        local = dict(env)
        found: list[Value] = []
        meter: Meter | None = env.get(METER)
        for step in steps(env):
            if meter is not None:
                meter.tick()
            local.update(zip(names, step, strict=True))
            if condition is None or condition(local):
                found.append(element(local))
        return tuple(found)

    return build

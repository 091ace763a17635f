"""The value of an expression, exactly: expressions become Python functions of the variables.

Numbers are ints and Fractions (never floats), lists are sequences, and evaluation is total, as ``ir`` defines it.
Two things can stop it: a division by zero, whose divisor is public, and the :class:`Meter` of a run, which counts the
rounds of comprehensions and the work of long numbers, so that neither can keep a run going for ever.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from lapwing.errors import InvalidInput
from lapwing.program import ir
from lapwing.program.ir import Boolean, Integer, List, Real, Tuple, Type, Unknown
from lapwing.program.types import join

#: A number, a truth value, a list (any sequence) or a tuple of values.
Value = Any
Environment = dict[str, Value]
Closure = Callable[[Environment], Value]

#: Where a run keeps its meter among the variables: no variable can have this name.
METER = "%meter"


@dataclass(slots=True)
class Meter:
    """How many steps a run may still take, and how fine its lattice is."""

    steps: int
    bits: int

    def tick(self, steps: int = 1) -> None:
        """Count one statement, one round, or the like."""
        self.steps -= steps
        if self.steps < 0:
            raise InvalidInput("P206", "the run takes too many steps", "Allow more with run(..., steps=...)")

    def weigh(self, left: Value, right: Value) -> None:
        """Count the work of a sum or product: nothing for ordinary numbers, then growing with the square."""
        bits = (
            left.numerator.bit_length()
            + left.denominator.bit_length()
            + right.numerator.bit_length()
            + right.denominator.bit_length()
        )
        if bits > 1024:
            self.tick(bits * bits >> 20)  # about as long as so many statements take


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
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


def type_of(expression: ir.Expression, types: Mapping[str, Type]) -> Type:
    """The type of an expression of a finished program; a list literal without elements is a list of Unknown."""
    match expression:
        case ir.Name(name):
            return types.get(name, Real())
        case ir.Number(value):
            return Integer() if value.denominator == 1 else Real()
        case ir.Truth() | ir.Compare() | ir.And() | ir.Or() | ir.Not() | ir.Builtin("match" | "all"):
            return Boolean()
        case ir.Negate(operand):
            return type_of(operand, types)
        case ir.Arithmetic(symbol, left, right):
            whole = symbol != "/" and type_of(left, types) == type_of(right, types) == Integer()
            return Integer() if whole else Real()
        case ir.Conditional(_, then, otherwise):
            return _joined([type_of(then, types), type_of(otherwise, types)])
        case ir.Builtin("len"):
            return Integer()
        case ir.Builtin("sum" | "min" | "max", (single,)):
            return _element(type_of(single, types))
        case ir.Builtin("ln" | "exp" | "sqrt"):
            return Real()
        case ir.Builtin(_, arguments):
            whole = all(type_of(argument, types) == Integer() for argument in arguments)
            return Integer() if whole else Real()
        case ir.Index(element=element):
            return element
        case ir.Slice(sequence, _, _):
            return type_of(sequence, types)
        case ir.Item(record, position):
            kind = type_of(record, types)
            return kind.elements[position] if isinstance(kind, Tuple) else Real()
        case ir.ListOf(elements):
            return List(_joined([type_of(element, types) for element in elements]))
        case ir.TupleOf(elements):
            return Tuple(tuple(type_of(element, types) for element in elements))
        case ir.Comprehension(element, source, _):
            return List(type_of(element, {**types, **bound_types(source, types)}))
    raise AssertionError(expression)


def bound_types(source: ir.Over | ir.Range, types: Mapping[str, Type]) -> dict[str, Type]:
    """The types of the variables that walking over ``source`` sets."""
    if isinstance(source, ir.Range):
        return {source.target: Integer()}
    found: dict[str, Type] = {} if source.index is None else {source.index: Integer()}
    found.update({name: _element(type_of(value, types)) for name, value in source.items})
    return found


def _element(kind: Type) -> Type:
    return kind.element if isinstance(kind, List) else Real()


def _joined(kinds: list[Type]) -> Type:
    """The least type that holds all; a variable that stays an empty list is called one of numbers, and fits any."""
    found: Type = Unknown()
    for kind in kinds:
        joined = join(found, kind)
        found = found if joined is None else joined
    return found


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
            return _binary(_COMPARE[symbol], compiled(left), compiled(right))
        case ir.And(operands):
            parts = [compiled(each) for each in operands]
            return lambda env: all(part(env) for part in parts)
        case ir.Or(operands):
            parts = [compiled(each) for each in operands]
            return lambda env: any(part(env) for part in parts)
        case ir.Conditional(condition, then, otherwise):
            test, yes, no = (compiled(each) for each in (condition, then, otherwise))
            return lambda env: yes(env) if test(env) else no(env)
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
        return division_by_zero(place) if divisor == 0 else Fraction(value) / divisor

    return _weighed(quotient, left, right)


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


def _builtin(function: str, arguments: list[Closure]) -> Closure:
    if function == "step":  # the lattice of the run, where the condition is put to the test
        return operator.itemgetter("step()")
    first = arguments[0]
    if function == "all":
        return lambda env: all(first(env))
    if function == "abs":
        return lambda env: abs(first(env))
    if function == "len":
        return lambda env: len(first(env))
    if function == "sum":
        return lambda env: sum(first(env))
    if function in ("min", "max"):
        pick: Callable[..., Value] = min if function == "min" else max
        if len(arguments) == 1:
            return lambda env: pick(first(env), default=0)
        return lambda env: pick(argument(env) for argument in arguments)
    if function == "match":
        second = arguments[1]
        return lambda env: bool(first(env) == second(env))
    if function == "clip":
        return lambda env: clip(*(argument(env) for argument in arguments))
    raise InvalidInput("P204", f"{function}(…) is irrational", "Use it in claims only")


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

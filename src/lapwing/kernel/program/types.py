"""Types of the language: joining two, the type of an expression, writing one."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.program import ir
from lapwing.kernel.program.ir import Boolean, Integer, List, Real, Tuple, Type, Unknown
from lapwing.kernel.program.written_types import show

__all__ = ["bound_types", "fits", "is_number", "join", "settled", "show", "type_of", "types_of"]


def join(left: Type, right: Type) -> Type | None:
    """The least type that holds both; ``None`` when there is none. A whole number is also a number."""
    if left == right or isinstance(right, Unknown):
        return left
    if isinstance(left, Unknown):
        return right
    if is_number(left) and is_number(right):
        return Real()
    if isinstance(left, List) and isinstance(right, List):
        element = join(left.element, right.element)
        return None if element is None else List(element)
    if isinstance(left, Tuple) and isinstance(right, Tuple) and len(left.elements) == len(right.elements):
        joined = tuple(join(a, b) for a, b in zip(left.elements, right.elements, strict=True))
        return None if None in joined else Tuple(tuple(each for each in joined if each is not None))
    return None


def fits(given: Type, wanted: Type) -> bool:
    """Whether a value of type ``given`` may stand where ``wanted`` is asked for."""
    return join(given, wanted) == wanted


def is_number(kind: Type) -> bool:
    """Whether values of this type are numbers (also when it is not known yet)."""
    return isinstance(kind, Real | Integer | Unknown)


def settled(kind: Type) -> Type:
    """The type with what nothing determined (the element of a list that stays empty) taken as a number."""
    match kind:
        case Unknown():
            return Real()
        case List(element):
            return List(settled(element))
        case Tuple(elements):
            return Tuple(tuple(settled(element) for element in elements))
    return kind


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
        case ir.Builtin("/" | "ln" | "exp" | "sqrt" | "~ln" | "~exp" | "~sqrt"):
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


def types_of(mechanism: ir.Mechanism) -> dict[str, Type]:
    """The types of a mechanism's parameters and variables."""
    found = {parameter.name: parameter.type for parameter in mechanism.parameters}
    return {**found, **{variable.name: variable.type for variable in mechanism.variables}}

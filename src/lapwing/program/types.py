"""Types of the language: joining two, reading an annotation, writing one."""

from __future__ import annotations

import ast

from lapwing.program.ir import Boolean, Integer, List, Real, Tuple, Type, Unknown

REMEDY = "Annotate with int, float, bool, list[...] or tuple[...]"


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


def read(node: ast.expr | None) -> Type | None:
    """The type an annotation stands for; ``None`` when it is not one of the language's."""
    match node:
        case ast.Constant(value=str(text)):  # an annotation in quotes
            try:
                return read(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        case ast.Name(id="int"):
            return Integer()
        case ast.Name(id="float"):
            return Real()
        case ast.Name(id="bool"):
            return Boolean()
        case ast.Subscript(value=ast.Name(id="list" | "List"), slice=inner):
            element = read(inner)
            return None if element is None else List(element)
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=parts)) if len(parts) > 1:
            elements = tuple(read(part) for part in parts)
            return None if None in elements else Tuple(tuple(each for each in elements if each is not None))
    return None


def show(kind: Type) -> str:
    """The annotation that stands for a type."""
    match kind:
        case Integer():
            return "int"
        case Boolean():
            return "bool"
        case List(element):
            return f"list[{show(element)}]"
        case Tuple(elements):
            return f"tuple[{', '.join(show(element) for element in elements)}]"
    return "float"

"""Types as Python annotations write them."""

from __future__ import annotations

import ast

from lapwing.kernel.program.ir import Boolean, Integer, List, Oracle, Real, Tuple, Type

ANNOTATE = "Annotate with int, float, bool, list[...] or tuple[...]"
FUNCTION = "Write something like Callable[[list[float]], float]"


def read_type(node: ast.expr | None) -> Type | None:
    """The type an annotation stands for; ``None`` when it is not one of the language's."""
    match node:
        case ast.Constant(value=str(text)):  # an annotation in quotes
            try:
                return read_type(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        case ast.Name(id="int"):
            return Integer()
        case ast.Name(id="float"):
            return Real()
        case ast.Name(id="bool"):
            return Boolean()
        case ast.Subscript(value=ast.Name(id="list" | "List"), slice=inner):
            element = read_type(inner)
            return None if element is None else List(element)
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=parts)) if len(parts) > 1:
            elements = tuple(read_type(part) for part in parts)
            return None if None in elements else Tuple(tuple(each for each in elements if each is not None))
    return None


def is_function(node: ast.expr | None) -> bool:
    """Whether an annotation is of a function."""
    called = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(called, ast.Name) and called.id == "Callable"


def read_function(node: ast.expr | None, returns: Type | None) -> Oracle | None:
    """The function an annotation stands for: of values of the language, to a number or truth value.

    A ``Callable`` that says no more is given the list that a mechanism releases, and answers with a number.
    """
    match node:
        case ast.Name(id="Callable") if isinstance(returns, List):
            return Oracle((returns,), Real())
        case ast.Subscript(slice=ast.Tuple(elts=[ast.List(elts=given), answered])) if is_function(node) and given:
            arguments, result = [read_type(each) for each in given], read_type(answered)
            known = tuple(each for each in arguments if each is not None)
            if len(known) == len(given) and isinstance(result, Real | Integer | Boolean):
                return Oracle(known, result)
    return None


def may_be_none(node: ast.expr | None) -> bool:
    """Whether an annotation says that there may be no value: ``int | None``, ``Optional[int]``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return "None" in node.value or "Optional" in node.value
    parts = [] if node is None else list(ast.walk(node))
    nothing = any(isinstance(part, ast.Constant) and part.value is None for part in parts)
    return nothing or any(isinstance(part, ast.Name) and part.id == "Optional" for part in parts)

"""Types as Python annotations write them."""

from __future__ import annotations

import ast

from lapwing.kernel.program.ir import Boolean, Integer, List, Real, Tuple, Type

ANNOTATE = "Annotate with int, float, bool, list[...] or tuple[...]"


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


def may_be_none(node: ast.expr | None) -> bool:
    """Whether an annotation says that there may be no value: ``int | None``, ``Optional[int]``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return "None" in node.value or "Optional" in node.value
    parts = [] if node is None else list(ast.walk(node))
    nothing = any(isinstance(part, ast.Constant) and part.value is None for part in parts)
    return nothing or any(isinstance(part, ast.Name) and part.id == "Optional" for part in parts)

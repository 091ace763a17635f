"""Types as a program writes them."""

from __future__ import annotations

from lapwing.kernel.program.ir import Boolean, Integer, List, Oracle, Tuple, Type


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
        case Oracle(arguments, result):
            return f"Callable[[{', '.join(map(show, arguments))}], {show(result)}]"
    return "float"

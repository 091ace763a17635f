"""A program line by line, as the left column of a proof."""

from __future__ import annotations

from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show

#: Where the right column begins.
COLUMN = 58


def line(node: ir.Node | None, depth: int, text: str, rule: str = "") -> str:
    """A line of the program with its number, and the rule that carries both runs past it."""
    place = str(node.span.line) if node is not None and node.span.line else ""
    left = f"{place:>5}  {'  ' * depth}{text}"
    return f"{left:<{COLUMN}} {rule}".rstrip()


def below(rule: str) -> str:
    """More of the right column."""
    return f"{'':{COLUMN}} {rule}"


def drawn(statement: ir.Sample | ir.Call) -> str:
    """A draw or a call as it stands in the program."""
    name = statement.kind if isinstance(statement, ir.Sample) else statement.mechanism
    return f"{statement.target} = {name}({', '.join(map(show, statement.arguments))})"

"""How deep a program may be nested, so that nothing that walks over it runs out of stack.

A chain of ``elif`` nests as deep as it is long, and so does a sum of many terms.
"""

from __future__ import annotations

import ast

from lapwing.program import ir, walk
from lapwing.program.spans import Span

#: Syntax or IR nested deeper is refused. Readers of programs take up to six Python calls per level.
MAX_DEPTH = 100


def too_deep(tree: ast.AST) -> ast.AST | None:
    """A node of Python's syntax (with a place) that is nested too deep, if there is one."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return next((node for node in level if hasattr(node, "lineno")), None)


def too_deep_program(mechanism: ir.Mechanism) -> Span | None:
    """The place of a part of a mechanism that is nested too deep, if there is one: noise can nest flat syntax."""
    level: list[ir.Node] = [mechanism]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in walk.children(node)]
    return level[0].span if level else None

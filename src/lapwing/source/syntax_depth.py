"""How deep Python's syntax may be nested, so that nothing that reads it runs out of stack."""

from __future__ import annotations

import ast

from lapwing.kernel.wellformed.nesting import MAX_DEPTH


def too_deep(tree: ast.AST) -> ast.AST | None:
    """A node of Python's syntax (with a place) that is nested too deep, if there is one."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return next((node for node in level if hasattr(node, "lineno")), None)

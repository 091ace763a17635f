"""How deep a program may be nested, so that nothing that walks over it runs out of stack.

A chain of ``elif`` nests as deep as it is long, and so does a sum of many terms.
"""

from __future__ import annotations

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.spans import Span

#: Syntax or IR nested deeper is refused. Readers of programs take up to six Python calls per level.
MAX_DEPTH = 100


def too_deep(mechanism: ir.Mechanism) -> Span | None:
    """The place of a part of a mechanism that is nested too deep, if there is one: noise can nest flat syntax."""
    level: list[ir.Node] = [mechanism]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in walk.children(node)]
    return level[0].span if level else None

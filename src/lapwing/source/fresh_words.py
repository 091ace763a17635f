"""Names that a function does not use, for what is said of it in plainer words."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeVar

Placed = TypeVar("Placed", bound=ast.AST)


@dataclass(slots=True)
class FreshWords:
    """Gives names that are used nowhere in a function."""

    taken: set[str]

    @staticmethod
    def of(function: ast.FunctionDef) -> FreshWords:
        """Those beside a function's own."""
        return FreshWords(names(function) | bound(function))

    def fresh(self, stem: str) -> str:
        """One more name."""
        number = 1
        while (name := f"{stem}_{number}") in self.taken:
            number += 1
        self.taken.add(name)
        return name


def names(node: ast.AST) -> set[str]:
    """All names in a part of the syntax."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound(node: ast.AST) -> set[str]:
    """The names that a part of the syntax, or something in it, gives a value."""
    stored = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return stored | {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def at(made: Placed, node: ast.AST) -> Placed:
    """A new part of the syntax, and what is new in it, at the place of an old one."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt | ast.arg) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made

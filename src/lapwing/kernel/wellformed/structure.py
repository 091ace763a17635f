"""What must hold of a mechanism's shape, so that running it cannot fail in ways that depend on private data.

Every path returns; every variable is set before it is read, on every path; ``break`` and ``continue`` are in loops. A
name means one thing: what a comprehension walks with is nobody else's, so that parts of expressions may be replaced,
and no parameter is set, so that a formula over parameters is one number. A number as written is not below 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed.refusing import refused

Names = frozenset[str]


def check(mechanism: ir.Mechanism) -> None:
    """Refuse a mechanism that breaks one of these rules."""
    variables = {variable.name for variable in mechanism.variables}
    given = frozenset(each.name for each in mechanism.parameters)
    for statement in walk.statements(mechanism.body):
        if changed := given.intersection(walk.targets(statement)):
            raise refused("P177", statement.span, f"the parameter '{min(changed)}' is set", "Set a variable instead")
    for part in walk.children(mechanism):
        # a statement of accuracy speaks of the parameters and the answer: the program's variables mean nothing there
        _check_apart(part, given if isinstance(part, ir.Accuracy) else given | variables)
    checker = _Flow(variables)
    after = checker.block(mechanism.body, frozenset(), None)
    if after is not None:
        raise refused(
            "P171", mechanism.span, f"{mechanism.name} can end without a return", "Return an answer on every path"
        )


def _check_apart(node: ir.Node, taken: Names) -> None:
    """Refuse a comprehension that walks with a name that means something else around it, and a number below 0."""
    if isinstance(node, ir.Comprehension):
        hidden = taken.intersection(node.source.targets)
        if hidden:
            raise refused("P177", node.span, f"'{min(hidden)}' means two things here", "Give one of them another name")
        taken = taken.union(node.source.targets)
    if isinstance(node, ir.Number) and node.value < 0:
        raise refused("P178", node.span, "a number is written that is below 0", "Write the sign before it")
    for child in walk.children(node):
        _check_apart(child, taken)


@dataclass(slots=True)
class _Exits:
    """The variables that are set wherever the loop is left by break."""

    broken: Names | None = None


@dataclass(slots=True)
class _Flow:
    """Definite assignment: the set of variables that are certainly set, ``None`` where control never comes."""

    variables: set[str]

    def block(self, block: Sequence[ir.Statement], known: Names | None, loop: _Exits | None) -> Names | None:
        for statement in block:
            if known is None:
                raise refused("P150", statement.span, "this can never run", "Remove it")
            known = self.statement(statement, known, loop)
        return known

    def statement(self, statement: ir.Statement, known: Names, loop: _Exits | None) -> Names | None:
        for expression in walk.expressions(statement):
            self.read(expression, known)
        match statement:
            case ir.Append(target, _):
                self.read(ir.Name(target, span=statement.span), known)
            case ir.If(_, then, otherwise):
                return _both(self.block(then, known, loop), self.block(otherwise, known, loop))
            case ir.For(source, body):
                self.block(body, known.union(source.targets), _Exits())
                return known  # the list may be empty
            case ir.While(condition, body):
                exits = _Exits()
                self.block(body, known, exits)
                return exits.broken if condition == ir.Truth(True) else _both(known, exits.broken)
            case ir.Break() | ir.Continue():
                if loop is None:
                    raise refused("P172", statement.span, "this is not inside a loop", "Remove it, or return")
                if isinstance(statement, ir.Break):
                    loop.broken = _both(known, loop.broken)
                return None
            case ir.Return():
                return None
        return known.union(walk.targets(statement))

    def read(self, expression: ir.Expression, known: Names) -> None:
        missing = (walk.names(expression) & self.variables) - known
        if missing:
            place = next(
                part.span for part in walk.nodes(expression) if isinstance(part, ir.Name) and part.name in missing
            )
            name = min(missing)
            raise refused("P173", place, f"'{name}' may not be set yet here", "Set it before, on every path")


def _both(left: Names | None, right: Names | None) -> Names | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right

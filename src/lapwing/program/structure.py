"""What must hold of a mechanism's shape, so that running it cannot fail in ways that depend on private data.

Every path returns; every variable is set before it is read, on every path; ``break`` and ``continue`` are in loops;
and no list has two names while one of them grows, so that lists are values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapwing.program import ir, walk
from lapwing.program.scope import Scope

Names = frozenset[str]


def check(scope: Scope, mechanism: ir.Mechanism) -> None:
    """Refuse a mechanism that breaks one of these rules."""
    checker = _Flow(scope, {variable.name for variable in mechanism.variables})
    after = checker.block(mechanism.body, frozenset(), None)
    if after is not None:
        raise scope.refused(
            "P171", mechanism.span, f"{mechanism.name} can end without a return", "Return an answer on every path"
        )
    _check_lists(scope, mechanism)


@dataclass(slots=True)
class _Exits:
    """The variables that are set wherever the loop is left by break."""

    broken: Names | None = None


@dataclass(slots=True)
class _Flow:
    """Definite assignment: the set of variables that are certainly set, ``None`` where control never comes."""

    scope: Scope
    variables: set[str]

    def block(self, block: Sequence[ir.Statement], known: Names | None, loop: _Exits | None) -> Names | None:
        for statement in block:
            if known is None:
                raise self.scope.refused("P150", statement.span, "this can never run", "Remove it")
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
                    raise self.scope.refused(
                        "P172", statement.span, "this is not inside a loop", "Remove it, or return"
                    )
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
            raise self.scope.refused("P173", place, f"'{name}' may not be set yet here", "Set it before, on every path")


def _both(left: Names | None, right: Names | None) -> Names | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right


def _check_lists(scope: Scope, mechanism: ir.Mechanism) -> None:
    every = list(walk.statements(mechanism.body))
    growing = {statement.target for statement in every if isinstance(statement, ir.Append)}
    for statement in every:
        shared: set[str] = set()
        match statement:
            case ir.Assign(target, value) | ir.Append(target, value):
                shared = {name for name in _handed_on(value) if name in growing}
                if isinstance(statement, ir.Assign) and target in growing and not _is_new(value):
                    shared.add(target)
            case ir.For(source, body):
                shared = growing.intersection(source.targets)
                grown = {inner.target for inner in walk.statements(body) if isinstance(inner, ir.Append)}
                walked = {part.name for part in walk.expressions(statement) if isinstance(part, ir.Name)}
                for name in sorted(grown & walked):
                    raise scope.refused(
                        "P175", statement.span, f"'{name}' grows while it is walked over", f"Walk over {name}[:]"
                    )
        for name in sorted(shared):
            raise scope.refused(
                "P174",
                statement.span,
                f"a list that grows under the name '{name}' would have two names",
                "Copy the list where it gets its second name: xs[:]",
            )


def _handed_on(value: ir.Expression) -> set[str]:
    """The variables whose own list (not a copy) may be what ``value`` gives or holds."""
    match value:
        case ir.Name(name):
            return {name}
        case ir.Conditional(_, then, otherwise):
            return _handed_on(then) | _handed_on(otherwise)
        case ir.ListOf(elements) | ir.TupleOf(elements):
            return set[str]().union(*(_handed_on(element) for element in elements))
        case ir.Comprehension(element, source, _):
            return _handed_on(element) - set(source.targets)
    return set()


def _is_new(value: ir.Expression) -> bool:
    """Whether ``value`` is a list made on the spot."""
    if isinstance(value, ir.Conditional):
        return _is_new(value.then) and _is_new(value.otherwise)
    return isinstance(value, ir.ListOf | ir.Comprehension | ir.Slice)

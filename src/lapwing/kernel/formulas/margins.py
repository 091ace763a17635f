"""The margins of an accuracy condition: which of its parts allow for noise, and the condition with others there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS

#: Names that a condition may use although the mechanism has no such parameter.
OPEN = ("gamma", "beta")


def replaced(expression: ir.Expression, meanings: Mapping[ir.Expression, ir.Expression]) -> ir.Expression:
    """The expression with parts replaced by what they stand for."""
    if expression in meanings:
        return meanings[expression]
    changes: dict[str, object] = {}
    assert is_dataclass(expression)  # noqa: S101  # every node is
    for each in fields(expression):
        value = getattr(expression, each.name)
        if isinstance(value, ir.Over):
            items = tuple((name, replaced(walked, meanings)) for name, walked in value.items)
            changes[each.name] = replace(value, items=items)
        elif isinstance(value, ir.Node):
            changes[each.name] = replaced(value, meanings)  # type: ignore[arg-type]  # nodes inside are expressions
        elif isinstance(value, tuple) and any(isinstance(part, ir.Node) for part in value):
            changes[each.name] = tuple(
                replaced(part, meanings) if isinstance(part, ir.Node) else part  # type: ignore[arg-type]  # as above
                for part in value
            )
    made = replace(expression, **changes) if changes else expression  # type: ignore[arg-type]  # fields of their types
    if isinstance(made, ir.Item) and isinstance(made.record, ir.TupleOf):
        return made.record.elements[made.position]
    return made


def margins_in(mechanism: ir.Mechanism, condition: ir.Expression) -> list[ir.Expression]:
    """The parts of a condition that allow for noise: ``gamma``, formulas with logarithms, public numbers of its own."""
    gamma = ir.Name("gamma")
    if mechanism.parameter("gamma") is None and gamma in walk.nodes(condition):
        return [gamma]
    used = {name for each in walk.statements(mechanism.body) for e in walk.expressions(each) for name in walk.names(e)}
    public = {p.name for p in mechanism.parameters if not p.private and p.type in (ir.Real(), ir.Integer())}
    found = list(dict.fromkeys(_marginal(condition, public - used)))
    if found:
        return found
    return list(
        dict.fromkeys(
            side
            for part in walk.nodes(condition)
            if isinstance(part, ir.Compare)
            for side in (part.left, part.right)
            if isinstance(side, ir.Number) and side.value > 0
        )
    )


def _marginal(node: ir.Expression, own: set[str]) -> Iterator[ir.Expression]:
    """The largest numbers with logarithms, roots or names of the claim's ``own`` in every summand."""
    if not _is_marginal(node, own):
        return
    match node:
        case ir.Arithmetic("+" | "-", left, right) if not (_is_marginal(left, own) and _is_marginal(right, own)):
            yield from _marginal(left if _is_marginal(left, own) else right, own)
        case ir.Arithmetic() | ir.Name():
            yield node
        case ir.Builtin(function) if function in _WORDS:
            yield node
        case _:
            for child in walk.children(node):
                yield from _marginal(child, own)  # type: ignore[arg-type]  # children of expressions are expressions


_WORDS = CLAIM_FUNCTIONS


def _is_marginal(node: ir.Node, own: set[str]) -> bool:
    return any(
        (isinstance(part, ir.Builtin) and part.function in _WORDS) or (isinstance(part, ir.Name) and part.name in own)
        for part in walk.nodes(node)
    )

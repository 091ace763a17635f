"""The margins of an accuracy condition: which of its parts allow for noise, and the condition with others there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

from lapwing.kernel.program import ir

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

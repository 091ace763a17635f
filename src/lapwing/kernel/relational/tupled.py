"""Lists that are answered element by element, as tuples: which element is a whole number is then known."""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import join, type_of, types_of


def tupled(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with tuples for answers that are lists written out, all of one length: which is which is known."""
    values = [each.value for each in walk.statements(mechanism.body) if isinstance(each, ir.Return)]
    lists = [each.elements for each in values if isinstance(each, ir.ListOf)]
    if len(lists) < len(values) or not values or len(set(map(len, lists))) > 1 or len(lists[0]) < 2:
        return mechanism
    kinds: list[ir.Type] = []
    for parts in zip(*lists, strict=True):
        kind: ir.Type | None = type_of(parts[0], types_of(mechanism))
        for part in parts[1:]:
            kind = None if kind is None else join(kind, type_of(part, types_of(mechanism)))
        kinds += [] if kind is None else [kind]
    if len(kinds) < len(lists[0]):
        return mechanism
    return replace(mechanism, returns=ir.Tuple(tuple(kinds)), body=walk.exchanged(mechanism.body, _as_tuple))


def _as_tuple(statement: ir.Statement) -> walk.Block | None:
    match statement:
        case ir.Return(ir.ListOf(elements) as answer):
            return (replace(statement, value=ir.TupleOf(elements, span=answer.span)),)
    return None

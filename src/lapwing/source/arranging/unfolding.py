"""A comprehension that reads a list place by place, written as the loop that it is."""

from __future__ import annotations

from collections.abc import Iterator

from lapwing.kernel.formulas.margins import renamed, replaced
from lapwing.kernel.program import ir, types, walk
from lapwing.source.built_lists import Block, Variables


def opened_up(statement: ir.Statement, name: str, names: Variables) -> Block:
    """The statement behind a loop that makes the comprehension in it which reads a list; itself where none does."""
    match statement:
        case ir.Assign(_, value) | ir.Return(value):
            found = [each for each in _always(value) if isinstance(each, ir.Comprehension)]
        case _:
            found = []
    found = [each for each in found if name in walk.names(each)]
    if len(found) != 1:
        return (statement,)
    (made,) = found
    inner = [part for part in walk.nodes(made) if isinstance(part, ir.Comprehension) and part is not made]
    if any(set(each.source.targets) & set(made.source.targets) for each in inner):
        return (statement,)  # a name means two things in it
    bound = types.bound_types(made.source, names.types)
    kind = types.type_of(made, names.types)
    fresh = {each: names.fresh(each, bound[each]) for each in made.source.targets}
    own = isinstance(statement, ir.Assign) and statement.value is made and statement.target not in walk.names(made)
    listed = statement.target if isinstance(statement, ir.Assign) and own else names.fresh("made", kind)
    anew = renamed(made, fresh)
    grow: ir.Statement = ir.Append(listed, anew.element, span=made.span)
    if anew.condition is not None:
        grow = ir.If(anew.condition, (grow,), (), span=made.span)
    span = statement.span
    begin = ir.Assign(listed, ir.ListOf(()), span=span)
    loop = ir.For(anew.source, (grow,), 0, span=span)
    if own:
        return begin, loop
    return (begin, loop, *walk.rewritten((statement,), lambda each: replaced(each, {made: ir.Name(listed)})))


def _always(expression: ir.Expression) -> Iterator[ir.Expression]:
    """The parts of an expression that are computed whenever it is, and none that stands in a comprehension."""
    yield expression
    match expression:
        case ir.TupleOf(parts) | ir.ListOf(parts) | ir.Builtin(_, parts):
            for each in parts:
                yield from _always(each)
        case ir.Arithmetic(_, left, right) | ir.Compare(_, left, right):
            yield from _always(left)
            yield from _always(right)
        case ir.Negate(operand) | ir.Not(operand):
            yield from _always(operand)

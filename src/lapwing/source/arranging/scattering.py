"""A tuple in a variable is a variable for each of its parts, and a choice between tuples is a branch.

The one idea: tuples of numbers and truth values never change, so nobody can tell a tuple from its parts side by side.
Proofs, which follow numbers, then need not know of tuples but where one is answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import Block, Variables

#: The parts of the tuples that are taken apart, by the names of their variables.
Parts = Mapping[str, tuple[str, ...]]


def scattered(block: Block, names: Variables) -> Block:
    """The block without variables that hold tuples of numbers, as far as they are only ever set to tuples."""
    here = walk.assigned(block)  # a tuple that is a parameter, or another's variable, stays one
    held = {name for name, kind in names.types.items() if name in here and _is_of_numbers(kind)}
    statements = list(walk.statements(block))
    set_otherwise = {
        name for each in statements for name in walk.targets(each) if not (isinstance(each, ir.Assign) and name in held)
    }
    while True:
        settled = held - set_otherwise
        odd = {e.target for e in statements if isinstance(e, ir.Assign) and not _is_written(e.value, settled)}
        if not settled & odd:
            break
        set_otherwise |= odd
    parts: dict[str, tuple[str, ...]] = {}
    for name in sorted(settled):
        kind = names.types.pop(name)
        elements = kind.elements if isinstance(kind, ir.Tuple) else ()
        parts[name] = tuple(names.fresh(name, each) for each in elements)
    return _apart(block, parts, names)


def _is_of_numbers(kind: ir.Type) -> bool:
    return isinstance(kind, ir.Tuple) and all(
        isinstance(each, ir.Real | ir.Integer | ir.Boolean) for each in kind.elements
    )


def _is_written(value: ir.Expression, held: set[str]) -> bool:
    """Whether a value is a tuple that is written out, the like in a variable, or a choice between such."""
    match value:
        case ir.TupleOf():
            return True
        case ir.Name(name):
            return name in held
        case ir.Conditional(_, then, otherwise):
            return _is_written(then, held) and _is_written(otherwise, held)
    return False


def _apart(block: Block, parts: Parts, names: Variables) -> Block:
    found: list[ir.Statement] = []
    for each in block:
        match each:
            case ir.Assign(target, ir.Conditional() as value) if target in parts:
                found += _apart((_branch(each, value),), parts, names)
            case ir.Return(ir.Conditional() as value) if _is_written(value, set(parts)):
                found += _apart((_branch(each, value),), parts, names)
            case ir.Assign(target, ir.Name(name)) if target in parts and name == target:
                continue
            case ir.Assign(target, value) if target in parts:
                found += _set(each, _items(value, parts), parts[target], names)
            case _:
                read = walk.with_expressions(each, lambda value: _changed(value, parts))
                found.append(walk.with_blocks(read, lambda inner: _apart(inner, parts, names)))
    return tuple(found)


def _branch(statement: ir.Assign | ir.Return, value: ir.Conditional) -> ir.If:
    sides = [(replace(statement, value=each),) for each in (value.then, value.otherwise)]
    return ir.If(value.condition, *sides, span=statement.span)


def _set(
    statement: ir.Assign, values: tuple[ir.Expression, ...], own: tuple[str, ...], names: Variables
) -> list[ir.Statement]:
    """All parts are computed before the first is set."""
    span = statement.span
    if any(walk.names(value) & set(own[:place]) for place, value in enumerate(values)):
        held = [names.fresh("held", names.types[name]) for name in own]
        before = [ir.Assign(name, value, span=span) for name, value in zip(held, values, strict=True)]
        return [*before, *(ir.Assign(name, ir.Name(each), span=span) for name, each in zip(own, held, strict=True))]
    return [ir.Assign(name, value, span=span) for name, value in zip(own, values, strict=True)]


def _items(value: ir.Expression, parts: Parts) -> tuple[ir.Expression, ...]:
    match value:
        case ir.TupleOf(elements):
            return tuple(_changed(each, parts) for each in elements)
        case ir.Name(name):
            return tuple(map(ir.Name, parts[name]))
    raise AssertionError(value)  # _is_written has said so


def _changed(expression: ir.Expression, parts: Parts) -> ir.Expression:
    """The expression with the parts of tuples, and elsewhere tuples of the parts."""
    if not walk.names(expression) & set(parts):
        return expression
    meanings: dict[ir.Expression, ir.Expression] = {}
    for name, own in parts.items():
        meanings |= {ir.Item(ir.Name(name), place): ir.Name(each) for place, each in enumerate(own)}
        meanings[ir.Name(name)] = ir.TupleOf(tuple(map(ir.Name, own)))
    return replaced(expression, meanings)

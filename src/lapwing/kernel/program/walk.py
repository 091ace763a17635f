"""Walking the IR: parts of an expression, statements of a block, names read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from lapwing.kernel.program import ir


def children(node: ir.Node) -> Iterator[ir.Node]:
    """The nodes directly inside ``node``, in source order."""
    for slot in type(node).__slots__:
        value = getattr(node, slot)
        if isinstance(value, ir.Node):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, ir.Node):
                    yield part
                elif isinstance(part, tuple):  # the (variable, list) pairs of Over
                    yield from (each for each in part if isinstance(each, ir.Node))


def nodes(node: ir.Node) -> Iterator[ir.Node]:
    """``node`` and everything inside it, outermost first."""
    yield node
    for child in children(node):
        yield from nodes(child)


def names(expression: ir.Node) -> frozenset[str]:
    """The variables an expression reads, without those that its own comprehensions set."""
    found = {part.name for part in nodes(expression) if isinstance(part, ir.Name)}
    inner = (part.source.targets for part in nodes(expression) if isinstance(part, ir.Comprehension))
    return frozenset(found.difference(*inner))


def walked(node: ir.Node) -> set[str]:
    """The names that loops and comprehensions in ``node`` walk with."""
    return {name for part in nodes(node) if isinstance(part, ir.Over | ir.Range) for name in part.targets}


def statements(block: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Every statement of a block, also inside branches and loops, in source order."""
    for statement in block:
        yield statement
        match statement:
            case ir.If(_, then, otherwise):
                yield from statements(then)
                yield from statements(otherwise)
            case ir.For(_, body) | ir.While(_, body):
                yield from statements(body)


def targets(statement: ir.Statement) -> tuple[str, ...]:
    """The variables that this one statement sets (not those set inside it)."""
    match statement:
        case (
            ir.Assign(target=name)
            | ir.Sample(target=name)
            | ir.Call(target=name)
            | ir.Asking(target=name)
            | ir.Append(target=name)
        ):
            return (name,)
        case ir.For(source, _):
            return source.targets
    return ()


def assigned(block: Sequence[ir.Statement]) -> list[str]:
    """The variables that a block sets, those set inside its statements included; one for every statement that does."""
    return [name for each in statements(block) for name in targets(each)]


def expressions(statement: ir.Statement) -> tuple[ir.Expression, ...]:
    """The expressions that this one statement evaluates itself, in order."""
    match statement:
        case ir.Assign(value=value) | ir.Append(value=value) | ir.Return(value=value):
            return (value,)
        case ir.Sample(arguments=arguments) | ir.Call(arguments=arguments) | ir.Asking(arguments=arguments):
            return arguments
        case ir.If(condition=condition) | ir.While(condition=condition):
            return (condition,)
        case ir.For(ir.Over(items=items), _):
            return tuple(value for _, value in items)
        case ir.For(ir.Range(start=start, stop=stop), _):
            return (start, stop)
    return ()


def rewritten(
    block: Sequence[ir.Statement], change: Callable[[ir.Expression], ir.Expression]
) -> tuple[ir.Statement, ...]:
    """The block with every expression that a statement evaluates changed."""
    found: list[ir.Statement] = []
    for statement in block:
        match statement:
            case ir.Assign(_, value) | ir.Append(_, value) | ir.Return(value):
                found.append(replace(statement, value=change(value)))
            case ir.Sample(_, _, arguments) | ir.Call(_, _, arguments) | ir.Asking(_, arguments):
                found.append(replace(statement, arguments=tuple(map(change, arguments))))
            case ir.If(condition, then, otherwise):
                sides = rewritten(then, change), rewritten(otherwise, change)
                found.append(replace(statement, condition=change(condition), then=sides[0], otherwise=sides[1]))
            case ir.While(condition, body):
                found.append(replace(statement, condition=change(condition), body=rewritten(body, change)))
            case ir.For(ir.Over(items) as source, body):
                walked = replace(source, items=tuple((name, change(each)) for name, each in items))
                found.append(replace(statement, source=walked, body=rewritten(body, change)))
            case ir.For(ir.Range(_, start, stop) as source, body):
                counted = replace(source, start=change(start), stop=change(stop))
                found.append(replace(statement, source=counted, body=rewritten(body, change)))
            case _:
                found.append(statement)
    return tuple(found)

"""Walking the IR: parts of an expression, statements of a block, names read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lapwing.kernel.program import ir

Block = tuple[ir.Statement, ...]


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


def blocks(statement: ir.Statement) -> tuple[Block, ...]:
    """The blocks directly inside this one statement: both sides of a branch, or the body of a loop."""
    match statement:
        case ir.If(_, then, otherwise):
            return then, otherwise
        case ir.For(_, body) | ir.While(_, body):
            return (body,)
    return ()


def taken(mechanism: ir.Mechanism) -> set[str]:
    """Every name that means something in a mechanism."""
    return walked(mechanism).union(
        mechanism.names, (part.name for part in nodes(mechanism) if isinstance(part, ir.Name))
    )


def fresh(stem: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on."""
    name, number = stem, 1
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def statements(block: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Every statement of a block, also inside branches and loops, in source order."""
    for statement in block:
        yield statement
        for inner in blocks(statement):
            yield from statements(inner)


def jumps(block: Sequence[ir.Statement]) -> Iterator[ir.Break | ir.Continue]:
    """The ``break`` and ``continue`` of the loop whose body a block is, and not of a loop inside it."""
    for statement in block:
        match statement:
            case ir.Break() | ir.Continue():
                yield statement
            case ir.If(_, then, otherwise):
                yield from jumps((*then, *otherwise))


def breaks(block: Sequence[ir.Statement]) -> bool:
    """Whether a round may leave the loop whose body a block is, by ``break``."""
    return any(isinstance(each, ir.Break) for each in jumps(block))


def continues(block: Sequence[ir.Statement]) -> bool:
    """Whether a ``continue`` may leave out the rest of a round of the loop whose body a block is."""
    return any(isinstance(each, ir.Continue) for each in jumps(block))


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


def evaluated(block: Sequence[ir.Statement]) -> Iterator[ir.Expression]:
    """The expressions that a block evaluates, also inside branches and loops, in source order."""
    return (expression for statement in statements(block) for expression in expressions(statement))


def parts(block: Sequence[ir.Statement]) -> Iterator[ir.Node]:
    """Everything inside the expressions that a block evaluates, those themselves included."""
    return (part for expression in evaluated(block) for part in nodes(expression))


def read(block: Sequence[ir.Statement]) -> set[str]:
    """The variables that a block reads, those read inside its statements included."""
    return {name for expression in evaluated(block) for name in names(expression)}


def with_parts(node: ir.Expression, change: Callable[[ir.Expression], ir.Expression]) -> ir.Expression:
    """The expression with every expression directly inside it changed, also those that a comprehension walks over."""
    changes: dict[str, Any] = {}
    for slot in type(node).__slots__:
        match getattr(node, slot):
            case ir.Over() | ir.Range() as source:
                changes[slot] = with_walked(source, change)
            case ir.Node() as part:
                changes[slot] = change(part)  # type: ignore[arg-type]  # the parts of expressions are expressions
            case tuple() as parts:
                changes[slot] = tuple(map(change, parts))
    return replace(node, **changes) if changes else node


def with_targets(source: ir.Over | ir.Range, names: Mapping[str, str]) -> ir.Over | ir.Range:
    """What a loop or comprehension walks over, with other names for what it walks with."""
    if isinstance(source, ir.Range):
        return replace(source, target=names[source.target])
    index = None if source.index is None else names[source.index]
    return replace(source, items=tuple((names[name], each) for name, each in source.items), index=index)


def with_walked(source: ir.Over | ir.Range, change: Callable[[ir.Expression], ir.Expression]) -> ir.Over | ir.Range:
    """What a loop or comprehension walks over, with every expression in it changed, in order."""
    if isinstance(source, ir.Range):
        return replace(source, start=change(source.start), stop=change(source.stop))
    return replace(source, items=tuple((name, change(each)) for name, each in source.items))


def with_expressions(statement: ir.Statement, change: Callable[[ir.Expression], ir.Expression]) -> ir.Statement:
    """The statement with every expression that it evaluates itself changed, in order."""
    match statement:
        case ir.Assign(_, value) | ir.Append(_, value) | ir.Return(value):
            return replace(statement, value=change(value))
        case ir.Sample(_, _, arguments) | ir.Call(_, _, arguments) | ir.Asking(_, arguments):
            return replace(statement, arguments=tuple(map(change, arguments)))
        case ir.If(condition) | ir.While(condition):
            return replace(statement, condition=change(condition))
        case ir.For(source):
            return replace(statement, source=with_walked(source, change))
    return statement


def with_blocks(statement: ir.Statement, change: Callable[[Block], Block]) -> ir.Statement:
    """The statement with every block directly inside it changed, in order."""
    match statement:
        case ir.If(_, then, otherwise):
            return replace(statement, then=change(then), otherwise=change(otherwise))
        case ir.For(_, body) | ir.While(_, body):
            return replace(statement, body=change(body))
    return statement


def rewritten(block: Sequence[ir.Statement], change: Callable[[ir.Expression], ir.Expression]) -> Block:
    """The block with every expression that a statement evaluates changed."""
    return tuple(with_blocks(with_expressions(each, change), lambda inner: rewritten(inner, change)) for each in block)


def exchanged(block: Sequence[ir.Statement], others: Callable[[ir.Statement], Block | None]) -> Block:
    """The block with ``others`` for each statement, wherever it stands, that there are others for (or none)."""
    found: list[ir.Statement] = []
    for each in block:
        new = others(each)
        found += (with_blocks(each, lambda inner: exchanged(inner, others)),) if new is None else new
    return tuple(found)

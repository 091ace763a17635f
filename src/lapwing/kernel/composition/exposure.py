"""What a block reads of what was set before it, and what it sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from lapwing.kernel.program import ir, walk

Names = frozenset[str]


def reads(node: ir.Node, mechanism: ir.Mechanism, bound: Names = frozenset()) -> Names:
    """The names an expression depends on; the length of a private list that neighbours share is nobody's secret."""
    match node:
        case ir.Name(name):
            return frozenset() if name in bound else frozenset({name})
        case ir.Builtin("len", (ir.Name(name),)) if name not in bound:
            parameter = mechanism.parameter(name)
            if parameter is not None and parameter.private and parameter.as_long:
                return frozenset()
        case ir.Comprehension(element, source, condition):
            inner = bound | frozenset(source.targets)
            parts = [element] if condition is None else [element, condition]
            used = frozenset[str]().union(*(walk.names(each) for each in parts))
            walked = [each for each in walk.children(source) if not _counts_only(source, each, used, mechanism)]
            found = [reads(each, mechanism, inner) for each in parts] + [reads(e, mechanism, bound) for e in walked]
            return frozenset[str]().union(*found)
    return frozenset[str]().union(*(reads(child, mechanism, bound) for child in walk.children(node)))


def _counts_only(source: ir.Over | ir.Range, items: ir.Node, used: Names, mechanism: ir.Mechanism) -> bool:
    """Whether a walk only tells how long a list is, whose length neighbours share: nothing uses its elements."""
    if isinstance(source, ir.Range) or not isinstance(items, ir.Name):
        return False
    parameter = mechanism.parameter(items.name)
    shared = parameter is not None and parameter.private and parameter.as_long
    return shared and not any(walked is items and variable in used for variable, walked in source.items)


def targets(block: Sequence[ir.Statement]) -> Names:
    """Every variable that a block may set."""
    return frozenset(walk.assigned(block))


def settings_before(mechanism: ir.Mechanism, loop: ir.Statement, name: str) -> list[ir.Statement]:
    """The statements of the body that may set a variable before a loop of the body itself begins; of others, none."""
    before = list(takewhile(lambda each: each is not loop, mechanism.body))
    return [each for each in before if name in targets((each,))] if len(before) < len(mechanism.body) else []


def exposed(block: Sequence[ir.Statement], mechanism: ir.Mechanism) -> Names:
    """The names that a block may read before it has set them: whatever they hold comes from before."""
    return _block(block, frozenset(), mechanism)[0]


def _block(block: Sequence[ir.Statement], known: Names | None, mechanism: ir.Mechanism) -> tuple[Names, Names | None]:
    """What is read before it is set, and what is certainly set behind the block (None: control never comes there)."""
    found: Names = frozenset()
    for statement in block:
        if known is None:
            break
        read = frozenset[str]().union(*(reads(each, mechanism) for each in walk.expressions(statement)))
        if isinstance(statement, ir.Append):
            read |= {statement.target}
        found |= read - known
        match statement:
            case ir.If(_, then, otherwise):
                ways = [_block(side, known, mechanism) for side in (then, otherwise)]
                found |= ways[0][0] | ways[1][0]
                ends = [end for _, end in ways if end is not None]
                known = frozenset.intersection(*ends) if ends else None
            case ir.For(source, body):
                found |= _block(body, known | frozenset(source.targets), mechanism)[0]
            case ir.While(_, body):
                found |= _block(body, known, mechanism)[0]
            case ir.Break() | ir.Continue() | ir.Return():
                known = None
            case _:
                known = known | frozenset(walk.targets(statement))
    return found, known

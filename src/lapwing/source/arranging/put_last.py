"""What both sides of a private test put into a list at their end, put there after them.

The one idea: ``if c > 0: … out.append(noisy) … else: out.append(0)`` says what is put in two places. Where private data
alone decide between the sides, the two runs may take different ones, and a proof follows them to the place where they
meet again: the value is held there, and put into the list once.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.private_tests import PrivateTests
from lapwing.source.built_lists import Block, Variables, mentioned


def put_last(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with such puttings after the tests that decide between them."""
    private = PrivateTests.of(mechanism, body)

    def held(statement: ir.Statement) -> Block | None:
        if isinstance(statement, ir.If) and private.decide(statement.condition):
            return _held(statement, names) or (statement,)
        return None

    return walk.exchanged(body, held)


def _held(statement: ir.If, names: Variables) -> tuple[ir.Statement, ...] | None:
    """A test and what is put after it, if both its sides end with putting something into one list."""
    lists = _lists(statement)
    kind = names.types.get(min(lists)) if len(lists) == 1 else None
    if not isinstance(kind, ir.List):
        return None
    (listed,) = lists
    held = names.fresh("put", kind.element)
    made = _without(statement, held)
    if listed in mentioned((made,)):
        return None
    return made, ir.Append(listed, ir.Name(held), span=statement.span)


def _lists(statement: ir.Statement) -> set[str]:
    """The lists that a statement puts something into at its end; the empty name where a way does not."""
    match statement:
        case ir.Append(listed):
            return {listed}
        case ir.If(_, then, otherwise):
            return {name for side in (then, otherwise) for name in (_lists(side[-1]) if side else {""})}
    return {""}


def _without(statement: ir.If, held: str) -> ir.If:
    def side(block: Block) -> Block:
        last = block[-1]
        if isinstance(last, ir.Append):
            return (*block[:-1], ir.Assign(held, last.value, span=last.span))
        assert isinstance(last, ir.If)  # noqa: S101  # as _lists has seen
        return (*block[:-1], _without(last, held))

    return replace(statement, then=side(statement.then), otherwise=side(statement.otherwise))

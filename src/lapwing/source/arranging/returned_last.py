"""Answers that are given inside a private test, given after it.

The one idea: ``if n == 0: return 0`` and then noise says in two places what is returned. Where private data alone
decide between the sides, the two runs may take different ones, and a proof follows them to the place where they meet
again: the answer is held there, and returned once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.private_tests import PrivateTests
from lapwing.source.built_lists import Block, Variables, acts


def returned_last(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with one return at its end, from the first private test on that returns."""
    private = PrivateTests.of(mechanism, body)
    for at, each in enumerate(body):
        if isinstance(each, ir.If) and private.decide(each.condition) and any(_returns(each)):
            answer = names.fresh("answer", mechanism.returns)
            held = _held(body[at:], answer)
            if held is None:
                del names.types[answer]
                return body
            return (*body[:at], *held, ir.Return(ir.Name(answer), span=each.span))
    return body


def _returns(statement: ir.Statement) -> Iterator[ir.Return]:
    return (each for each in walk.statements((statement,)) if isinstance(each, ir.Return))


def _held(block: Block, answer: str) -> Block | None:
    """A block that returns on every way, with the answer set instead; None where much would be said twice."""
    for at, each in enumerate(block):
        match each:
            case ir.Return(value):
                return (*block[:at], ir.Assign(answer, value, span=each.span))
            case ir.If(_, then, otherwise) if any(_returns(each)):
                rest = block[at + 1 :]
                if not (_ends(then) or _ends(otherwise)) and any(map(acts, walk.statements(rest))):
                    return None
                sides = [_held((*side, *rest), answer) for side in (then, otherwise)]
                if sides[0] is None or sides[1] is None:
                    return None
                return (*block[:at], replace(each, then=sides[0], otherwise=sides[1]))
            case ir.For() | ir.While() if any(_returns(each)):
                return None
    return None


def _ends(block: Block) -> bool:
    """Whether every way through a block returns."""
    return any(
        isinstance(each, ir.Return) or (isinstance(each, ir.If) and _ends(each.then) and _ends(each.otherwise))
        for each in block
    )

"""Noise that is only looked at where private data say so, drawn there.

The one idea: in ``v = c + laplace(b)`` and then ``if c > 0 and v > t: …``, nobody sees the noise where c is 0. It is
independent of everything, so whether it is drawn there changes nothing about any answer; and where it is not, a proof
knows that only one of the runs draws it.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.private_tests import PrivateTests
from lapwing.source.built_lists import Block, acts, changed, mentioned


def drawn_within(mechanism: ir.Mechanism, body: Block) -> Block:
    """The body with such noise drawn inside the tests."""
    private = PrivateTests.of(mechanism, body)

    def arranged(block: Block) -> Block:
        found: list[ir.Statement] = []
        for at, each in enumerate(block):
            match each:
                case ir.If(ir.And(operands), then, otherwise) if private.decide(operands[0]):
                    rest = operands[1] if len(operands) == 2 else ir.And(operands[1:], span=each.condition.span)
                    inner = replace(each, condition=rest, then=arranged(then), otherwise=arranged(otherwise))
                    taken = _taken(found, each, operands[0], rest, block[at + 1 :], body)
                    if not taken or any(map(acts, walk.statements(otherwise))):
                        found.append(replace(each, then=inner.then, otherwise=inner.otherwise))
                        continue
                    del found[-len(taken) :]
                    found.append(ir.If(operands[0], (*taken, inner), inner.otherwise, span=each.span))
                case _:
                    found.append(walk.with_blocks(each, arranged))
        return tuple(found)

    return arranged(body)


def _taken(
    before: list[ir.Statement], test: ir.If, own: ir.Expression, rest: ir.Expression, after: Block, body: Block
) -> tuple[ir.Statement, ...]:
    """The draws right before a test, and what is computed of them, if nothing reads them but its rest and its side."""
    at = len(before)
    while at and isinstance(before[at - 1], ir.Sample | ir.Assign):
        at -= 1
        taken = tuple(before[at:])
        sets = changed(taken)
        elsewhere = mentioned((*test.otherwise, *after)) | walk.names(own)
        every = sum(name in sets for name in walk.assigned(body))
        if sets & elsewhere or every != len(walk.assigned(taken)) or not isinstance(before[at], ir.Sample):
            continue
        outside = sum(sum(part == ir.Name(name) for part in walk.parts(body)) for name in sets)
        inside = sum(sum(part == ir.Name(name) for part in walk.parts((*taken, test))) for name in sets)
        if outside == inside and walk.names(rest) & sets:
            return taken
    return ()

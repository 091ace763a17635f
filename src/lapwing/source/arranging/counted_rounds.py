"""A ``while`` that walks through a list, said as the ``for`` that it is.

The one idea: ``i = 0``, ``while going and i < len(q)``, and ``i += 1`` at the end of every round is a loop over
``range(len(q))`` whose rounds do nothing once ``going`` is over. Nothing changes in such a round, so it stays over; and
the counter is not looked at afterwards. A counter that is raised unless the round says that it was the last is the
number of the round, too.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import (
    ONE,
    ZERO,
    Block,
    Variables,
    changed,
    forgotten,
    is_public,
    mentioned,
    rewrite,
)


def with_rounds_counted(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body of a mechanism with such loops as ``for``."""
    for position, loop in enumerate(body):
        if isinstance(loop, ir.While):
            found = _as_for(mechanism, body, position, loop) or _until_said(mechanism, body, position, loop, names)
            if found is not None:
                return with_rounds_counted(mechanism, found, names)
    return body


def _until_said(mechanism: ir.Mechanism, body: Block, position: int, loop: ir.While, names: Variables) -> Block | None:
    """A loop whose counter is raised in every round but the one that says it is the last; it may be read afterwards."""
    match loop.condition, loop.body:
        case ir.And((one, other)), (*before, ir.If(test, then, otherwise) as choice):
            pass
        case _:
            return None
    sides = [(side, _raised(side)) for side in (then, otherwise)]
    raised = [name for _, name in sides if name is not None]
    if len(raised) != 1:
        return None
    counter = ir.Name(raised[0])
    said = next(side for side, name in sides if name is None)
    going, end = (one, _end(other, counter)) if _end(one, counter) is None else (other, _end(one, counter))
    steps = [each for each in walk.statements(loop.body) if counter.name in walk.targets(each)]
    begun = [each for each in body[:position] if counter.name in mentioned((each,))]
    inside = changed(loop.body)
    if end is None or not _is_known(mechanism, end) or walk.names(end) & inside or walk.continues(loop.body):
        return None
    if len(steps) != 1 or begun[-1:] != [ir.Assign(counter.name, ZERO)] or not _ends(going, said, loop.body):
        return None
    here = ir.Name(names.fresh("round", ir.Integer()))
    seen: dict[ir.Expression, ir.Expression] = {counter: here}
    parts = [(*rewrite(side[:-1], seen), side[-1]) if name else rewrite(side, seen) for side, name in sides]
    chosen = replace(choice, condition=replaced(test, seen), then=parts[0], otherwise=parts[1])
    tested = ir.If(going, (*rewrite(tuple(before), seen), chosen), (), span=loop.span)
    made = ir.For(ir.Range(here.name, ZERO, end), (tested,), loop.number, span=loop.span)
    return (*body[:position], made, *body[position + 1 :])


def _raised(block: Block) -> str | None:
    """The counter that a block raises by 1 at its end."""
    match block[-1:]:
        case (ir.Assign(counter, ir.Arithmetic("+", ir.Name(own), by)),) if own == counter and by == ONE:
            return counter
    return None


def _ends(going: ir.Expression, said: Block, rounds: Block) -> bool:
    """Whether one statement of this side, and nothing else in a round, says that there is no other."""
    match going:
        case ir.Not(ir.Name(flag)):
            last = ir.Truth(True)
        case ir.Name(flag):
            last = ir.Truth(False)
        case _:
            return False
    settings = [each for each in walk.statements(rounds) if flag in walk.targets(each)]
    return settings == [ir.Assign(flag, last)] and any(each is settings[0] for each in said)


def _as_for(mechanism: ir.Mechanism, body: Block, position: int, loop: ir.While) -> Block | None:
    parts = loop.condition.operands if isinstance(loop.condition, ir.And) else (loop.condition,)
    rounds, counter = loop.body[:-1], _raised(loop.body)
    if counter is None:
        return None
    ends = [_end(part, ir.Name(counter)) for part in parts]
    begun = [at for at in range(position) if counter in mentioned(body[at : at + 1])]
    rest, inside = body[position + 1 :], changed(rounds)
    if [each for each in ends if each is not None][1:] or not rounds or not begun:
        return None
    stop = next((each for each in ends if each is not None), None)
    going = tuple(part for part, end in zip(parts, ends, strict=True) if end is None)
    if (
        stop is None
        or not _is_known(mechanism, stop)
        or body[begun[-1]] != ir.Assign(counter, ZERO)
        or not forgotten(rest, counter)
    ):
        return None
    if counter in inside or walk.names(stop) & {*inside, counter} or walk.continues(rounds):
        return None
    if not going or any(counter in walk.names(part) for part in going):
        return None
    test = going[0] if len(going) == 1 else ir.And(going, span=loop.condition.span)
    tested = ir.If(test, rounds, (), span=loop.span)
    made = ir.For(ir.Range(counter, ZERO, stop), (tested,), loop.number, span=loop.span)
    begin = begun[-1]
    return (*body[:begin], *body[begin + 1 : position], made, *rest)


def _end(part: ir.Expression, here: ir.Name) -> ir.Expression | None:
    """What a counter has to be below."""
    match part:
        case ir.Compare("<", left, right) if left == here:
            return right
        case ir.Compare(">", left, right) if right == here:
            return left
    return None


def _is_known(mechanism: ir.Mechanism, stop: ir.Expression) -> bool:
    """Whether this is a whole number that the parameters say, and that both runs share."""
    match stop:
        case ir.Number(value):
            return value.denominator == 1
        case ir.Name(name):
            found = mechanism.parameter(name)
            return is_public(mechanism, name, length=False) and found is not None and found.type == ir.Integer()
        case ir.Builtin("len", (ir.Name(name),)):
            return is_public(mechanism, name, length=True)
    return False

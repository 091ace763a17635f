"""Branches at the top of a mechanism, written so that no loop stands in one, and answers wait where both sides draw.

The one idea: what a branch does under a test, its statements do one by one under that test. A loop in it turns as often
as before and does nothing where the test fails: expressions are total, so that nothing else happens then. A branch that
always answers leaves what follows to the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.walk import Block

#: A new variable of a type, by the stem of its name.
Fresh = Callable[[str, ir.Type], str]


def unbranched(body: Block, returns: ir.Type, fresh: Fresh) -> Block:
    """The body without loops in branches."""
    found: list[ir.Statement] = []
    for position, statement in enumerate(body):
        rest = body[position + 1 :]
        if isinstance(statement, ir.If):
            if ends(statement.then) and not statement.otherwise and _both_draw(statement.then, rest, returns):
                return (*found, *_one_answer(statement, rest, fresh("answer", returns)))
            if _loops(statement) and _keep_to_themselves(statement, body):
                done = _flat(statement, fresh)
                return (*found, *unbranched((*done, *rest), returns, fresh))
        found.append(statement)
    return tuple(found)


def _keep_to_themselves(statement: ir.If, body: Block) -> bool:
    """Whether what loops in a branch count by is named nowhere else: outside of the branch they will set it, too."""
    loops = [each for each in walk.statements((statement,)) if isinstance(each, ir.For)]
    every = _named(body)
    return all(every.count(name) == _named((loop,)).count(name) for loop in loops for name in loop.source.targets)


def _named(block: Block) -> list[str]:
    """Every name that is set or read in a block, as often as it is."""
    found = walk.assigned(block)
    for part in walk.parts(block):
        match part:
            case ir.Name(name):
                found.append(name)
            case ir.Comprehension(_, source):
                found += source.targets
    return found


def zeros(mechanism: ir.Mechanism) -> Block:
    """Zeros for what branches set of private or noisy values: at first nothing has been set, and nothing read.

    A list that a branch sets, and walks over, is empty at first: outside of the branch its loop has to find one.
    """
    sides = [(*each.then, *each.otherwise) for each in mechanism.body if isinstance(each, ir.If)]
    inside = dict.fromkeys(name for side in sides for name in walk.assigned(side))
    loops = [each for side in sides for each in walk.statements(side) if isinstance(each, ir.For)]
    walked = {part.name for each in loops for part in walk.nodes(each.source) if isinstance(part, ir.Name)}
    found: list[ir.Statement] = []
    for name in inside:
        variable = mechanism.variable(name)
        if (
            variable is not None
            and not variable.public
            and isinstance(variable.type, ir.Real | ir.Integer | ir.Boolean)
        ):
            zero = ir.Truth(False) if isinstance(variable.type, ir.Boolean) else ir.ZERO
            found.append(ir.Assign(name, zero))
        elif variable is not None and isinstance(variable.type, ir.List) and name in walked:
            found.append(ir.Assign(name, ir.ListOf(())))
    return tuple(found)


def _flat(statement: ir.If, fresh: Fresh) -> Block:
    """A branch with a loop in it as statements under its test."""
    condition, then, otherwise = statement.condition, statement.then, statement.otherwise
    if ends(then) and otherwise and not any(map(_loops, then)):
        return (replace(statement, otherwise=()), *otherwise)
    if otherwise and ends(otherwise) and not any(map(_loops, otherwise)):
        return (ir.If(ir.Not(condition), otherwise, (), span=statement.span), *then)
    taken = fresh("taken", ir.Boolean())
    test = ir.Name(taken)
    return (
        ir.Assign(taken, condition, span=statement.span),
        *_under(test, then, fresh),
        *_under(ir.Not(test), otherwise, fresh),
    )


def _under(test: ir.Expression, block: Block, fresh: Fresh) -> Block:
    """What a block does where ``test`` holds, with its loops outside of it; nothing in it changes ``test``."""
    found: list[ir.Statement] = []
    waiting: list[ir.Statement] = []

    def flush() -> None:
        if waiting:
            found.append(ir.If(test, tuple(waiting), (), span=waiting[0].span))
            waiting.clear()

    for statement in block:
        match statement:
            case ir.For(_, body):
                flush()
                found.append(replace(statement, body=(ir.If(test, body, (), span=statement.span),)))
            case ir.While(condition, _):
                flush()
                found.append(replace(statement, condition=ir.And((test, condition))))
            case ir.If(condition, then, otherwise) if _loops(statement):
                flush()
                inner = fresh("taken", ir.Boolean())
                found.append(ir.Assign(inner, condition, span=statement.span))
                found += _under(ir.And((test, ir.Name(inner))), then, fresh)
                found += _under(ir.And((test, ir.Not(ir.Name(inner)))), otherwise, fresh)
            case _:
                waiting.append(statement)
    flush()
    return tuple(found)


def _loops(statement: ir.Statement) -> bool:
    return any(isinstance(each, ir.For | ir.While) for each in walk.statements((statement,)))


def ends(block: Block) -> bool:
    """Whether every way through a block ends in an answer."""
    match block[-1:]:
        case (ir.Return(),):
            return True
        case (ir.If(_, then, otherwise),):
            return ends(then) and ends(otherwise)
    return False


def _both_draw(then: Block, rest: Block, returns: ir.Type) -> bool:
    """Whether two ways to a number or truth value each draw, without loops: draws may stand for each other then."""
    plain = isinstance(returns, ir.Real | ir.Integer | ir.Boolean)
    sides = [list(walk.statements(each)) for each in (then, rest)]
    draws = all(any(isinstance(each, ir.Sample) for each in side) for side in sides)
    single = all(sum(isinstance(each, ir.Return) for each in side) == 1 for side in sides)
    ends = isinstance(then[-1], ir.Return) and bool(rest) and isinstance(rest[-1], ir.Return)
    return plain and draws and single and ends and not any(map(_loops, (*then, *rest)))


def _one_answer(statement: ir.If, rest: Block, answer: str) -> Block:
    """Both ways set one variable, which is answered at the end."""
    sides = []
    for side in (statement.then, rest):
        last = side[-1]
        assert isinstance(last, ir.Return)  # noqa: S101  # _both_draw
        sides.append((*side[:-1], ir.Assign(answer, last.value, span=last.span)))
    made = replace(statement, then=sides[0], otherwise=sides[1])
    return (made, ir.Return(ir.Name(answer), span=rest[-1].span))

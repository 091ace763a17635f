"""``range`` with a step that is a value: a ``while`` whose counter is raised by it.

A step as it is written is a factor (:mod:`iteration`). One that is known only when the program runs is added to a
counter, up to an end or, below 0, down to it; a step of 0 makes no round. The end and the step are what they were
before the first round, as Python has it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.ir import Integer
from lapwing.source.built_lists import changed
from lapwing.source.frame import Frame

#: How a counter compares with the end while a loop goes on, and the step with 0.
_WAYS: tuple[tuple[Literal["<", ">"], Literal["<", ">"]], ...] = (("<", ">"), (">", "<"))
#: Reads a round, of which the counter has this name.
Round = Callable[[str], list[ir.Statement]]


def step_of(node: ast.expr) -> int | None:
    """A step as it is written; None for a value."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))) if not isinstance(value, bool):
            return -value
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
    return None


def goes_by_steps(frame: Frame, iterable: ast.expr) -> bool:
    """Whether this is a range whose step is a value."""
    match iterable:
        case ast.Call(func=function, args=[_, _, step], keywords=[]) if step_of(step) is None:
            return frame.word(function) == "range"
    return False


def lower_steps(
    frame: Frame,
    iterable: ast.Call,
    ends: Sequence[ir.Expression],
    counter: str,
    inside: Round,
    out: list[ir.Statement],
) -> None:
    """The loop from a start to an end by a step; ``inside`` gives its round, which leaves the counter alone."""
    span = frame.scope.span(iterable)
    start, stop, by = ends
    frame.assign(counter, Integer(), iterable)
    number = frame.loop()
    body = inside(counter)
    limits: list[ir.Expression] = []
    for value in (stop, by):
        if not walk.names(value) & changed(body):
            limits.append(value)
            continue
        held = frame.fresh("held")
        frame.assign(held, Integer(), iterable)
        out.append(ir.Assign(held, value, span=span))
        limits.append(ir.Name(held, span=span))
    here = ir.Name(counter, span=span)
    out.append(ir.Assign(counter, start, span=span))
    zero = ir.Number(Fraction(0), span=span)
    ways: list[ir.Expression] = [
        ir.And((ir.Compare(way, here, limits[0], span=span), ir.Compare(sign, limits[1], zero, span=span)), span=span)
        for way, sign in _WAYS
    ]
    upwards = start == zero and isinstance(stop, ir.Builtin) and stop.function == "len"  # nothing lies below 0 there
    test = ways[0] if upwards else ir.Or(tuple(ways), span=span)
    raised = ir.Assign(counter, ir.Arithmetic("+", here, limits[1], span=span), span=span)
    rounds = (*body[:1], raised, *body[1:]) if walk.continues(body) else (*body, raised)
    out.append(ir.While(test, rounds, number, span=span))

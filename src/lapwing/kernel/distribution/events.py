"""Whether an answer that may hang on draws is in an event, and what is left of an event as a list grows.

The one idea: a list that only grows until it is the answer need not be kept. What is appended is held against the event
at once, and only what the rest of the list must be is remembered; so the draw of a released number is done with.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from lapwing.kernel.distribution.values import Known, Remaining, Value, compare, equal, inward, plain
from lapwing.kernel.evidence.event import FINENESS, AnyOf, Anything, Between, Event, Prefix
from lapwing.kernel.program import ir, walk

#: The event that never happens.
NEVER = AnyOf(())


def matches(event: Event, answer: Value, known: Known) -> bool:
    """Whether ``answer`` is in ``event``; raises Undecided where that hangs on a draw."""
    if isinstance(answer, Remaining):  # held against its part of the event all along
        return matches(answer.event, (), known)
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return any(matches(one, answer, known) for one in events)
        case Between(low, high):
            return not isinstance(answer, bool | tuple) and _floor_lies(low, high, answer, known)
        case Fraction():
            cell = floor(event / FINENESS) * FINENESS
            return not isinstance(answer, bool | tuple) and _floor_lies(cell, cell, answer, known)
        case Prefix(elements):
            return isinstance(answer, tuple) and len(answer) >= len(elements) and _elements(elements, answer, known)
        case tuple():
            return isinstance(answer, tuple) and len(answer) == len(event) and _elements(event, answer, known)
        case _:
            return equal(answer, inward(event), known)


def _floor_lies(low: Fraction | None, high: Fraction | None, answer: Value, known: Known) -> bool:
    """Whether a number, once it has left the run as a multiple of FINENESS, lies between two ends, both included."""
    above = low is None or compare(">=", answer, plain(ceil(low / FINENESS) * FINENESS), known)
    return above and (high is None or compare("<", answer, plain((floor(high / FINENESS) + 1) * FINENESS), known))


def _elements(events: tuple[Event, ...], answers: tuple[Value, ...], known: Known) -> bool:
    return all(matches(event, answer, known) for event, answer in zip(events, answers, strict=False))


def remaining(event: Event, value: Value, known: Known) -> Event:
    """What the rest of a list must be so that the list is in ``event``, once its next element is ``value``."""
    match event:
        case Anything() | Prefix(()):
            return Anything()
        case AnyOf(events):
            left = tuple(dict.fromkeys(remaining(one, value, known) for one in events))
            possible = tuple(one for one in left if one != NEVER)
            return possible[0] if len(possible) == 1 else AnyOf(possible)
        case Prefix(elements):
            return Prefix(elements[1:]) if matches(elements[0], value, known) else NEVER
        case tuple() if event:
            return event[1:] if matches(event[0], value, known) else NEVER
    return NEVER


def growing(mechanism: ir.Mechanism, event: Event | None) -> dict[str, Event]:
    """Lists that the answer is, or is a tuple of, each with the event that it must hit.

    Such a list is emptied once, at the top, only appended to from there on, read by nothing else, and every return
    answers with it.
    """
    if event is None:
        return {}
    every = list(walk.statements(mechanism.body))
    returned = {each.value for each in every if isinstance(each, ir.Return)}
    answer = returned.pop() if len(returned) == 1 else ir.Truth(False)
    parts: list[tuple[ir.Expression, Event]] = [(answer, event)]
    if isinstance(answer, ir.TupleOf):
        if not isinstance(event, tuple) or len(event) != len(answer.elements):
            return {}  # its parts belong together
        parts = list(zip(answer.elements, event, strict=True))
    found: dict[str, Event] = {}
    for expression, part in parts:
        if isinstance(expression, ir.Name) and _only_grows(mechanism, every, expression.name):
            found[expression.name] = part
    names = [one.name for one, _ in parts if isinstance(one, ir.Name)]
    return {name: part for name, part in found.items() if names.count(name) == 1}


def _only_grows(mechanism: ir.Mechanism, every: list[ir.Statement], name: str) -> bool:
    start = ir.Assign(name, ir.ListOf(()))
    setting = [each for each in every if name in walk.targets(each) and not isinstance(each, ir.Append)]
    reading = [
        each
        for each in every
        if not isinstance(each, ir.Return) and any(name in walk.names(e) for e in walk.expressions(each))
    ]
    return setting == [start] and start in mechanism.body and not reading

"""Answers in the making: which lists become the answer, and fresh noise inside values."""

from __future__ import annotations

from lapwing.program import ir
from lapwing.program.walk import statements, targets
from lapwing.refute.values import Pending, Plain, Value


def growing_answers(mechanism: ir.Mechanism, wanted: Plain | None) -> dict[str, tuple[Plain, ...]]:
    """The lists that only ever grow until they are (part of) the answer, with what they are wanted to become.

    A wrong beginning of such a list can never become right. It stands at the same place of every return, and it
    is set once, to the empty list, outside any loop or branch.
    """
    every = list(statements(mechanism.body))
    answers = [each.value for each in every if isinstance(each, ir.Return)]
    found = {}
    for name, place in _returned_names(answers[0] if answers else None):
        part = wanted if place is None else wanted[place] if isinstance(wanted, tuple) and place < len(wanted) else None
        started = [s for s in mechanism.body if isinstance(s, ir.Assign) and s.target == name]
        sets = [s for s in every if not isinstance(s, ir.Append) and name in targets(s)]
        once = len(started) == len(sets) == 1 and started[0].value == ir.ListOf(())
        same = all((name, place) in _returned_names(answer) for answer in answers)
        if once and same and isinstance(part, tuple) and mechanism.parameter(name) is None:
            found[name] = part
    return found


def _returned_names(answer: ir.Expression | None) -> list[tuple[str, int | None]]:
    """The variables an answer consists of, each with its place in a tuple."""
    if isinstance(answer, ir.Name):
        return [(answer.name, None)]
    if isinstance(answer, ir.TupleOf):
        return [(item.name, place) for place, item in enumerate(answer.elements) if isinstance(item, ir.Name)]
    return []


def fresh(value: Value) -> Pending | None:
    """The first fresh noise in a value."""
    if isinstance(value, tuple):
        return next((found for item in value if (found := fresh(item)) is not None), None)
    return value if isinstance(value, Pending) else None


def settled(value: Value, enumerated: Value) -> Value:
    """The value with its first fresh noise replaced."""
    if isinstance(value, tuple):
        place = next(i for i, item in enumerate(value) if fresh(item) is not None)
        return (*value[:place], settled(value[place], enumerated), *value[place + 1 :])
    return enumerated

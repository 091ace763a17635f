"""Events: sets of answers that a witness speaks about, written as a pattern.

Answers are those of a run: a real number leaves it as its floor on multiples of :data:`FINENESS`.

A single answer is its own pattern. Around it: :class:`Between` (a range of numbers, for tails), :class:`Prefix`
(every list that begins so), :class:`Anything`, :class:`AnyOf`. In JSON::

    true   "3/8"   [false, "1"]            exactly this answer
    "*"                                     any answer
    {"from": "3"}   {"to": "-1"}            a number of at least 3, of at most -1 (both ends allowed)
    {"prefix": [false, false]}              a list that begins so
    {"any_of": [[false], [true]]}           one of several patterns
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.values import MAX_DEPTH, json_type, number_from_json

#: A run that is told nothing else rounds real answers down to multiples of this.
FINENESS = Fraction(1, 2**20)


@dataclass(frozen=True, slots=True)
class Anything:
    """Every answer."""


@dataclass(frozen=True, slots=True)
class Between:
    """Every number from ``low`` to ``high``, both included; None leaves an end open."""

    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """Every list whose first elements match ``elements`` in order."""

    elements: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Every answer that matches one of ``events``."""

    events: tuple[Event, ...]


Event = Fraction | bool | tuple["Event", ...] | Anything | Between | Prefix | AnyOf


def event_to_json(event: Event) -> object:
    """``event`` in the JSON form above."""
    match event:
        case bool():
            return event
        case Fraction():
            return str(event)
        case tuple():
            return [event_to_json(element) for element in event]
        case Anything():
            return "*"
        case Between(low, high):
            ends = (("from", low), ("to", high))
            return {name: str(end) for name, end in ends if end is not None}
        case Prefix(elements):
            return {"prefix": [event_to_json(element) for element in elements]}
        case AnyOf(events):
            return {"any_of": [event_to_json(one) for one in events]}


def event_from_json(data: object, name: str = "output", depth: int = 0) -> Event:
    """The event that ``data`` states."""
    if depth > MAX_DEPTH:
        raise InvalidInput("C103", f"{name} is nested more than {MAX_DEPTH} deep", "Give an answer of ordinary shape")
    if isinstance(data, bool):
        return data
    if isinstance(data, str):
        return Anything() if data == "*" else number_from_json(data, name)
    if isinstance(data, list):
        return tuple(event_from_json(element, name, depth + 1) for element in data)
    if isinstance(data, dict):
        if len(data) == 1 and isinstance(data.get("prefix"), list):
            return Prefix(tuple(event_from_json(element, name, depth + 1) for element in data["prefix"]))
        if len(data) == 1 and isinstance(data.get("any_of"), list):
            return AnyOf(tuple(event_from_json(one, name, depth + 1) for one in data["any_of"]))
        if data and set(data) <= {"from", "to"}:
            low, high = (number_from_json(data[end], name) if end in data else None for end in ("from", "to"))
            return Between(low, high)
        raise InvalidInput(
            "C103",
            f"{name} holds an object that is no event",
            'Use {"prefix": [..]}, {"any_of": [..]}, {"from": "1"}',
        )
    raise InvalidInput("C103", f"{name} holds a JSON {json_type(data)}", 'Write numbers as strings such as "3/8"')

"""Events near another one: a part changed, an end moved, or an element written twice."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from lapwing.kernel.evidence.event import Between, Event
from lapwing.kernel.program import ir
from lapwing.search.violation.subject import Subject


def moved(region: Between, by: Fraction) -> Between:
    """The region with its ends elsewhere."""
    return Between(*(None if end is None else end + by for end in (region.low, region.high)))


def longer_events(subject: Subject, event: Event) -> Iterator[Event]:
    """What an event may become where a list gets one element more; of what is asked, rounds stay as many."""
    return _longer(event, subject.mechanism.returns, fixed=subject.source is not subject.module)


def _longer(event: Event, kind: ir.Type, fixed: bool) -> Iterator[Event]:
    """The event itself, and the events with one element of a list in it written twice, or a place one further on.

    Where the length is ``fixed``, the last element gives way.
    """
    yield event
    if isinstance(event, Fraction) and isinstance(kind, ir.Integer):
        yield event + 1
    if isinstance(event, tuple) and isinstance(kind, ir.List):
        whole = event[:-1] if fixed else event
        yield from dict.fromkeys(event[: i + 1] + whole[i:] for i in range(len(whole)))
    elif isinstance(event, tuple) and isinstance(kind, ir.Tuple):
        for i, (item, part) in enumerate(zip(event, kind.elements, strict=True)):
            for longer in islice(_longer(item, part, fixed), 1, None):
                yield (*event[:i], longer, *event[i + 1 :])


def answer_moves(event: Event) -> Iterator[Event]:
    """Events in which one part is changed."""
    match event:
        case bool():
            yield not event
        case tuple():
            for i, item in enumerate(event):
                for moved in answer_moves(item):
                    yield (*event[:i], moved, *event[i + 1 :])
        case Fraction():
            yield from (event + k for k in (-8, 8, -1, 1))
        case Between(low, high):
            yield from (Between(None if low is None else low + k, None if high is None else high + k) for k in (-1, 1))

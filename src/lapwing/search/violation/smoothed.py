"""A mechanism with real noise in place of noise of whole numbers: a sketch of it that is searched far faster.

The one idea: a whole draw that others are compared with is walked value by value, a real one as one law. What loses
most with the one loses about as much with the other, so the inputs and the answer that break the sketch are asked of
the mechanism itself. Nothing that is said of the sketch counts.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor

from lapwing.kernel.evidence.event import Event
from lapwing.kernel.program import ir, walk
from lapwing.search.violation.subject import Subject

#: Noise of whole numbers, and real noise that is like it.
LIKE: dict[ir.NoiseKind, ir.NoiseKind] = {"discrete_laplace": "laplace", "discrete_gaussian": "gaussian"}


def smoothed(subject: Subject) -> Subject | None:
    """The sketch; None of a mechanism that draws no noise of whole numbers."""
    module = ir.Module(tuple(replace(each, body=walk.exchanged(each.body, _smooth)) for each in subject.module))
    draws = (each for mechanism in subject.module for each in walk.statements(mechanism.body))
    if not any(isinstance(each, ir.Sample) and each.kind in LIKE for each in draws):
        return None
    return Subject(module, module[subject.mechanism.name], subject.limits)


def in_whole_numbers(event: Event, kind: ir.Type) -> Event:
    """An event of the sketch as one of the mechanism, whose answer of a type has whole numbers in some places."""
    match event, kind:
        case tuple(), ir.List(element):
            return tuple(in_whole_numbers(each, element) for each in event)
        case tuple(), ir.Tuple(elements):
            return tuple(in_whole_numbers(each, part) for each, part in zip(event, elements, strict=True))
        case Fraction(), ir.Integer():
            return Fraction(floor(event))
    return event


def _smooth(statement: ir.Statement) -> walk.Block | None:
    match statement:
        case ir.Sample(kind=kind) if kind in LIKE:
            return (replace(statement, kind=LIKE[kind]),)
    return None

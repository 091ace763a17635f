"""Whether the inputs of a witness are neighbours, and its event one of the mechanism's answers."""

from __future__ import annotations

from lapwing.algebra.exact import shown
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.distribution.inputs import Inputs
from lapwing.kernel.evidence.event import FINENESS, AnyOf, Anything, Between, Event, Prefix
from lapwing.kernel.program import ir
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.evaluate import evaluate


def check_neighbours(mechanism: ir.Mechanism, left: Inputs, right: Inputs) -> None:
    """Public parameters are equal, private ones related: from left to right, or from right to left."""
    for parameter in mechanism.parameters:
        if not parameter.private and left[parameter.name] != right[parameter.name]:
            raise Doubt(f"{parameter.name} is public and differs between left and right")
    forward = _broken(mechanism, left, right)
    if forward is not None and _broken(mechanism, right, left) is not None:
        raise Doubt(forward)


def _broken(mechanism: ir.Mechanism, one: Inputs, two: Inputs) -> str | None:
    for parameter in mechanism.parameters:
        name, distance = parameter.name, None
        if parameter.relation is None:
            continue
        if parameter.distance is not None:
            distance = enclosed(parameter.distance, dict(one)).lower
            if distance < 0:
                raise Doubt(f"neighbours in {name} are {shown(distance)} apart, and no distance is below 0")
        given, nearby = parameter.given, parameter.nearby
        if given is not None and nearby is not None and (evaluate(given, dict(one)) or evaluate(given, dict(two))):
            distance = enclosed(nearby, dict(one)).lower
        rule = parameter.relation.broken(one[name], two[name], distance)
        if rule is not None:
            return f"left and right are not neighbours in {name}: {rule}"
    return None


def speaks_of(event: Event, kind: ir.Type) -> bool:
    """Whether ``event`` is an event of answers of the type: it may not tell answers apart that are none."""
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return all(speaks_of(one, kind) for one in events)
        case Between():
            return isinstance(kind, ir.Real | ir.Integer)
        case Prefix(elements):
            return isinstance(kind, ir.List) and all(speaks_of(each, kind.element) for each in elements)
        case tuple():
            if isinstance(kind, ir.Tuple):
                return len(event) == len(kind.elements) and all(map(speaks_of, event, kind.elements))
            return isinstance(kind, ir.List) and all(speaks_of(each, kind.element) for each in event)
        case bool():
            return isinstance(kind, ir.Boolean)
        case _:
            leaves = isinstance(kind, ir.Real) and event % FINENESS == 0  # as an answer of a run does
            return leaves or (isinstance(kind, ir.Integer) and event.denominator == 1)

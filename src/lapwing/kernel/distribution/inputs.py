"""The two inputs of a witness: of the right types, and neighbours in one order or the other."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.algebra.exact import shown
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.run.claims import enclosed
from lapwing.kernel.run.evaluate import evaluate

Inputs = Mapping[str, Value]
#: Private numbers of a witness lie in [-LARGEST, LARGEST], where every run reads them as they are.
LARGEST = 2**53


def read_inputs(mechanism: ir.Mechanism, side: str, given: Inputs) -> dict[str, Value]:
    """One side's arguments; raises Doubt unless they are what a run would compute with."""
    names = [parameter.name for parameter in mechanism.parameters]
    if sorted(given) != sorted(names):
        raise Doubt(f"{side} must give exactly {', '.join(names)}")
    for parameter in mechanism.parameters:
        if not _fits(given[parameter.name], parameter.type, private=parameter.private):
            raise Doubt(f"{side}.{parameter.name} does not fit its type")
    return {name: given[name] for name in names}


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


def _fits(value: Value, kind: ir.Type, *, private: bool) -> bool:
    match kind:
        case ir.Boolean():
            return isinstance(value, bool)
        case ir.List(element):
            return isinstance(value, tuple) and all(_fits(each, element, private=private) for each in value)
        case ir.Tuple(elements):
            if not isinstance(value, tuple) or len(value) != len(elements):
                return False
            return all(_fits(each, part, private=private) for each, part in zip(value, elements, strict=True))
        case _:
            if isinstance(value, bool | tuple) or (isinstance(kind, ir.Integer) and value.denominator != 1):
                return False
            return not private or abs(value) <= LARGEST


def plain(value: Value) -> object:
    """A value as a run computes with it: whole numbers are ints."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return int(value) if not isinstance(value, bool) and value.denominator == 1 else value

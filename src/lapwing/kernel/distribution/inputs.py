"""The inputs of a witness: of the right types."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir

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

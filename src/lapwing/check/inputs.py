"""The two inputs of a witness: of the right types, on the lattice, and neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.check.expressions import Evaluator
from lapwing.check.values import Value, plain
from lapwing.check.violation import Doubt
from lapwing.evidence import values as written
from lapwing.program import ir
from lapwing.program.inputs import BOUND

#: A run's noise and private numbers are multiples of 2^-bits, with bits from 0 to this.
MAX_LATTICE_BITS = 60


def read_inputs(
    mechanism: ir.Mechanism, side: str, given: Mapping[str, written.Value], step: Fraction
) -> dict[str, Value]:
    """One side's arguments; raises Doubt unless they are exactly what a run on this lattice would compute with."""
    names = [parameter.name for parameter in mechanism.parameters]
    if sorted(given) != sorted(names):
        raise Doubt(f"{side} must give exactly {', '.join(names)}")
    for parameter in mechanism.parameters:
        if not _fits(given[parameter.name], parameter.type, step if parameter.private else None):
            raise Doubt(f"{side}.{parameter.name} does not fit its type{' and the lattice' * parameter.private}")
    return {name: _plain(given[name]) for name in names}


def check_lattice(step: Fraction) -> None:
    """A run's lattice is the multiples of 1, or 1/2, or 1/4 and so on."""
    if step.numerator != 1 or step.denominator & (step.denominator - 1) or step.denominator > 2**MAX_LATTICE_BITS:
        raise Doubt(f"the lattice step {step} is not one that a run has: 1, 1/2, 1/4, …")


def check_neighbours(mechanism: ir.Mechanism, left: dict[str, Value], right: dict[str, Value], step: Fraction) -> None:
    """Public parameters are equal; private ones are related, by a distance that the lattice can carry."""
    types = {parameter.name: parameter.type for parameter in mechanism.parameters}
    for parameter in mechanism.parameters:
        name, distance = parameter.name, None
        if parameter.relation is None:
            if left[name] != right[name]:
                raise Doubt(f"{name} is public and differs between left and right")
            continue
        if parameter.distance is not None:
            distance = Fraction(Evaluator(left, (), types).number(parameter.distance))
            if distance % step != 0 and not _whole(parameter.type):
                raise Doubt(f"neighbours in {name} are {distance} apart, not a multiple of the lattice step")
        rule = parameter.relation.broken(left[name], right[name], distance)
        if rule is not None:
            raise Doubt(f"left and right are not neighbours in {name}: {rule}")


def _fits(value: written.Value, kind: ir.Type, step: Fraction | None) -> bool:
    match kind:
        case ir.Boolean():
            return isinstance(value, bool)
        case ir.List(element):
            return isinstance(value, tuple) and all(_fits(each, element, step) for each in value)
        case ir.Tuple(elements):
            if not isinstance(value, tuple) or len(value) != len(elements):
                return False
            return all(_fits(each, part, step) for each, part in zip(value, elements, strict=True))
        case _:
            if isinstance(value, bool | tuple) or (isinstance(kind, ir.Integer) and value.denominator != 1):
                return False
            if step is None:
                return True
            return abs(value) <= BOUND and (isinstance(kind, ir.Integer) or value % step == 0)


def _whole(kind: ir.Type) -> bool:
    return isinstance(kind.element if isinstance(kind, ir.List) else kind, ir.Integer)


def _plain(value: written.Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_plain(each) for each in value)
    return value if isinstance(value, bool) else plain(value)

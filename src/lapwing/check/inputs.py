"""The two inputs of a witness: of the right types, on a lattice that can stand for a run's, and neighbours.

The one idea: a run's noise lies on multiples of :data:`RUN`. A coarser lattice is easier to compute with, and stands
for it only where the program cannot leave it: on whole numbers, ``clip(x, 0, 0.5)`` would seem to give itself away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from lapwing.algebra.exact import shown as _short
from lapwing.check.expressions import Evaluator
from lapwing.check.values import Value, plain
from lapwing.check.violation import Doubt
from lapwing.errors import LapwingError
from lapwing.evidence import values as written
from lapwing.program import draws, ir, walk
from lapwing.program.inputs import BOUND

#: A run's noise and private numbers are multiples of 2^-bits, with bits from 0 to this.
MAX_LATTICE_BITS = 60
#: The lattice of a run that is told nothing else.
RUN = Fraction(1, 2**draws.BITS)


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
    plain = {name: _plain(given[name]) for name in names}
    if step != RUN:
        _check_stands_for_a_run(mechanism, plain, step)
    return plain


def check_lattice(step: Fraction) -> None:
    """A run's lattice is the multiples of 1, or 1/2, or 1/4 and so on."""
    if step.numerator != 1 or step.denominator & (step.denominator - 1) or step.denominator > 2**MAX_LATTICE_BITS:
        raise Doubt(f"the lattice step {_short(step)} is not one that a run has: 1, 1/2, 1/4, …")


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
            if distance < 0:
                raise Doubt(f"neighbours in {name} are {_short(distance)} apart, and no distance is below 0")
            if distance % step != 0 and not _whole(parameter.type):
                raise Doubt(f"neighbours in {name} are {_short(distance)} apart, not a multiple of the lattice step")
        rule = parameter.relation.broken(left[name], right[name], distance)
        if rule is not None:
            raise Doubt(f"left and right are not neighbours in {name}: {rule}")


def has_lattice_noise(mechanism: ir.Mechanism) -> bool:
    """Whether the mechanism itself draws noise that lies on the lattice."""
    every = walk.statements(mechanism.body)
    return bool({each.kind for each in every if isinstance(each, ir.Sample)} & {"laplace", "exponential", "gaussian"})


# --- may this lattice stand for the one of a run? ------------------------------------------------------------


def _check_stands_for_a_run(mechanism: ir.Mechanism, given: Mapping[str, Value], step: Fraction) -> None:
    """Raise Doubt unless the program stays on this lattice as it stays on a run's.

    Without noise on the lattice nothing depends on it. δ and ρ depend on it always. Beyond that, every constant must
    lie on the lattice, and nothing may leave it by a division or by a product of fractions.
    """
    every = list(walk.statements(mechanism.body))
    called = any(isinstance(each, ir.Call) for each in every)
    if not called and not has_lattice_noise(mechanism):
        return
    run = f"check it on multiples of {RUN}, as a run has them"
    if isinstance(mechanism.claim, ir.ApproximateClaim | ir.ZcdpClaim):
        raise Doubt(f"a claim of δ or ρ depends on the lattice, and {step} is not that of a run: {run}")
    if called:
        raise Doubt(f"{mechanism.name} calls mechanisms whose numbers may lie between multiples of {step}: {run}")
    for value in _constants(mechanism, given):
        if not _carries(step, value):
            raise Doubt(f"{_short(value)} lies between multiples of {step}: {run}")
    for node in _computed(every):
        if _public(mechanism, given, node) is None and _leaves(mechanism, given, node, step):
            raise Doubt(f"'{node.operator}' at {node.span} can leave the multiples of {step}: {run}")


def _constants(mechanism: ir.Mechanism, given: Mapping[str, Value]) -> Iterator[Fraction]:
    """Every number in the program, every public number, and every number computed from those alone."""
    for parameter in mechanism.parameters:
        if not parameter.private:
            yield from _numbers(given[parameter.name])
    every = list(walk.statements(mechanism.body))
    for expression in (one for each in every for one in walk.expressions(each)):
        yield from (node.value for node in walk.nodes(expression) if isinstance(node, ir.Number))
    for node in _computed(every):
        value = _public(mechanism, given, node)
        if value is not None:
            yield value


def _computed(every: list[ir.Statement]) -> Iterator[ir.Arithmetic]:
    """All arithmetic but that inside a draw's parameters: those scale the noise and move nothing."""
    for statement in every:
        if not isinstance(statement, ir.Sample):
            for expression in walk.expressions(statement):
                yield from (node for node in walk.nodes(expression) if isinstance(node, ir.Arithmetic))


def _public(mechanism: ir.Mechanism, given: Mapping[str, Value], node: ir.Expression) -> Fraction | None:
    """The value of an expression of public parameters and numbers alone."""
    changed = {name for each in walk.statements(mechanism.body) for name in walk.targets(each)}
    public = {each.name for each in mechanism.parameters if not each.private} - changed
    inner = any(isinstance(part, ir.Comprehension) for part in walk.nodes(node))
    if inner or not walk.names(node) <= public:
        return None
    types = {parameter.name: parameter.type for parameter in mechanism.parameters}
    try:
        return Fraction(Evaluator(given, (), types).number(node))
    except (LapwingError, TypeError, ZeroDivisionError):
        return None


def _leaves(mechanism: ir.Mechanism, given: Mapping[str, Value], node: ir.Arithmetic, step: Fraction) -> bool:
    """Whether a result may be no multiple of ``step`` though both operands are."""
    if node.operator == "/":
        return True
    sides = (_public(mechanism, given, side) for side in (node.left, node.right))
    return node.operator == "*" and step < 1 and not any(side is not None and side.denominator == 1 for side in sides)


def _carries(step: Fraction, value: Fraction) -> bool:
    """Whether ``value`` is a multiple of ``step`` as far as powers of two go, or of no step that a run has."""
    return (value / step).denominator % 2 == 1 or (value / RUN).denominator % 2 == 0


def _numbers(value: Value) -> Iterator[Fraction]:
    if isinstance(value, tuple):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, int | Fraction) and not isinstance(value, bool):
        yield Fraction(value)


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

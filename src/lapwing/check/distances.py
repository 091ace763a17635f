"""How far the value of an expression can move between neighbours, given that what was released is equal.

The one idea: a distance is a formula in the public parameters, or None where nothing bounds it. Noise may stand in
one place only, as a term of a sum: that sum is released, at the price of the distance of the other term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.check.couplings.doubt import at
from lapwing.check.polynomials import Quotient, unknown
from lapwing.check.prices import Parameters
from lapwing.program import ir, walk

ZERO = Quotient.of(0)
Distance = Quotient | None


@dataclass(frozen=True, slots=True)
class Distances:
    """What is known so far: the distance of each variable, and the noise that waits to be added to a value."""

    mechanism: ir.Mechanism
    parameters: Parameters
    protect: Callable[[ir.Sample, ir.Expression, Distance], None]
    known: dict[str, Distance] = field(default_factory=dict)
    waiting: dict[str, ir.Sample] = field(default_factory=dict)

    def released(self, node: ir.Expression) -> bool:
        """Whether ``node`` is equal in both runs."""
        found = self.of(node)
        return found is not None and found.above.is_zero

    def of(self, node: ir.Expression) -> Distance:
        """How far ``node`` can move; None when nothing bounds it."""
        match node:
            case ir.Arithmetic("+" | "-", ir.Name(noise), other) if noise in self.waiting:
                return self._noisy(self.waiting[noise], other)
            case ir.Arithmetic("+" | "-", other, ir.Name(noise)) if noise in self.waiting:
                return self._noisy(self.waiting[noise], other)
            case ir.Name(name) if name in self.waiting:
                raise at(node, "this noise is not added to a value")
            case ir.Name(name) if name in self.known:
                return self.known[name]
            case ir.Name(name):
                return self._parameter(node, name)
            case ir.Number() | ir.Truth():
                return ZERO
            case ir.Negate(operand) | ir.Builtin("abs", (operand,)):
                return self.of(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return _sum(self.of(left), self.of(right))
            case ir.Arithmetic("*", ir.Number(factor), other) | ir.Arithmetic("*", other, ir.Number(factor)):
                return _times(self.of(other), factor)
            case ir.Arithmetic("/", other, ir.Number(factor)) if factor:
                return _times(self.of(other), 1 / factor)
            case ir.Builtin("sum" | "len" as function, (items,)):
                return self._aggregate(node, function, items)
            case ir.Index(ir.Name(name), index) if self.released(index):
                return self._element(node, name)
            case ir.Builtin("clip", (value, low, high)) if self.released(low) and self.released(high):
                found, within = self.of(value), range_of(node)  # clipping brings nothing further apart
                return Quotient.of(within[1] - within[0]) if found is None and within is not None else found
            case ir.Conditional() if (within := range_of(node)) is not None:
                return Quotient.of(within[1] - within[0])
        if all(self.released(part) for part in _operands(node)):
            return ZERO
        raise at(node, "the distance of this expression is not derived")

    def _noisy(self, draw: ir.Sample, other: ir.Expression) -> Distance:
        self.protect(draw, other, self.of(other))
        return ZERO

    def _parameter(self, node: ir.Node, name: str) -> Distance:
        parameter = self.mechanism.parameter(name)
        if parameter is None or (parameter.private and isinstance(parameter.type, ir.List | ir.Tuple)):
            raise at(node, f"'{name}' as a whole is not covered by sensitivity proofs")
        return self._declared(parameter)

    def _element(self, node: ir.Node, name: str) -> Distance:
        parameter = self.mechanism.parameter(name)
        if parameter is None:
            raise at(node, f"'{name}' is not a parameter")
        return self._declared(parameter)

    def _declared(self, parameter: ir.Parameter) -> Distance:
        """How far a number, or one element of a list, may move by the neighbour relation."""
        if not parameter.private:
            return ZERO
        return None if parameter.distance is None else self.parameters.of(parameter.distance)

    def _aggregate(self, node: ir.Node, function: str, items: ir.Expression) -> Distance:
        """``sum`` or ``len`` of a private list, or of a comprehension over one."""
        match items:
            case ir.Name(over):
                plain, filtered, found = True, False, None
            case ir.Comprehension(value, ir.Over(items=((variable, ir.Name(over)),), index=None), condition):
                plain, filtered, found = value == ir.Name(variable), condition is not None, range_of(value)
                read = walk.names(value) | (walk.names(condition) if condition is not None else frozenset())
                if not all(self.released(ir.Name(name)) for name in read - {variable}):
                    raise at(node, "a comprehension mixes private values")
            case _:
                raise at(node, "the distance of this expression is not derived")
        parameter = self.mechanism.parameter(over)
        if parameter is None or parameter.relation is None:
            raise at(node, "this is not computed from a private list")
        kind, few = parameter.relation.kind, parameter.relation.kind in ("added", "replaced", "one")
        if function == "len":
            changes = filtered or kind == "added"
            return ZERO if not changes else Quotient.of(1) if few else None
        if plain and not filtered and parameter.distance is not None:
            each = self.parameters.of(parameter.distance)
            return each if kind == "one" else each * unknown(f"len({over})")
        if not few or found is None:
            return None
        low, high = (min(found[0], Fraction(0)), max(found[1], Fraction(0))) if filtered else found
        # one row more or fewer adds or takes one term; one row changed swaps one term for another
        return Quotient.of(max(abs(low), abs(high)) if kind == "added" else high - low)


def range_of(node: ir.Expression) -> tuple[Fraction, Fraction] | None:
    """Numbers between which ``node`` always lies, whatever its variables hold."""
    match node:
        case ir.Number(value):
            return value, value
        case ir.Negate(operand) if (found := range_of(operand)) is not None:
            return -found[1], -found[0]
        case ir.Conditional(_, then, otherwise):
            a, b = range_of(then), range_of(otherwise)
            return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))
        case ir.Builtin("clip", (_, low, high)):
            a, b = range_of(low), range_of(high)
            return None if a is None or b is None else (a[0], max(a[1], b[1]))
    return None


def _operands(node: ir.Expression) -> list[ir.Expression]:
    """The scalars that a scalar expression is computed from."""
    match node:
        case ir.Arithmetic(_, left, right) | ir.Compare(_, left, right):
            return [left, right]
        case ir.And(operands) | ir.Or(operands) | ir.Builtin("min" | "max" | "clip" | "abs", operands):
            return list(operands)
        case ir.Not(operand) | ir.Negate(operand):
            return [operand]
        case ir.Conditional(condition, then, otherwise):
            return [condition, then, otherwise]
    raise at(node, "the distance of this expression is not derived")


def _sum(left: Distance, right: Distance) -> Distance:
    return None if left is None or right is None else left + right


def _times(distance: Distance, factor: Fraction) -> Distance:
    if factor == 0:
        return ZERO
    return None if distance is None else distance * Quotient.of(abs(factor))

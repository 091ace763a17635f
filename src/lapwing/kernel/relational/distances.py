"""How far the value of an expression can move between neighbours, given that what was released is equal.

The one idea: a distance is a formula in the public parameters, or None where nothing bounds it. Noise may stand in
one place only, as a term of a sum: that sum is released, at the price of the distance of the other term.

Each rule is a line of Fuzz's type system ([RP10]): a sum moves by the sum of the distances, a public factor c scales a
distance by |c|, so its sign has to be known (a divisor that is 0 stops every run alike), and clipping brings nothing
further apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Quotient, unknown
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import type_of, types_of

ZERO = Quotient.of(0)
Distance = Quotient | None
#: The ends between which a value lies.
Ends = tuple[Quotient, Quotient]


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
            case ir.Arithmetic("*", factor, other) if (size := self._public(factor)) is not None:
                return self._times(node, self.of(other), size)
            case ir.Arithmetic("*" | "/" as symbol, other, factor) if (size := self._public(factor)) is not None:
                return self._times(node, self.of(other), size if symbol == "*" else Quotient.of(1) / size)
            case ir.Builtin("sum" | "len" as function, (items,)):
                return self._aggregate(node, function, items)
            case ir.Index(ir.Name(name), index) if self.released(index):
                return self._element(node, name)
            case ir.Builtin("clip", (value, low, high)) if self.released(low) and self.released(high):
                found = self.of(value)
                return found if found is not None else _width(self.range_of(node))
            case ir.Builtin("max" | "min", (ir.Name(name),)) if self._is_shared_list(name):
                return self._element(node, name)  # no further than its elements, and 0 where there is none
            case ir.Builtin("max" | "min", (first, second)) if not (self.released(first) and self.released(second)):
                sides = self.of(first), self.of(second)
                most = self._most(*sides)
                return most if most is not None else _sum(*sides)
            case ir.Conditional() if (within := self.range_of(node)) is not None:
                return _width(within)
            case ir.Builtin("%", (operand, _)) if (within := self.range_of(node)) is not None:
                return ZERO if self.released(operand) else _width(within)
        if all(self.released(part) for part in _operands(node)):
            return ZERO
        raise at(node, "the distance of this expression is not derived")

    def moves_whole(self, node: ir.Expression) -> bool:
        """Whether the second run's value less the first's is a whole number: both are, or the runs agree, or sums."""
        if type_of(node, types_of(self.mechanism)) == ir.Integer():
            return True
        match node:
            case ir.Negate(operand):
                return self.moves_whole(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return self.moves_whole(left) and self.moves_whole(right)
        return self.released(node)

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
        if not parameter.as_long:
            return None  # one row more or fewer moves every row behind it to another place
        return self._declared(parameter)

    def _is_shared_list(self, name: str) -> bool:
        """Whether this is a private list of numbers as long in both runs."""
        parameter = self.mechanism.parameter(name)
        shared = parameter is not None and parameter.private and parameter.as_long
        return shared and name not in self.known

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
                plain, filtered, found = value == ir.Name(variable), condition is not None, self.range_of(value)
                read = walk.names(value) | (walk.names(condition) if condition is not None else frozenset())
                if variable in self.known or self.mechanism.parameter(variable) is not None:
                    raise at(node, f"'{variable}' means two things")
                if not all(self.released(ir.Name(name)) for name in read - {variable}):
                    raise at(node, "a comprehension mixes private values")
            case _:
                raise at(node, "the distance of this expression is not derived")
        parameter = self.mechanism.parameter(over)
        if parameter is not None and not parameter.private and over not in self.known:
            return ZERO
        if parameter is None or parameter.relation is None:
            raise at(node, "this is not computed from a private list")
        kind, few = parameter.relation.kind, parameter.relation.kind in ("added", "replaced", "one")
        if function == "len":
            return ZERO if not filtered and kind != "added" else Quotient.of(1) if few else None
        if plain and not filtered and parameter.distance is not None:
            each = self.parameters.of(parameter.distance)
            return each if kind == "one" else each * unknown(f"len({over})")
        if not few or found is None:
            return None
        low: Distance = found[0]
        high: Distance = found[1]
        if filtered:  # a row that fails the test counts as 0
            low, high = self._least(low, ZERO), self._most(high, ZERO)
        if low is None or high is None:
            return None
        # one row more or fewer adds or takes one term; one row changed swaps one term for another
        return self._most(high, -low) if kind == "added" else high - low

    # --- public formulas ------------------------------------------------------------------------------------

    def _public(self, node: ir.Expression) -> Distance:
        """A formula over public parameters; None for anything else, also for released answers."""
        try:
            return self.parameters.of(node)
        except Unproved:
            return None

    def _times(self, node: ir.Node, distance: Distance, factor: Quotient) -> Distance:
        """A distance times |factor|, whose sign has to be known."""
        if factor.above.is_zero or (distance is not None and distance.above.is_zero):
            return ZERO
        size = self._most(factor, -factor)
        if size is None:
            raise at(node, "whether this factor is above or below 0 is not known: say so with an assert")
        return None if distance is None else distance * size

    def _most(self, left: Quotient | None, right: Quotient | None) -> Quotient | None:
        """The larger of two formulas, if it is always the same one."""
        if left is None or right is None:
            return None
        if self.parameters.entailed((), (), left - right):
            return left
        return right if self.parameters.entailed((), (), right - left) else None

    def _least(self, left: Quotient | None, right: Quotient | None) -> Quotient | None:
        found = self._most(left, right)
        return found if found is None else right if found is left else left

    def range_of(self, node: ir.Expression) -> Ends | None:
        """Public formulas between which ``node`` always lies, whatever its private variables hold."""
        public = self._public(node)
        if public is not None:
            return public, public
        low: Quotient | None
        high: Quotient | None
        match node:
            case ir.Negate(operand) if (found := self.range_of(operand)) is not None:
                return -found[1], -found[0]
            case ir.Conditional(_, then, otherwise):
                a, b = self.range_of(then), self.range_of(otherwise)
                # only the side that is taken has a value: which end is larger is asked where both ends have one
                if a is None or b is None or not self.parameters.never_zero((), [each.below for each in (*a, *b)]):
                    return None
                low, high = self._least(a[0], b[0]), self._most(a[1], b[1])
                return None if low is None or high is None else (low, high)
            case ir.Builtin("clip", (_, bottom, top)):  # max(bottom, min(value, top)), also where bottom > top
                a, b = self.range_of(bottom), self.range_of(top)
                high = None if a is None or b is None else self._most(a[1], b[1])
                return None if a is None or high is None else (a[0], high)
            case ir.Builtin("%", (operand, divisor)) if (size := self._public(divisor)) is not None:
                least, whole = size - Quotient.of(1), type_of(operand, types_of(self.mechanism)) == ir.Integer()
                # a rest of whole numbers: of a divisor of 1 or more, from 0 to one less than it
                return (ZERO, least) if whole and self.parameters.entailed((), (), least) else None
            case ir.Arithmetic("*", left, right):
                for factor, other in ((left, right), (right, left)):
                    if (size := self._public(factor)) is not None:
                        return self._scaled(self.range_of(other), size)
            case ir.Arithmetic("/", other, factor) if (size := self._public(factor)) is not None:
                return self._scaled(self.range_of(other), Quotient.of(1) / size)
            case ir.Arithmetic("+" | "-" as symbol, left, right):
                a, b = self.range_of(left), self.range_of(right)
                if a is None or b is None:
                    return None
                return (a[0] + b[0], a[1] + b[1]) if symbol == "+" else (a[0] - b[1], a[1] - b[0])
        return None

    def _scaled(self, ends: Ends | None, factor: Quotient) -> Ends | None:
        if ends is None:
            return None
        size = self._most(factor, -factor)
        if size is None:
            return None
        return (ends[0] * factor, ends[1] * factor) if size is factor else (ends[1] * factor, ends[0] * factor)


def _width(ends: Ends | None) -> Distance:
    return None if ends is None else ends[1] - ends[0]


def _operands(node: ir.Expression) -> list[ir.Expression]:
    """The scalars that a scalar expression is computed from."""
    match node:
        case ir.Arithmetic(_, left, right) | ir.Compare(_, left, right):
            return [left, right]
        case ir.And(operands) | ir.Or(operands) | ir.Builtin("min" | "max" | "clip" | "abs" | "/", operands):
            return list(operands)
        case ir.Not(operand) | ir.Negate(operand):
            return [operand]
        case ir.Conditional(condition, then, otherwise):
            return [condition, then, otherwise]
    raise at(node, "the distance of this expression is not derived")


def _sum(left: Distance, right: Distance) -> Distance:
    return None if left is None or right is None else left + right

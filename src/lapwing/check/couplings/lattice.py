"""Are shifts lattice values? Noise lives on the multiples of some 2^-k, and moving it off them would lose mass.

The one idea: a sum of whole multiples of lattice values is a lattice value. On the lattice are whole numbers, private
inputs (a run floors them), noise, and the declared distances (a run refuses others); public reals need not be. A shift
mostly uses distances ``hat(x)``, and those are on the lattice for more variables: ``threshold + noise`` moves only as
the noise does.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from lapwing.check.couplings.branches import runs_may_part
from lapwing.check.couplings.doubt import Unproved
from lapwing.check.couplings.formulas import number
from lapwing.program import ir, walk
from lapwing.program.evaluate import type_of


@dataclass(slots=True)
class Lattice:
    """Which variables of a mechanism hold lattice values in both runs, and which have lattice distances."""

    mechanism: ir.Mechanism
    types: dict[str, ir.Type]
    step: Fraction = Fraction(1)
    values: set[str] = field(default_factory=set)
    distances: set[str] = field(default_factory=set)
    _apart: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for parameter in self.mechanism.parameters:
            if isinstance(parameter.distance, ir.Number) and parameter.distance.value > 0:
                self.step = _common(self.step, parameter.distance.value)
            if isinstance(parameter.distance, ir.Name):
                self.values.add(parameter.distance.name)
            if parameter.private or parameter.type == ir.Integer():
                self.values.add(parameter.name)
        self.values |= {name for name, kind in self.types.items() if kind == ir.Integer()}
        public = {parameter.name for parameter in self.mechanism.parameters if not parameter.private}
        settings = list(walk.statements(self.mechanism.body))
        for statement in settings:
            if isinstance(statement, ir.If) and runs_may_part(statement, self.types):
                self._apart |= {name for each in walk.statements((statement,)) for name in walk.targets(each)}
        local = {name for statement in settings for name in walk.targets(statement)}
        self.values |= local
        self.distances |= local | self.values | public
        while True:  # both sets only shrink, so this ends
            before = len(self.values), len(self.distances)
            for statement in settings:
                self._drop(statement)
            if (len(self.values), len(self.distances)) == before:
                return

    def _drop(self, statement: ir.Statement) -> None:
        """Take out what this statement sets to something else."""
        for name in walk.targets(statement):
            if self.types[name] == ir.Integer():
                continue
            valued, distanced = self._set(statement, name)
            if not valued:
                self.values.discard(name)
            # runs may take different branches: then the distance is one of two different expressions' values
            if not valued and (not distanced or name in self._apart):
                self.distances.discard(name)

    def _set(self, statement: ir.Statement, name: str) -> tuple[bool, bool]:
        match statement:
            case ir.Sample(kind="laplace" | "exponential"):
                return True, True
            case ir.Assign(_, value):
                return self.on(value), self.moves_on(value)
            case ir.For(ir.Over(items=items), _):
                source = dict(items)[name]
                private = isinstance(source, ir.Name) and self._private(source.name)
                return private, private
        return False, False

    def _private(self, name: str) -> bool:
        parameter = self.mechanism.parameter(name)
        return parameter is not None and parameter.private

    def on(self, node: ir.Expression) -> bool:
        """Whether the value of ``node`` is on the lattice."""
        if type_of(node, self.types) == ir.Integer():
            return True
        match node:
            case ir.Number(value):
                return self.constant(value)
            case ir.Name(name):
                return name in self.values
            case ir.Negate(operand):
                return self.on(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return self.on(left) and self.on(right)
            case ir.Arithmetic("*", left, right):
                whole = ir.Integer() in (type_of(left, self.types), type_of(right, self.types))
                return whole and self.on(left) and self.on(right)
            case ir.Conditional(_, then, otherwise):
                return self.on(then) and self.on(otherwise)
            case ir.Builtin("sum" | "min" | "max", (items,)):
                return self._elements_on(items)
            case ir.Builtin("abs" | "min" | "max" | "clip", arguments):
                return all(self.on(argument) for argument in arguments)
            case ir.Index(ir.Name(name), _):
                return self._private(name)
        return False

    def _elements_on(self, items: ir.Expression) -> bool:
        match items:
            case ir.Name(name):
                return self._private(name)
            case ir.Comprehension(element, ir.Over(items=((variable, ir.Name(name)),)), _) if self._private(name):
                self.values.add(variable)  # comprehensions have variables of their own, seen nowhere else
                return self.on(element)
        return False

    def moves_on(self, node: ir.Expression) -> bool:
        """Whether the second run's value of ``node`` less the first's is on the lattice."""
        match node:
            case _ if self.on(node):
                return True
            case ir.Number():
                return True
            case ir.Name(name):
                return name in self.distances
            case ir.Negate(operand):
                return self.moves_on(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return self.moves_on(left) and self.moves_on(right)
        return False

    def constant(self, value: Fraction) -> bool:
        """Whether a number is a whole combination of 1 and the declared distances."""
        return (value / self.step).denominator == 1

    def check_shift(self, node: ast.expr) -> None:
        """Refuse a shift that is not a sum of whole multiples of lattice values and lattice distances."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.check_shift(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                self.check_shift(left)
                return self.check_shift(right)
            case ast.BinOp(left=ast.Constant() as factor, op=ast.Mult(), right=right) if (
                number(factor).denominator == 1
            ):
                return self.check_shift(right)
            case ast.Constant() if self.constant(number(node)):
                return None
            case ast.Name(id=name) if name in self.values:
                return None
            case ast.Call(func=ast.Name(id="hat"), args=[ast.Name(id=name)], keywords=[]) if name in self.distances:
                return None
            case ast.Call(func=ast.Name(id="hat"), args=[ast.Subscript(value=ast.Name(id=name))], keywords=[]) if (
                self._private(name)
            ):
                return None
        raise Unproved(f"the shift {ast.unparse(node)[:60]!r} need not be a lattice value")


def _common(left: Fraction, right: Fraction) -> Fraction:
    """The largest number of which both are whole multiples."""
    below = lcm(left.denominator, right.denominator)
    return Fraction(gcd(int(left * below), int(right * below)), below)

"""Are shifts lattice values? Noise lives on the multiples of some 2^-k, and moving it off them would lose mass.

The one idea: a sum of whole multiples of lattice values is a lattice value. On the lattice are whole numbers, private
inputs (a run floors them), noise, and the declared distances (a run refuses others); public reals need not be. A shift
mostly uses distances ``hat(x)``, and those are on the lattice for more variables: ``threshold + noise`` moves only as
the noise does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from lapwing.check.couplings.branches import runs_may_part
from lapwing.program import ir, walk
from lapwing.program.evaluate import type_of

#: What a shift may say besides + - * and numbers; whether it is on the lattice depends on what it is said of.
_WORDS = frozenset({"%hat", "%other", "abs", "min", "max"})


@dataclass(slots=True)
class Lattice:
    """Which variables of a mechanism hold lattice values in both runs, and which have lattice distances."""

    mechanism: ir.Mechanism
    types: dict[str, ir.Type] = field(default_factory=dict)
    step: Fraction = Fraction(1)
    values: set[str] = field(default_factory=set)
    distances: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.types = {each.name: each.type for each in self.mechanism.parameters}
        self.types |= {each.name: each.type for each in self.mechanism.variables}
        settings = list(walk.statements(self.mechanism.body))
        apart: set[str] = set()
        for statement in settings:
            if isinstance(statement, ir.If) and runs_may_part(statement, self.types):
                apart |= {name for each in walk.statements((statement,)) for name in walk.targets(each)}
        self.values = {name for each in settings for name in walk.targets(each)}
        for part in walk.nodes(self.mechanism):
            if isinstance(part, ir.Comprehension):  # only looked up where it walks over lattice values
                self.values |= {*part.source.targets}
        for parameter in self.mechanism.parameters:
            if isinstance(parameter.distance, ir.Number) and parameter.distance.value > 0:
                self.step = _common(self.step, parameter.distance.value)
            if isinstance(parameter.distance, ir.Name):
                self.values.add(parameter.distance.name)
            if parameter.private:
                self.values.add(parameter.name)
        public = {parameter.name for parameter in self.mechanism.parameters if not parameter.private}
        self.distances = self.values | public
        while True:  # both sets only shrink, so this ends
            before = len(self.values), len(self.distances)
            for statement in settings:
                for name in walk.targets(statement):
                    self._drop(statement, name, apart=name in apart)
            if (len(self.values), len(self.distances)) == before:
                return

    def _drop(self, statement: ir.Statement, name: str, *, apart: bool) -> None:
        """Take ``name`` out if this statement sets it to something else."""
        valued, moving = False, False
        match statement:
            case ir.Sample(kind="laplace" | "exponential"):
                valued = True
            case ir.Assign(_, value):
                valued, moving = self.on(value), self.moves_on(value)
            case ir.For(ir.Over(items=items), _) if name in dict(items):
                valued = self._elements_on(dict(items)[name])
        if valued or self.types[name] == ir.Integer():
            return
        self.values.discard(name)
        if apart or not moving:  # runs that take different branches set it to the values of two expressions
            self.distances.discard(name)

    def on(self, node: ir.Expression) -> bool:
        """Whether the value of ``node`` is on the lattice, in either run."""
        if type_of(node, self.types) == ir.Integer():
            return True
        match node:
            case ir.Number(value):
                return (value / self.step).denominator == 1
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
            case ir.Builtin("%hat", (operand,)):
                return self.moves_on(operand)
            case ir.Builtin("sum" | "min" | "max", (items,)):
                return self._elements_on(items)
            case ir.Builtin("abs" | "min" | "max" | "clip" | "%other", arguments):
                return all(self.on(argument) for argument in arguments)
            case ir.Index(items, _):
                return self._elements_on(items)
        return False

    def _elements_on(self, items: ir.Expression) -> bool:
        """Whether all elements of a list are on the lattice: a private list, or values computed from one."""
        match items:
            case ir.Name(name):
                parameter = self.mechanism.parameter(name)
                return parameter is not None and parameter.private
            case ir.Comprehension(element, ir.Over(items=((_, ir.Name() as source),))):
                return self._elements_on(source) and self.on(element)
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

    def allows(self, shift: ir.Expression) -> bool:
        """Whether a shift is certainly a lattice value."""
        said = {part.function for part in walk.nodes(shift) if isinstance(part, ir.Builtin)}
        return said <= _WORDS and self.on(shift)


def _common(left: Fraction, right: Fraction) -> Fraction:
    """The largest number of which both are whole multiples."""
    below = lcm(left.denominator, right.denominator)
    return Fraction(gcd(int(left * below), int(right * below)), below)

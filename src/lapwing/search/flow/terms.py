"""The terms of the kernel's walk, built for Z3: the search asks its own solver about the same two runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3  # type: ignore[import-untyped]  # z3 ships no type information
from cvc5 import Kind  # type: ignore[import-untyped]  # cvc5 ships no type information

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.search.solving import limited_solver

#: A term of the solver, which has no type information.
Scalar = Any
#: How long the solver may think about one question.
MILLISECONDS = 2000


def _if(condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    if then.eq(otherwise) or z3.is_true(condition):
        return then
    return otherwise if z3.is_false(condition) else z3.If(condition, then, otherwise)


_BUILT: dict[Any, Callable[..., Scalar]] = {
    Kind.ADD: lambda left, right: left + right,
    Kind.SUB: lambda left, right: left - right,
    Kind.MULT: lambda left, right: left * right,
    Kind.DIVISION: lambda left, right: left / right,
    Kind.INTS_DIVISION: lambda left, right: left / right,
    Kind.LT: lambda left, right: left < right,
    Kind.LEQ: lambda left, right: left <= right,
    Kind.GT: lambda left, right: left > right,
    Kind.GEQ: lambda left, right: left >= right,
    Kind.EQUAL: lambda left, right: left == right,
    Kind.NOT: lambda term: z3.simplify(z3.Not(term)),
    Kind.AND: lambda *terms: z3.simplify(z3.And(*terms)),
    Kind.OR: lambda *terms: z3.simplify(z3.Or(*terms)),
    Kind.IMPLIES: z3.Implies,
    Kind.ITE: _if,
    Kind.TO_REAL: z3.ToReal,
    Kind.SELECT: z3.Select,
    Kind.STORE: z3.Store,
}


@dataclass(slots=True)
class Z3Terms(Terms):
    """Z3's terms; who reads formulas gives ``numbered=False``, so that unknowns keep their names."""

    deadline: float = math.inf
    numbered: bool = True

    def term(self, kind: Any, *parts: Scalar) -> Scalar:  # noqa: ANN401  # a kind of the kernel's solver
        """What the kernel's solver calls a term of that kind."""
        return _BUILT[kind](*parts)

    def sort(self, kind: ir.Type) -> Scalar:
        """The sort of a scalar type."""
        match kind:
            case ir.Real():
                return z3.RealSort()
            case ir.Integer():
                return z3.IntSort()
            case ir.Boolean():
                return z3.BoolSort()
        raise Unproved("a list of lists or of tuples is not followed")

    def number(self, value: Fraction | int, *, real: bool = False) -> Scalar:
        """An exact number."""
        value = Fraction(value)
        return z3.IntVal(value.numerator) if value.denominator == 1 and not real else z3.RealVal(value)

    def truth(self, value: bool) -> Scalar:
        """True or False."""
        return z3.BoolVal(value)

    def fresh(self, kind: ir.Type, name: str) -> Scalar:
        """Any value of a scalar type."""
        return z3.Const(self._named(name), self.sort(kind))

    def array(self, kind: ir.Type, name: str) -> Scalar:
        """Any elements of a list."""
        return z3.Array(f"{self._named(name)}[]", z3.IntSort(), self.sort(kind))

    def blank(self, kind: ir.Type) -> Scalar:
        """What stands beyond the end of lists: nothing that a formula would have to speak of."""
        return z3.K(z3.IntSort(), self.sort(kind).cast(False if isinstance(kind, ir.Boolean) else 0))

    def is_truth(self, term: Scalar) -> bool:
        """Whether a term is a truth value."""
        return bool(z3.is_bool(term))

    def is_whole(self, term: Scalar) -> bool:
        """Whether a term is a whole number."""
        return bool(z3.is_int(term))

    def entailed(self, facts: Iterable[Scalar], goal: Scalar, logic: str = "") -> bool:  # noqa: ARG002  # Z3 needs none
        """Whether the facts leave no way for ``goal`` to fail; raises Unproved when time is up."""
        if z3.is_true(z3.simplify(goal)):
            return True
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Unproved("the time limit passed")
        solver = limited_solver(int(min(MILLISECONDS, 1000 * left)) + 1)
        solver.add(*facts, z3.Not(goal))
        return bool(solver.check() == z3.unsat)

    def _named(self, name: str) -> str:
        self._fresh += 1
        return f"{name}!{self._fresh}" if self.numbered else name

"""Numbers, truth values and lists as terms of a solver, and the one question asked of it.

The one idea: *entailed* means the solver showed that the facts and the negated goal have no model. A model, a time-out
and an honest "unknown" all count as no. Every term built and every question counts against the limit of the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import cycle
from math import prod
from typing import Any

import cvc5  # type: ignore[import-untyped]  # cvc5 ships no type information
from cvc5 import Kind

from lapwing.kernel.boundary import Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir

#: A term of the solver; cvc5 has no type information.
Term = Any
#: How long the solver may think about one question, in its own steps of work: about so many make a millisecond of
#: computing. Steps are the same on a busy machine; the clock, with its patience, is for what it does between them.
MILLISECONDS, STEPS, PATIENCE = 5000, 250, 4
#: Counts to try first, in turn, where whole numbers are asked about: two of all, ten, much of some and one of others.
EXAMPLES = (2,), (10,), (100, 1), (1, 100)

_MULTIPLIED_OUT = (Kind.ADD, Kind.SUB, Kind.MULT, Kind.DIVISION, Kind.TO_REAL)
_ARITHMETIC = {"+": Kind.ADD, "-": Kind.SUB, "*": Kind.MULT, "/": Kind.DIVISION}
#: More products than the sum has that a term is when it is multiplied out. The solver does that before it looks at its
#: clock, so that a number which was squared again and again would never come back.
MAX_PRODUCTS = 10_000
_ORDER = {"<": Kind.LT, "<=": Kind.LEQ, ">": Kind.GT, ">=": Kind.GEQ}


@dataclass(slots=True)
class Terms:
    """Builds terms and asks questions. Whole numbers become reals wherever a real is beside them."""

    manager: Any = field(default_factory=cvc5.TermManager)
    milliseconds: int = MILLISECONDS
    limit: Limit = field(default_factory=Limit)
    questions: int = 0
    _fresh: int = 0
    #: the whole unknowns made so far
    _counts: list[Term] = field(default_factory=list)
    #: by the solver's number of a term: how many products it is the sum of, if they are more than one
    _products: dict[int, int] = field(default_factory=dict)

    def term(self, kind: Any, *parts: Term) -> Term:  # noqa: ANN401  # a kind of the solver
        """A term of that kind; it counts against the limit of the check."""
        self.limit.count()
        made = self.manager.mkTerm(kind, *parts)
        if kind in _MULTIPLIED_OUT:
            sizes = [self._products.get(each.getId(), 1) for each in parts]
            size = sum(sizes) if kind in (Kind.ADD, Kind.SUB) else prod(sizes)
            if size > MAX_PRODUCTS:
                raise Unproved(f"a number is a sum of more than {MAX_PRODUCTS} products")
            if size > 1:
                self._products[made.getId()] = size
        return made

    # --- building -------------------------------------------------------------------------------------------

    def sort(self, kind: ir.Type) -> Any:  # noqa: ANN401  # a sort of the solver
        """The sort of a scalar type."""
        match kind:
            case ir.Real():
                return self.manager.getRealSort()
            case ir.Integer():
                return self.manager.getIntegerSort()
            case ir.Boolean():
                return self.manager.getBooleanSort()
        raise Unproved("a value is of a type that proofs do not cover here")

    def number(self, value: Fraction | int, *, real: bool = False) -> Term:
        """An exact number: a whole one as an integer unless ``real``."""
        value = Fraction(value)
        if value.denominator == 1 and not real:
            return self.manager.mkInteger(str(value.numerator))
        return self.manager.mkReal(f"{value.numerator}/{value.denominator}")

    def truth(self, value: bool) -> Term:
        """True or False."""
        return self.manager.mkBoolean(value)

    def fresh(self, kind: ir.Type, name: str) -> Term:
        """Any value of a scalar type, never used before."""
        self._fresh += 1
        made = self.manager.mkConst(self.sort(kind), f"{name}!{self._fresh}")
        if self.is_whole(made):
            self._counts.append(made)
        return made

    def function(self, kind: ir.Type, name: str) -> Term:
        """Any function from positions to values: the elements of a list."""
        self._fresh += 1
        sort = self.manager.mkFunctionSort(self.manager.getIntegerSort(), self.sort(kind))
        return self.manager.mkConst(sort, f"{name}!{self._fresh}")

    def at(self, function: Term, position: Term) -> Term:
        """The element at a position."""
        return self.term(Kind.APPLY_UF, function, position)

    def array(self, kind: ir.Type, name: str) -> Term:
        """Any elements of a list that is stored into; compared and chosen like a number."""
        self._fresh += 1
        sort = self.manager.mkArraySort(self.manager.getIntegerSort(), self.sort(kind))
        return self.manager.mkConst(sort, f"{name}!{self._fresh}")

    def blank(self, kind: ir.Type) -> Term:
        """What stands beyond the end of lists, and is never read: some array."""
        return self.array(kind, "beyond")

    def element(self, array: Term, position: Term) -> Term:
        """The element of an array at a position."""
        return self.term(Kind.SELECT, array, position)

    def stored(self, array: Term, position: Term, value: Term) -> Term:
        """The array with another element at a position."""
        return self.term(Kind.STORE, array, position, value)

    def is_truth(self, term: Term) -> bool:
        """Whether a term is a truth value."""
        return bool(term.getSort().isBoolean())

    def is_whole(self, term: Term) -> bool:
        """Whether a term is a whole number."""
        return bool(term.getSort().isInteger())

    def real(self, term: Term) -> Term:
        """A number as a real."""
        return self.term(Kind.TO_REAL, term) if self.is_whole(term) else term

    def alike(self, *terms: Term) -> list[Term]:
        """Terms of one sort: reals if any is."""
        if len({self.is_truth(term) for term in terms}) > 1:
            raise Unproved("a number stands beside a truth value")
        if self.is_truth(terms[0]) or all(self.is_whole(term) for term in terms):
            return list(terms)
        return [self.real(term) for term in terms]

    def arithmetic(self, operator: str, left: Term, right: Term) -> Term:
        """``left operator right``; a quotient is a real."""
        left, right = self.alike(left, right)
        if self.is_truth(left):
            raise Unproved("a truth value is used as a number")
        if operator == "/":
            left, right = self.real(left), self.real(right)
        return self.term(_ARITHMETIC[operator], left, right)

    def quotient(self, left: Term, right: Term) -> Term:
        """``left // right`` of whole numbers, rounded down as in Python; some number where ``right`` is 0."""
        if not (self.is_whole(left) and self.is_whole(right)):
            raise Unproved("only whole numbers have a quotient that is rounded down")
        # the solver rounds down for divisors above 0 only
        down = self.term(Kind.INTS_DIVISION, left, right)
        up = self.term(Kind.INTS_DIVISION, self.minus(left), self.minus(right))
        return self.choose(self.compare(">", right, self.number(0)), down, up)

    def polynomial(self, parts: Mapping[tuple[tuple[str, int], ...], Fraction], unknowns: Mapping[str, Term]) -> Term:
        """A sum of numbers times powers of unknowns."""
        total = self.number(0, real=True)
        for monomial, factor in parts.items():
            product = self.number(factor, real=True)
            for name, power in monomial:
                for _ in range(power):
                    product = self.arithmetic("*", product, unknowns[name])
            total = self.arithmetic("+", total, product)
        return total

    def compare(self, operator: str, left: Term, right: Term) -> Term:
        """A comparison of two numbers, or (``==`` and ``!=``) of two truth values."""
        left, right = self.alike(left, right)
        if operator in ("==", "!="):
            equal = self.term(Kind.EQUAL, left, right)
            return equal if operator == "==" else self.negate(equal)
        if self.is_truth(left):
            raise Unproved("truth values have no order")
        return self.term(_ORDER[operator], left, right)

    def negate(self, term: Term) -> Term:
        """``not term``."""
        return self.term(Kind.NOT, self._truth_value(term))

    def both(self, terms: Iterable[Term]) -> Term:
        """All of the terms."""
        return self._joined(Kind.AND, list(terms), empty=True)

    def either(self, terms: Iterable[Term]) -> Term:
        """Some of the terms."""
        return self._joined(Kind.OR, list(terms), empty=False)

    def _joined(self, kind: Any, terms: list[Term], *, empty: bool) -> Term:  # noqa: ANN401  # a kind of the solver
        if not terms:
            return self.truth(empty)
        terms = [self._truth_value(term) for term in terms]
        return terms[0] if len(terms) == 1 else self.term(kind, *terms)

    def implies(self, condition: Term, conclusion: Term) -> Term:
        """If ``condition`` then ``conclusion``."""
        return self.term(Kind.IMPLIES, condition, conclusion)

    def choose(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """``then if condition else otherwise``."""
        then, otherwise = self.alike(then, otherwise)
        return self.term(Kind.ITE, self._truth_value(condition), then, otherwise)

    def _truth_value(self, term: Term) -> Term:
        if not self.is_truth(term):
            raise Unproved("a number is used as a truth value")
        return term

    def smaller(self, first: Term, *others: Term) -> Term:
        """The smallest of some numbers."""
        for other in others:
            first = self.choose(self.compare("<=", first, other), first, other)
        return first

    def larger(self, first: Term, *others: Term) -> Term:
        """The largest of some numbers."""
        for other in others:
            first = self.choose(self.compare(">=", first, other), first, other)
        return first

    def minus(self, term: Term) -> Term:
        """``-term``."""
        return self.arithmetic("-", self.number(0), term)

    def magnitude(self, term: Term) -> Term:
        """The absolute value."""
        return self.larger(term, self.minus(term))

    # --- asking ---------------------------------------------------------------------------------------------

    def entailed(self, facts: Iterable[Term], goal: Term, logic: str = "QF_UFNIRA") -> bool:
        """Whether the facts leave no way for ``goal`` to fail; False when the solver cannot tell."""
        asked = [*facts, self.negate(goal)]
        if logic == "QF_NIRA":
            # an example often shows at once that there is a way; for one among all counts the solver may think for long
            every = self.both(asked)
            for some in EXAMPLES:
                counts = [self.number(each) for _, each in zip(self._counts, cycle(some), strict=False)]
                example = every.substitute(self._counts, counts)
                if example != every and self._answer([example], logic, self.milliseconds // 50).isSat():
                    return False
        return bool(self._answer(asked, logic, self.milliseconds).isUnsat())

    def fails(self, facts: Iterable[Term], goal: Term) -> bool:
        """Whether the solver soon finds reals for which ``goal`` fails and the facts hold."""
        return bool(self._answer([*facts, self.negate(goal)], "QF_NRA", self.milliseconds // 10).isSat())

    def _answer(self, asked: Iterable[Term], logic: str, milliseconds: int) -> Any:  # noqa: ANN401  # the solver's own
        self.questions += 1
        milliseconds = min(milliseconds, max(1, int(1000 * self.limit.left())))
        solver = cvc5.Solver(self.manager)
        solver.setOption("rlimit-per", str(STEPS * milliseconds))
        solver.setOption("tlimit-per", str(PATIENCE * milliseconds))
        solver.setLogic(logic)
        if logic == "QF_NRA":
            solver.setOption("nl-cov", "true")  # polynomials over the reals are decided by coverings
        for each in asked:
            solver.assertFormula(each)
        return solver.checkSat()

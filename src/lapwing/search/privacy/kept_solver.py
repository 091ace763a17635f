"""The kernel's terms with a solver that is kept from question to question, for whoever only searches.

The one idea: a new solver costs more than most questions, and a search asks hundreds. What is found here is put to the
kernel again, which makes a new solver for each question, so nothing rests on what a kept one remembers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import cvc5  # type: ignore[import-untyped]  # cvc5 ships no type information
from cvc5 import Kind

from lapwing.kernel.solver import PATIENCE, STEPS, Term, Terms

#: Milliseconds for the kept solver; what it cannot tell by then is asked of a new one.
AT_ONCE = 20
#: A kept solver grows slower with what it has seen, and is left after so many questions.
LIFETIME = 200


@dataclass(slots=True)
class KeptTerms(Terms):
    """Terms of the kernel's solver, with one solver kept for each logic."""

    _kept: dict[str, tuple[Any, int]] = field(default_factory=dict)
    #: whether unknowns were multiplied: a kept solver forgets its clock over products of whole numbers
    _multiplied: bool = False

    def term(self, kind: Any, *parts: Term) -> Term:  # noqa: ANN401  # a kind of the solver
        """A term of that kind."""
        if kind in (Kind.MULT, Kind.DIVISION, Kind.INTS_DIVISION):
            unknown = [each for each in parts if not (each.isIntegerValue() or each.isRealValue())]
            self._multiplied = self._multiplied or len(unknown) > 1 or kind == Kind.INTS_DIVISION
        return Terms.term(self, kind, *parts)

    def entailed(self, facts: Iterable[Term], goal: Term, logic: str = "QF_UFNIRA") -> bool:
        """As the kernel answers, but sooner."""
        facts = [*facts]
        if self._multiplied and logic != "QF_NRA":
            return Terms.entailed(self, facts, goal, logic)
        self.limit.left()
        solver = self._solver(logic)
        solver.push()
        try:
            for fact in (*facts, self.negate(goal)):
                solver.assertFormula(fact)
            answer = solver.checkSat()
        finally:
            solver.pop()
        if not answer.isUnknown():
            self.questions += 1
            return bool(answer.isUnsat())
        return Terms.entailed(self, facts, goal, logic)

    def _solver(self, logic: str) -> Any:  # noqa: ANN401  # cvc5 has no type information
        solver, asked = self._kept.get(logic, (None, LIFETIME))
        if asked >= LIFETIME:
            solver, asked = cvc5.Solver(self.manager), 0
            solver.setOption("incremental", "true")
            solver.setOption("rlimit-per", str(STEPS * AT_ONCE))
            solver.setOption("tlimit-per", str(PATIENCE * AT_ONCE))
            solver.setLogic(logic)
            if logic == "QF_NRA":
                solver.setOption("nl-cov", "true")  # as the kernel decides polynomials
        self._kept[logic] = solver, asked + 1
        return solver

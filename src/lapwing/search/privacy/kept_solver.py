"""The kernel's terms with a solver that is kept from question to question, for whoever only searches.

The one idea: a new solver costs more than most questions, and a search asks hundreds. What is found here is put to the
kernel again, which makes a new solver for each question, so nothing rests on what a kept one remembers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import cvc5  # type: ignore[import-untyped]  # cvc5 ships no type information

from lapwing.kernel.solver import PATIENCE, STEPS, Term, Terms

#: Milliseconds for the kept solver; what it cannot tell by then is asked of a new one.
AT_ONCE = 20
#: A kept solver grows slower with what it has seen, and is left after so many questions.
LIFETIME = 200


@dataclass(slots=True)
class KeptTerms(Terms):
    """Terms of the kernel's solver, with one solver kept for each logic."""

    _kept: dict[str, tuple[Any, int]] = field(default_factory=dict)

    def entailed(self, facts: Iterable[Term], goal: Term, logic: str = "QF_UFNIRA") -> bool:
        """As the kernel answers, but sooner."""
        facts = [*facts]
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

"""The goals of a walk, put to the solver one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.operators import operated
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms
from lapwing.kernel.symbolic.linear import Linear
from lapwing.kernel.symbolic.states import Assumed, Fact, Goal
from lapwing.kernel.symbolic.terms import TRUE
from lapwing.kernel.symbolic.world import World


@dataclass(slots=True)
class Questions:
    """Asks whether goals follow, where ``invariants`` are what is known at the heads of loops."""

    terms: Terms
    world: World
    invariants: Mapping[int, ir.Expression]
    linear: Linear = field(init=False)
    _names: dict[str, Term] = field(default_factory=dict)
    _functions: dict[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.linear = Linear(self.world)

    def confirm(self, goal: Goal) -> None:
        """Refuse the proof unless the goal follows."""
        shown = self._fact(goal.shown)
        if shown == TRUE:
            return
        facts, wanted = self.linear.question([self._fact(fact) for fact in goal.facts], shown)
        if not self.terms.entailed((self._term(fact) for fact in facts), self._term(wanted), "QF_UFLIRA"):
            raise Unproved(f"line {goal.span.line}: {goal.reason}" if goal.span.line else goal.reason)

    def _fact(self, fact: Fact) -> ir.Expression:
        if isinstance(fact, Assumed):
            return fact.scope.term(self.invariants[fact.loop])
        return fact

    def _term(self, node: ir.Expression) -> Term:
        terms = self.terms
        match node:
            case ir.Number(value):
                return terms.number(value)
            case ir.Name(name):
                if name not in self._names:
                    self._names[name] = terms.fresh(self.world.constants[name], name)
                return self._names[name]
            case ir.Index(ir.Name(name), index):
                if name not in self._functions:
                    self._functions[name] = terms.function(self.world.functions[name], name)
                position = self._term(index)
                if not terms.is_whole(position):
                    raise Unproved("a position in a list is not a whole number")
                return terms.at(self._functions[name], position)
        found = operated(terms, node, self._term)
        if found is None:
            raise Unproved("a formula cannot be put to the solver")
        return found

"""What loops keep true: start from many likely facts, drop those that fail, keep those a proof needs.

The one idea: the largest set of candidate facts that every arrival at a loop's head preserves is an invariant, and it
is found by throwing out whatever a counterexample contradicts ([FL01], "Houdini"). Unsatisfiable cores then keep
only what the obligations need, so that a person can read it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import NOWHERE, Span
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.facts import candidates
from lapwing.search.privacy.held import mark
from lapwing.search.privacy.horn import Clause, Horn
from lapwing.search.privacy.linear import word
from lapwing.search.privacy.measured_values import with_measured_as_reals
from lapwing.search.privacy.product import Ghost, Product
from lapwing.search.privacy.suspects import Suspect, suspect
from lapwing.search.privacy.synthesis import Choices, shift
from lapwing.search.privacy.terms import solver
from lapwing.search.privacy.totals import Meter, Totals, spent

#: By loop; and by list, what holds of each of its elements.
Invariants = Mapping[int | str, tuple[ir.Expression, ...]]


@dataclass(frozen=True, slots=True)
class Stuck:
    """The obligation that does not follow from any invariant found, and inputs with which it fails in some round.

    With a ``meter``, it is that this one shows no more than its total.
    """

    reason: str
    span: Span
    suspect: Suspect | None = None
    meter: Meter | None = None


@dataclass(frozen=True, slots=True)
class _Goal:
    facts: tuple[z3.BoolRef, ...]
    formula: z3.BoolRef
    after: int | None
    reason: str
    span: Span
    meter: Meter | None = None


def prove_every_size(
    mechanism: ir.Mechanism,
    ghost: Ghost,
    choices: Choices,
    totals: Totals,
    deadline: float,
    apart: Mapping[int, tuple[ir.Expression, ...]] | None = None,
    more: Callable[[int], Iterable[ir.Expression]] = lambda _: (),
) -> Invariants | Stuck:
    """Invariants under which the alignment meets every obligation and total, or the first that stays open.

    ``more`` are facts that may hold at the head of a loop, besides the likely ones.
    """
    found: Invariants | Stuck | None = None
    for each in dict.fromkeys((with_measured_as_reals(mechanism), mechanism)):
        found = _proved(each, ghost, choices, totals, deadline, apart or {}, more)
        if not isinstance(found, Stuck):
            break
    assert found is not None  # noqa: S101  # at least the mechanism itself was tried
    return found


def _proved(
    mechanism: ir.Mechanism,
    ghost: Ghost,
    choices: Choices,
    totals: Totals,
    deadline: float,
    apart: Mapping[int, tuple[ir.Expression, ...]],
    more: Callable[[int], Iterable[ir.Expression]],
) -> Invariants | Stuck:
    runs = Product(mechanism, ghost, lambda site, scope: shift(choices[site], scope), apart=apart)
    runs.run()
    goals = [_Goal(each.facts, each.formula, each.after, each.reason, each.span) for each in runs.obligations]
    for facts, scope, after in runs.exits:
        for meter, total in totals.items():
            kept = scope.truth(ir.Compare("<=", spent(meter), total)).value
            goals.append(_Goal(facts, kept, after, f"the shifts at site {meter[0][0]} are not bounded", NOWHERE, meter))
    houdini = _Houdini(runs, deadline)
    houdini.start(mechanism, ghost, totals, more)
    houdini.settle()
    houdini.thin()
    for goal in goals:
        if not houdini.follows(goal):
            inputs = None if houdini.failure is None else suspect(runs.inputs, houdini.failure)
            stuck = Stuck(goal.reason, goal.span, inputs, goal.meter)
            if not houdini.learn(goals):
                return stuck
            break
    return houdini.needed(goals)


@dataclass(slots=True)
class _Houdini:
    runs: Product
    deadline: float
    candidates: dict[int | str, list[ir.Expression]] = field(default_factory=dict)
    #: per loop and candidate: the formula at the head
    formulas: dict[int | str, list[z3.BoolRef]] = field(default_factory=dict)
    active: dict[int | str, set[int]] = field(default_factory=dict)
    #: where the last goal that does not follow fails
    failure: z3.ModelRef | None = None

    def start(
        self, mechanism: ir.Mechanism, ghost: Ghost, totals: Totals, more: Callable[[int], Iterable[ir.Expression]]
    ) -> None:
        for loop, scope in self.runs.heads.items():
            self.candidates[loop], self.formulas[loop] = [], []
            for candidate in dict.fromkeys((*candidates(mechanism, loop, scope, ghost, totals), *more(loop))):
                try:
                    formula = scope.truth(candidate).value
                except Blocked:
                    continue  # not linear
                self.candidates[loop].append(candidate)
                self.formulas[loop].append(formula)
            self.active[loop] = set(range(len(self.candidates[loop])))
        for name, facts in self.runs.inputs.held.items():
            self.candidates[name], self.formulas[name] = list(facts), []
            self.active[name] = set(range(len(facts)))

    def _held(self) -> list[z3.BoolRef]:
        """The literals of the facts about elements that stayed: where one is read, they stand in the facts."""
        return [mark(name, i) for name in self.runs.inputs.held for i in sorted(self.active[name])]

    def settle(self) -> None:
        """Drop candidates until every arrival keeps the rest."""
        at = [
            [arrival.scope.truth(each).value for each in self.candidates[arrival.loop]]
            for arrival in self.runs.arrivals
        ]
        solvers = [solver() for _ in self.runs.arrivals]
        marks = {loop: [z3.Bool(f"keep#{loop}#{i}") for i in range(len(c))] for loop, c in self.candidates.items()}
        for arrival, keeper, formulas in zip(self.runs.arrivals, solvers, at, strict=True):
            keeper.add(*arrival.facts)
            if arrival.after is not None:
                for mark, formula in zip(marks[arrival.after], self.formulas[arrival.after], strict=True):
                    keeper.add(z3.Implies(mark, formula))
            goal = [z3.Bool(f"goal#{i}") for i in range(len(formulas))]
            for each, formula in zip(goal, formulas, strict=True):
                keeper.add(z3.Implies(each, z3.Not(formula)))
            keeper.add(z3.Or(goal))
        changed = True
        while changed:
            changed = False
            for arrival, keeper, formulas in zip(self.runs.arrivals, solvers, at, strict=True):
                while self.active[arrival.loop]:
                    self._in_time()
                    assume = [
                        z3.Not(z3.Bool(f"goal#{i}")) for i in range(len(formulas)) if i not in self.active[arrival.loop]
                    ]
                    assume += self._held()
                    if arrival.after is not None:
                        assume += [marks[arrival.after][i] for i in self.active[arrival.after]]
                    answer = keeper.check(*assume)
                    if answer == z3.unsat:
                        break
                    if answer != z3.sat:
                        raise Blocked("the solver gave up on an invariant")
                    model = keeper.model()
                    failed = {
                        i
                        for i in self.active[arrival.loop]
                        if z3.is_false(model.eval(formulas[i], model_completion=True))
                    }
                    self.active[arrival.loop] -= failed
                    changed = True

    def thin(self) -> None:
        """Drop what a stronger fact that stayed says anyway."""
        for loop, tried in self.candidates.items():
            stayed = [tried[i] for i in self.active[loop]]
            plain = set(stayed)
            exact = {each.left for each in stayed if isinstance(each, ir.Compare) and each.operator == "=="}
            for i in sorted(self.active[loop]):
                each = tried[i]
                fact = each.operands[-1] if isinstance(each, ir.Or) else each
                weaker = isinstance(each, ir.Or) and fact in plain
                bounded = isinstance(fact, ir.Compare) and (fact.operator != "==" or each is not fact)
                if weaker or (bounded and isinstance(fact, ir.Compare) and fact.left in exact):
                    self.active[loop].discard(i)

    def follows(self, goal: _Goal) -> bool:
        return self._core(goal) is not None

    def _core(self, goal: _Goal) -> set[tuple[int | str, int]] | None:
        """The candidates from which the goal follows, by loop or list; ``None`` if it does not."""
        self._in_time()
        asked = solver(small_cores=True)
        asked.add(*goal.facts, z3.Not(goal.formula))
        marks: dict[str, tuple[int | str, int]] = {}
        for name in self.runs.inputs.held:
            marks |= {str(mark(name, i)): (name, i) for i in sorted(self.active[name])}
        if goal.after is not None:
            for i in sorted(self.active[goal.after]):
                kept = z3.Bool(f"keep#{i}")
                marks[str(kept)] = goal.after, i
                asked.add(z3.Implies(kept, self.formulas[goal.after][i]))
        answer = asked.check(*(z3.Bool(name) for name in marks))
        if answer != z3.unsat:
            self.failure = asked.model() if answer == z3.sat else None
            return None
        return {marks[str(each)] for each in asked.unsat_core()}

    def learn(self, goals: list[_Goal]) -> bool:
        """Ask Spacer for what the facts that stayed leave open; whether all goals follow then."""
        self._in_time()
        loops = self.runs.heads
        seeds = {loop: [self.formulas[loop][i] for i in sorted(self.active[loop])] for loop in loops}
        arrivals = [
            Clause(each.facts, each.after, loop=each.loop, scope=each.scope)
            for each in self.runs.arrivals
            if isinstance(each.loop, int)
        ]
        known = [
            mark(name, i) if i in self.active[name] else z3.Not(mark(name, i))
            for name, facts in self.runs.inputs.held.items()
            for i in range(len(facts))
        ]
        goals_too = [Clause(each.facts, each.after, goal=each.formula) for each in goals]
        found = Horn(self.runs, seeds, known).solve([*arrivals, *goals_too])
        if found is None:
            return False
        for loop, facts in found.items():
            scope = self.runs.heads[loop]
            for fact in facts:
                self.active[loop].add(len(self.candidates[loop]))
                self.candidates[loop].append(fact)
                self.formulas[loop].append(scope.truth(fact).value)
        return all(self.follows(goal) for goal in goals)

    def needed(self, goals: list[_Goal]) -> Invariants:
        """Only those candidates that the goals, and the candidates kept, rest on."""
        kept: dict[int | str, set[int]] = {loop: set() for loop in self.candidates}
        waiting = list(goals)
        public = {word("hat", each.name) for each in self.runs.mechanism.variables if each.public}
        public |= {ir.Builtin("other", (ir.Name(each.name),)) for each in self.runs.mechanism.variables if each.public}
        for loop, tried in self.candidates.items():
            for i in self.active[loop]:
                each = tried[i]
                if isinstance(each, ir.Compare) and each.operator == "==" and each.left in public:
                    kept[loop].add(i)
        while waiting:
            goal = waiting.pop()
            core = self._core(goal)
            if core is None:
                raise Blocked("the solver gave up on an invariant")
            for where, i in sorted(core, key=str):
                if i in kept[where]:
                    continue
                kept[where].add(i)
                for arrival in self.runs.arrivals:
                    if arrival.loop == where:
                        formula = arrival.scope.truth(self.candidates[where][i]).value
                        waiting.append(_Goal(arrival.facts, formula, arrival.after, "", NOWHERE))
        return {loop: tuple(self.candidates[loop][i] for i in sorted(kept[loop])) for loop in self.candidates}

    def _in_time(self) -> None:
        if time.process_time() > self.deadline:
            raise Blocked("the time limit passed while looking for invariants")

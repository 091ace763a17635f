"""What loops keep true: many likely facts, of which those are dropped that some round breaks ([FL01], "Houdini")."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.linear import Linear
from lapwing.kernel.symbolic.meanings import Scope
from lapwing.kernel.symbolic.one_run import Walk
from lapwing.kernel.symbolic.states import Assumed, Fact, Goal
from lapwing.kernel.symbolic.terms import TRUE, Outside, Term
from lapwing.search.accuracy.solver import Text

Invariants = Mapping[int, tuple[ir.Expression, ...]]
#: A candidate: its loop and number.
Key = tuple[int, int]


class TooLong(Exception):
    """The time for the search has passed, or the solver gave up."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A way to the head of ``loop``, with what is assumed on it and whether each candidate holds after it."""

    loop: int
    solver: z3.Solver
    assumed: dict[Key, str]
    shown: list[str]


@dataclass(slots=True)
class Houdini:
    """The invariants of one walk."""

    walked: Walk
    deadline: float
    #: whether margins are multiplied with counters; if not, nothing need be known of products
    products: bool = False
    linear: Linear = field(init=False)
    text: Text = field(init=False)
    candidates: dict[int, list[ir.Expression]] = field(default_factory=dict)
    active: dict[int, set[int]] = field(default_factory=dict)
    #: how many of the candidates are about counters alone: products with margins are compared by these
    counting: dict[int, int] = field(default_factory=dict)
    #: candidates at the heads of loops, by scope (the walk keeps those) and number
    _terms: dict[tuple[int, int], Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.linear = Linear(self.walked.world)
        self.text = Text(self.linear)

    @property
    def arrivals(self) -> list[tuple[Goal, Assumed]]:
        """The goals that are invariants."""
        return [(goal, goal.shown) for goal in self.walked.goals if isinstance(goal.shown, Assumed)]

    # --- finding --------------------------------------------------------------------------------------------

    def settle(self, tried: Mapping[int, Iterable[ir.Expression]]) -> None:
        """Keep those of the candidates that hold at every arrival, given those that are kept, besides those already."""
        scopes: dict[int, list[Scope]] = {loop: [] for loop in tried}
        for each in (*self.walked.heads, *(shown for _, shown in self.arrivals)):
            scopes[each.loop].append(each.scope)
        first = not self.counting
        for loop, found in tried.items():
            kept = self._stayed(loop)
            every = dict.fromkeys(each for each in found if each not in kept)
            kept += [each for each in every if all(_means(each, scope) for scope in scopes[loop])]
            self._restart(loop, kept)
            if first:
                self.counting[loop] = len(kept)
        asked = [self._arrival(goal, shown) for goal, shown in self.arrivals]
        changed = True
        while changed:
            changed = any([self._thinned(each) for each in asked])  # noqa: C419  # every one, not only the first
        for loop in tried:
            kept = self._stayed(loop)
            if first:
                self.counting[loop] = len(kept)
            self._restart(loop, kept)

    def _restart(self, loop: int, kept: list[ir.Expression]) -> None:
        self.candidates[loop] = kept
        self.active[loop] = set(range(len(kept)))
        self._terms.clear()

    def _stayed(self, loop: int) -> list[ir.Expression]:
        """The candidates of a loop that were not dropped, without those that an equation says anyway."""
        stayed = [self.candidates[loop][i] for i in sorted(self.active.get(loop, ()))]
        equal = {(e.left, e.right) for e in stayed if isinstance(e, ir.Compare) and e.operator == "=="}

        def is_said(each: ir.Expression) -> bool:
            if not isinstance(each, ir.Compare) or each.operator == "==":
                return False
            return (each.left, each.right) in equal or (each.right, each.left) in equal

        return [each for each in stayed if not is_said(each)]

    def _arrival(self, goal: Goal, shown: Assumed) -> _Arrival:
        terms = [shown.scope.term(each) for each in self.candidates[shown.loop]]
        solver, assumed = self._given(goal.facts, terms, small_cores=False)
        names = [f"extra#{i}" for i in range(len(terms))]
        solver.add(z3.Or([z3.Not(z3.Bool(name)) for name in names]))
        return _Arrival(shown.loop, solver, assumed, names)

    def _given(
        self, facts: Iterable[Fact], extra: list[Term], *, small_cores: bool
    ) -> tuple[z3.Solver, dict[Key, str]]:
        """A solver that knows the facts; it has names for the candidates assumed, and for the ``extra`` terms."""
        assumed: dict[Key, list[Term]] = {}
        plain: list[Term] = []
        for fact in facts:
            if isinstance(fact, Assumed):
                for i in sorted(self.active[fact.loop]):
                    assumed.setdefault((fact.loop, i), []).append(self._term(fact, i))
            else:
                plain.append(fact)
        world = self.walked.world
        stated = [term for terms in assumed.values() for term in terms]
        names = frozenset[str]().union(*map(self.linear.names, (*plain, *stated, *extra, *world.facts)))
        plain += [*world.facts, *world.rules(names)]
        flat = [self.linear.flat(each) for each in plain]
        if self.products:
            every = [*flat, *(self.linear.flat(each) for each in (*stated, *extra))]
            counting = [term for (loop, i), terms in assumed.items() if i < self.counting[loop] for term in terms]
            flat += self.linear.lemmas([*counting, *plain], every)
        keys = {key: f"keep#{key[0]}#{key[1]}" for key in assumed}
        named = [(keys[key], self._all(terms)) for key, terms in assumed.items()]
        named += [(f"extra#{i}", self.linear.flat(each)) for i, each in enumerate(extra)]
        return self.text.solver(flat, named, small_cores=small_cores), keys

    def _all(self, terms: list[Term]) -> Term:
        flat = [self.linear.flat(each) for each in terms]
        return flat[0] if len(flat) == 1 else ir.And(tuple(flat))

    def _term(self, assumed: Assumed, i: int) -> Term:
        """A candidate at the head where it is assumed."""
        key = id(assumed.scope), i
        if key not in self._terms:
            self._terms[key] = assumed.scope.term(self.candidates[assumed.loop][i])
        return self._terms[key]

    def _thinned(self, arrival: _Arrival) -> bool:
        """Drop the candidates that fail on an arrival; whether there were any."""
        changed = False
        active = self.active[arrival.loop]
        while active:
            assume = [z3.Bool(name) for (loop, i), name in arrival.assumed.items() if i in self.active[loop]]
            # one of the candidates still active fails: of the others it is not asked
            wanted = z3.Or([z3.Not(z3.Bool(arrival.shown[i])) for i in sorted(active)])
            arrival.solver.push()
            arrival.solver.add(wanted)
            answer = self._checked(arrival.solver, assume)
            model = arrival.solver.model() if answer == z3.sat else None
            arrival.solver.pop()
            if model is None:
                break
            failed = {i for i in active if z3.is_false(model.eval(z3.Bool(arrival.shown[i]), model_completion=True))}
            active -= failed
            changed = True
        return changed

    def _checked(self, asked: z3.Solver, assume: list[z3.BoolRef]) -> z3.CheckSatResult:
        if time.process_time() > self.deadline:
            raise TooLong
        answer = asked.check(*assume)
        if answer == z3.unknown:
            raise TooLong
        return answer

    # --- using ----------------------------------------------------------------------------------------------

    def core(self, facts: Iterable[Fact], shown: Term) -> set[Key] | None:
        """The candidates from which ``shown`` follows; ``None`` if it does not."""
        if shown == TRUE:
            return set()
        asked, assumed = self._given((*facts, ir.Not(shown)), [], small_cores=True)
        if self._checked(asked, [z3.Bool(name) for name in assumed.values()]) != z3.unsat:
            return None
        keys = {name: key for key, name in assumed.items()}
        return {keys[str(each)] for each in asked.unsat_core()}

    def following(self, goal: Goal, stated: list[Term], among: set[int]) -> set[int]:
        """Which of several statements are enough, besides the candidates, for a goal."""
        assert not isinstance(goal.shown, Assumed)  # noqa: S101  # asked about formulas
        asked, assumed = self._given((*goal.facts, ir.Not(goal.shown)), stated, small_cores=False)
        kept = [z3.Bool(name) for name in assumed.values()]
        return {n for n in sorted(among) if self._checked(asked, [*kept, z3.Bool(f"extra#{n}")]) == z3.unsat}

    def needed(self, cores: Iterable[set[Key]]) -> Invariants:
        """The candidates that goals rest on, with those that they rest on themselves."""
        kept: set[Key] = set()
        waiting = [key for core in cores for key in core]
        arrivals = []  # one solver for each, asked about one candidate after the other
        for goal, shown in self.arrivals:
            terms = [shown.scope.term(each) for each in self.candidates[shown.loop]]
            arrivals.append((shown.loop, *self._given(goal.facts, terms, small_cores=True)))
        while waiting:
            loop, i = waiting.pop()
            if (loop, i) in kept:
                continue
            kept.add((loop, i))
            for into, asked, assumed in arrivals:
                if into == loop:
                    waiting += self._rests_on(asked, assumed, f"extra#{i}")
        return {
            loop: tuple(self.candidates[loop][i] for i in sorted(i for each, i in kept if each == loop))
            for loop in self.candidates
        }

    def _rests_on(self, asked: z3.Solver, assumed: dict[Key, str], shown: str) -> list[Key]:
        wrong = z3.Not(z3.Bool(shown))
        if self._checked(asked, [wrong, *(z3.Bool(name) for name in assumed.values())]) != z3.unsat:
            raise TooLong
        keys = {name: key for key, name in assumed.items()}
        return [keys[str(each)] for each in asked.unsat_core() if str(each) in keys]


def _means(candidate: ir.Expression, scope: Scope) -> bool:
    try:
        return scope.world.type_of(scope.term(candidate)) == ir.Boolean()
    except Outside:
        return False

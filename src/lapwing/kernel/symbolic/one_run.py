"""The walk over one run: every way through the mechanism, and what has to be shown on it.

The judgement is ⊨β {Φ} c {Ψ} of the union bound logic ([BGGHS16b]): from Φ, the program c ends with Ψ except with
probability β. Each draw may *fail* (leave its margin); the walk assumes that no draw does, which is what β pays for:

* a draw of site k fails with probability at most β_k, whatever came before it;
* before each draw it is shown that no more than N_k draws of its site are made, assuming that none failed so far; so
  the first draw that fails is one of the first N_k, and some draw fails with probability at most Σ N_k · β_k;
* where none failed, the goals below show Ψ at every return.

Loops are cut at their heads: what is changed in a loop is unknown there but for the loop's invariant, which is a goal
wherever the head is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.meanings import Built, Entry, Replacing, Scope
from lapwing.kernel.symbolic.states import SENSIBLE, Assumed, Draws, Fact, Goal, State, Ways
from lapwing.kernel.symbolic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Outside,
    Term,
    compare,
    extreme,
    implies,
    inside,
    magnitude,
    minus,
    negate,
    plus,
    times,
    within,
)
from lapwing.kernel.symbolic.world import Elements, World

#: More ways through a mechanism than any has.
MAX_WAYS = 200


@dataclass(slots=True)
class Walk:
    """One walk. ``replaced`` gives parts of the condition a meaning of their own: bounds that are dealt with apart."""

    mechanism: ir.Mechanism
    condition: ir.Expression
    sites: Mapping[int, Draws]
    replaced: Mapping[ir.Expression, Term] = field(default_factory=dict)
    world: World = field(init=False)
    goals: list[Goal] = field(default_factory=list)
    #: what names mean at the head of each loop, on each way to it
    heads: list[Assumed] = field(default_factory=list)
    loops: dict[int, int] = field(init=False)
    ghosts: tuple[Term, ...] = field(init=False)
    #: the parameters, which no run changes
    parameters: dict[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world = World(self.mechanism)
        every = list(walk.statements(self.mechanism.body))
        self.loops = {id(loop): n for n, loop in enumerate((s for s in every if isinstance(s, ir.For | ir.While)), 1)}
        if any(isinstance(each, ir.Call) for each in every):
            raise Outside("accuracy is not followed into another mechanism")
        for each in every:
            if isinstance(each, ir.Sample) and self.sites[each.site].assumed not in SENSIBLE[each.kind]:
                raise Outside(f"{self.sites[each.site].assumed} is nothing to assume of {each.kind}", each)

    def run(self) -> None:
        """Walk the whole mechanism."""
        count = sum(isinstance(each, ir.Builtin) and each.function == "all" for each in walk.nodes(self.condition))
        self.ghosts = tuple(self.world.unknown(f"ghost({n})", ir.Integer()) for n in range(1, count + 1))
        for ghost in self.ghosts:
            self.world.facts.append(compare(">=", ghost, ZERO))
            self.world.mention(ghost)
        state = self._start()
        scope = self.scope(state)
        for condition in self.mechanism.preconditions:
            self._assume(condition, scope)
        for term in self.replaced.values():
            for name in walk.names(term):
                self.world.unknown(name, ir.Real())
        self._prepare(scope)
        ways = self._block(self.mechanism.body, state)
        if ways.onward or ways.broken or ways.continued:
            raise Outside("the mechanism can end without an answer")

    def scope(self, state: State) -> Scope:
        """What names mean in a state."""
        return Scope(self.world, state.variables, state.words, self.ghosts)

    def _start(self) -> State:
        self.parameters = {each.name: self.world.parameter(each) for each in self.mechanism.parameters}
        words: dict[str, Term] = {f"ghost({n})": ghost for n, ghost in enumerate(self.ghosts, 1)}
        for statement in walk.statements(self.mechanism.body):
            if isinstance(statement, ir.Sample):
                words[f"draws({statement.site})"] = ZERO
                if statement.kind not in ("flip", "uniform", "choose"):
                    words[f"noise({statement.site})"] = ZERO
                if self.sites[statement.site].assumed == "margin":
                    margin = self.world.unknown(f"gamma({statement.site})", ir.Real())
                    self.world.facts.append(compare(">=", margin, ZERO))
                    words[f"gamma({statement.site})"] = margin
        words.update({f"round({loop})": ZERO for loop in self.loops.values()})
        return State(dict(self.parameters), words)

    def _assume(self, condition: ir.Expression, scope: Scope) -> None:
        """Know a precondition; one that cannot be followed is left out, which can only lose a proof."""
        for part in condition.operands if isinstance(condition, ir.And) else (condition,):
            try:
                self.world.facts.append(scope.term(part))
            except Outside:
                continue

    def _prepare(self, scope: Scope) -> None:
        """Name the extremes of parameters that the condition speaks of, so that draws can be compared with them."""
        for part in walk.nodes(self.condition):
            if isinstance(part, ir.Builtin) and part.function in ("min", "max") and len(part.arguments) == 1:
                try:
                    scope.term(part)
                except Outside:
                    continue  # not about parameters alone

    def _oblige(self, state: State, shown: Fact, reason: str, node: ir.Node, site: int | None = None) -> None:
        if shown != TRUE:
            self.goals.append(Goal(state.facts, shown, reason, node.span, site))

    # --- statements -----------------------------------------------------------------------------------------

    def _block(self, block: Sequence[ir.Statement], state: State) -> Ways:
        ways, here = Ways(), [state]
        for statement in block:
            after: list[State] = []
            for each in here:
                led = self._statement(statement, each)
                after += led.onward
                ways.add(led)
            here = after
            if len(here) > MAX_WAYS:
                raise Outside("there are too many ways through the mechanism", statement)
        ways.onward = here
        return ways

    def _statement(self, statement: ir.Statement, state: State) -> Ways:
        match statement:
            case ir.Assign(target, value):
                return Ways([state.setting(**{target: self._value(target, value, state)})])
            case ir.Append(target, value):
                return Ways([self._append(statement, target, value, state)])
            case ir.Sample():
                return Ways([self._sample(statement, state)])
            case ir.If(condition, then, otherwise):
                return self._if(condition, then, otherwise, state)
            case ir.For() | ir.While():
                return self._loop(statement, state)
            case ir.Break():
                return Ways(broken=[state])
            case ir.Continue():
                return Ways(continued=[state])
            case ir.Return(value):
                self._answer(statement, value, state)
                return Ways()
        raise Outside("this statement is not followed", statement)

    def _value(self, target: str, value: ir.Expression, state: State) -> Entry:
        match value:
            case ir.ListOf(()):
                variable = self.mechanism.variable(target)
                kind = variable.type if variable is not None else None
                if not isinstance(kind, ir.List) or isinstance(kind.element, ir.List | ir.Tuple):
                    raise Outside(f"what is put into '{target}' is not followed", value)
                seen = tuple(self.world.fresh(target, kind.element) for _ in self.ghosts)
                return Built(kind.element, ZERO, seen)
            case ir.Slice(inner, None, None):  # a copy
                return self.scope(state).entry(inner)
            case ir.ListOf():
                return self.scope(state).sequence(value)
        return self.scope(state).entry(value)

    def _append(self, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
        found = state.variables.get(target)
        if not isinstance(found, Built):
            raise Outside(f"'{target}' is not a list that is followed", node)
        term = self.scope(state).term(value)
        facts: list[Term] = []
        seen: list[Term] = []
        for ghost, before in zip(self.ghosts, found.seen, strict=True):
            after = self.world.fresh(target, found.element)
            here = compare("==", found.length, ghost)
            facts += [implies(here, compare("==", after, term)), implies(negate(here), compare("==", after, before))]
            seen.append(after)
        grown = Built(found.element, plus(found.length, ONE), tuple(seen))
        return state.setting(**{target: grown}).knowing(*facts)

    def _if(
        self,
        condition: ir.Expression,
        then: Sequence[ir.Statement],
        otherwise: Sequence[ir.Statement],
        state: State,
    ) -> Ways:
        test = self.scope(state).term(condition)
        ways = Ways()
        for truth, branch in ((test, then), (negate(test), otherwise)):
            if truth != FALSE:
                led = self._block(branch, state.knowing(truth))
                ways.onward += led.onward
                ways.add(led)
        return ways

    def _answer(self, node: ir.Return, value: ir.Expression, state: State) -> None:
        scope = self.scope(state)
        answer = scope.sequence(value) if isinstance(value, ir.ListOf) else scope.entry(value)
        # parameters and the answer only: a condition knows no variables, and may use their names for something else
        meant = {**self.parameters, "result": answer}
        replacing = Replacing(scope.world, meant, scope.words, scope.ghosts, replaced=self.replaced)
        self._oblige(state, replacing.every(self.condition), "the condition may fail at this return", node)

    # --- draws ----------------------------------------------------------------------------------------------

    def _sample(self, statement: ir.Sample, state: State) -> State:
        site, kind, scope = statement.site, statement.kind, self.scope(state)
        draws = state.words[f"draws({site})"]
        counted = plus(draws, ONE)
        assumed = self.sites[site].assumed
        if assumed != "nothing":
            count = Scope(self.world, self.parameters).term(self.sites[site].count)
            limit = compare("<=", counted, count)
            self._oblige(state, limit, f"site {site} may draw more often than it is paid for", statement, site)
        state = state.saying({f"draws({site})": counted})
        if kind == "flip":
            coin: Term = self.world.fresh(statement.target, ir.Boolean())
            coin = {"true": TRUE, "false": FALSE}.get(assumed, coin)
            return state.setting(**{statement.target: coin})
        if kind in ("uniform", "choose"):
            return self._index(statement, state, scope)
        whole = kind.startswith("discrete")
        drawn = self.world.fresh(statement.target, ir.Integer() if whole else ir.Real())
        if assumed == "margin":
            margin = state.words[f"gamma({site})"]
            low = ZERO if kind == "exponential" else minus(ZERO, margin)
            state = state.knowing(within(drawn, low, margin))
        elif kind == "exponential":
            state = state.knowing(compare(">=", drawn, ZERO))
        state = state.saying({f"noise({site})": plus(state.words[f"noise({site})"], drawn)})
        return state.setting(**{statement.target: drawn})

    def _index(self, statement: ir.Sample, state: State, scope: Scope) -> State:
        """A whole number below n, or the position of a score that no other beats by more than the margin."""
        drawn = self.world.fresh(statement.target, ir.Integer())
        if statement.kind == "uniform":
            count = scope.term(statement.arguments[0])
            return state.setting(**{statement.target: drawn}).knowing(inside(drawn, count))
        scores = scope.sequence(statement.arguments[0])
        if scores.keep is not None:
            raise Outside("a choice among some elements of a list is not followed", statement)
        self.world.mention(drawn)
        state = state.setting(**{statement.target: drawn}).knowing(inside(drawn, scores.length))
        if self.sites[statement.site].assumed == "margin":
            margin = state.words[f"gamma({statement.site})"]
            for other in (*self.ghosts, *self.world.witnesses):
                good = compare(">=", scores.at(drawn), minus(scores.at(other), margin))
                state = state.knowing(implies(inside(other, scores.length), good))
        return state

    # --- loops ----------------------------------------------------------------------------------------------

    def _loop(self, statement: ir.For | ir.While, state: State) -> Ways:
        number = self.loops[id(statement)]
        count = self._count(statement, state)
        entry = state.saying({f"round({number})": ZERO})
        self._oblige(entry, Assumed(number, self.scope(entry)), f"the invariant of loop {number} at first", statement)
        head = self._anywhere(statement, entry)
        done = head.words[f"round({number})"]
        self.world.mention(done)
        known = Assumed(number, self.scope(head))
        self.heads.append(known)
        head = head.knowing(known, compare(">=", done, ZERO))
        if count is None:
            test = self.scope(head).term(statement.condition) if isinstance(statement, ir.While) else TRUE
            begun, ended = head.knowing(test), head.knowing(negate(test))
        else:
            head = head.knowing(compare("<=", done, count))
            begun, ended = head.knowing(compare("<", done, count)), head.knowing(compare("==", done, count))
        if isinstance(statement, ir.For):
            begun = self._targets(statement.source, begun, done, state)
        led = self._block(statement.body, begun)
        for end in (*led.onward, *led.continued):
            after = end.saying({f"round({number})": plus(done, ONE)})
            reason = f"the invariant of loop {number} after a round"
            self._oblige(after, Assumed(number, self.scope(after)), reason, statement)
        onward = [] if FALSE in ended.facts else [ended]
        return Ways([*onward, *led.broken])

    def _count(self, statement: ir.For | ir.While, state: State) -> Term | None:
        """How many rounds a ``for`` makes, settled before the first."""
        if isinstance(statement, ir.While):
            return None
        scope = self.scope(state)
        if isinstance(statement.source, ir.Range):
            start, stop = scope.term(statement.source.start), scope.term(statement.source.stop)
            count = minus(stop, start)
            return extreme("max", [ZERO, count])
        lengths = []
        for _, walked in statement.source.items:
            found = scope.entry(walked)
            if isinstance(found, Elements) and found.keep is not None:
                raise Outside("some elements of a list are walked over", walked)
            if not isinstance(found, Elements | Built):
                raise Outside("this list is not followed", walked)
            lengths.append(found.length)
        return extreme("min", lengths)

    def _targets(self, source: ir.Over | ir.Range, state: State, done: Term, before: State) -> State:
        """The variables of a ``for`` in the round after ``done``; its source was evaluated ``before`` the loop."""
        scope = self.scope(before)
        if isinstance(source, ir.Range):
            return state.setting(**{source.target: plus(scope.term(source.start), done)})
        if source.index is not None:
            state = state.setting(**{source.index: done})
        for name, walked in source.items:
            found = scope.entry(walked)
            if isinstance(found, Elements):
                state = state.setting(**{name: found.at(done)})
            else:  # an element of a list that the mechanism built may be anything
                variable = self.mechanism.variable(name)
                kind = ir.Real() if variable is None else variable.type
                state = state.setting(**{name: self.world.fresh(name, kind)})
        return state

    def _anywhere(self, statement: ir.For | ir.While, state: State) -> State:
        """``state`` with everything that the loop can change replaced by anything at all."""
        variables, words = dict(state.variables), dict(state.words)
        known: list[Term] = []
        inner = list(walk.statements((statement,)))
        for name in dict.fromkeys(name for each in inner for name in walk.targets(each)):
            found = variables.get(name)
            if isinstance(found, Built):
                length = self.world.fresh(f"len({name})", ir.Integer())
                seen = tuple(self.world.fresh(name, found.element) for _ in self.ghosts)
                variables[name] = Built(found.element, length, seen)
                known.append(compare(">=", length, ZERO))
            elif found is not None:
                variable = self.mechanism.variable(name)
                if variable is None or not isinstance(variable.type, ir.Real | ir.Integer | ir.Boolean):
                    del variables[name]  # whoever reads it is refused
                else:
                    variables[name] = self.world.fresh(name, variable.type)
        for each in inner:
            if isinstance(each, ir.Sample):
                known += self._any_draws(each, words)
            if isinstance(each, ir.For | ir.While):
                number = self.loops[id(each)]
                words[f"round({number})"] = self.world.fresh(f"round({number})", ir.Integer())
        return replace(state, variables=variables, words=words).knowing(*known)

    def _any_draws(self, sample: ir.Sample, words: dict[str, Term]) -> list[Term]:
        """Any number of draws, whose sum is as large as that allows: each was within its margin."""
        site = sample.site
        draws = words[f"draws({site})"] = self.world.fresh(f"draws({site})", ir.Integer())
        known = [compare(">=", draws, ZERO)]
        if f"noise({site})" in words:
            total = words[f"noise({site})"] = self.world.fresh(f"noise({site})", ir.Real())
            if self.sites[site].assumed == "margin":
                known.append(compare("<=", magnitude(total), times(draws, words[f"gamma({site})"])))
            if sample.kind == "exponential":
                known.append(compare(">=", total, ZERO))
        return known

"""The walk over a program in two coupled runs, asking at each place what a coupling proof needs there.

What is shown: for neighbouring inputs (and, with a ghost, for every answer s) the map that shifts each draw of the
first run by its alignment is one-to-one, lands where the second run's noise can be, and makes the second run give the
same answer (s whenever the first gives s). So P₁(s) ≤ Σ e^cost · P₂(shifted draws) ≤ e^cost · P₂(s), where the cost is
the sum of |shift| / scale: [BGGHS16] for the coupling and pointwise equality, [AH18] for shifts that depend on guards.

* causal: an alignment is evaluated where its draw is made, so it can only see what is there;
* one-to-one: asked of the solver at each draw; draws before it are equal for equal histories;
* no unpaired draw: both runs take the same way wherever a draw, a growing list, a loop or a way out stands;
* support: asked of the solver for one-sided noise; lattice: see :mod:`lattice`;
* cost: the accumulators are compared with their totals at every return that gives the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.check.couplings.branches import runs_may_part
from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.formulas import View, parse
from lapwing.check.couplings.lattice import Lattice
from lapwing.check.couplings.runs import FIRST, SECOND, Evaluator, Inputs, Pair, State
from lapwing.check.couplings.shape import loops_of, sites_of, totals
from lapwing.check.couplings.terms import Term, Terms
from lapwing.evidence.certificate import Alignment, Branch, Coupling, Site
from lapwing.program import ir, walk

#: More ways through a loop body than any mechanism has; each is a handful of questions.
MAX_PATHS = 400


@dataclass(slots=True)
class Ways:
    """The states in which a block can be left, by how."""

    onward: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Execution:
    """One check of one coupling proof."""

    terms: Terms
    mechanism: ir.Mechanism
    proof: Coupling
    types: Mapping[str, ir.Type]
    inputs: Inputs = field(init=False)
    lattice: Lattice = field(init=False)
    sites: dict[int, Site] = field(init=False)
    loops: dict[int, tuple[int, str]] = field(init=False)
    ghost: Term | None = field(init=False)
    paths: int = 0

    def __post_init__(self) -> None:
        self.inputs = Inputs(self.terms, self.mechanism)
        self.lattice = Lattice(self.mechanism, dict(self.types))
        self.sites = sites_of(self.proof, self.mechanism)
        self.loops = loops_of(self.proof, self.mechanism)
        self.ghost = None
        if self.proof.ghost == "output":
            if not isinstance(self.mechanism.returns, ir.Real | ir.Integer | ir.Boolean):
                raise Unproved("the ghost stands for an answer that is not a number or truth value")
            self.ghost = self.terms.fresh(self.mechanism.returns, "output")

    # --- the whole ------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Walk the mechanism; raises Unproved at the first condition that is not confirmed."""
        ways = self.block(self.mechanism.body, self._start())
        if any((ways.onward, ways.broken, ways.continued)):
            raise Unproved("the mechanism can end without an answer")

    def _start(self) -> State:
        """Variables are set before they are read, so what they hold at first is free to choose: zero."""
        terms, values, lengths = self.terms, dict(self.inputs.scalars), {}
        for variable in self.mechanism.variables:
            match variable.type:
                case ir.List():
                    lengths[variable.name] = terms.number(0)
                case ir.Tuple() | ir.Unknown():
                    raise Unproved(f"the variable '{variable.name}' has a type that coupling proofs do not cover")
                case ir.Boolean():
                    values[variable.name] = (terms.truth(False), terms.truth(False))
                case kind:
                    zero = terms.number(0, real=kind == ir.Real())
                    values[variable.name] = (zero, zero)
        costs = {site: terms.number(0, real=True) for site in self.sites}
        return State(values, lengths, costs, {loop: terms.number(0) for loop, _ in self.loops.values()})

    def ask(self, state: State, goal: Term, node: ir.Node, problem: str) -> None:
        """Refuse the proof unless ``goal`` holds whenever control is here."""
        if not self.terms.entailed((*self.inputs.facts, *state.known), goal):
            raise at(node, problem)

    def look(self, state: State) -> Evaluator:
        """Expressions in this state."""
        return Evaluator(self.inputs, state)

    def possible(self, state: State) -> bool:
        """Whether control can be here, as far as the solver can tell."""
        return not self.terms.entailed((*self.inputs.facts, *state.known), self.terms.truth(False))

    # --- statements -----------------------------------------------------------------------------------------

    def block(self, block: Sequence[ir.Statement], state: State) -> Ways:
        """Where a block leads from ``state``."""
        ways, here = Ways(), [state]
        for statement in block:
            after: list[State] = []
            for each in here:
                led = self.statement(statement, each)
                after += led.onward
                ways.broken += led.broken
                ways.continued += led.continued
            here = after
        ways.onward = here
        return ways

    def statement(self, statement: ir.Statement, state: State) -> Ways:
        """Where one statement leads from ``state``."""
        match statement:
            case ir.Assign(target, value):
                return Ways([self._assign(statement, target, value, state)])
            case ir.Append(target, value) if target in state.lengths:
                self.ask(state, self.look(state).same(value), statement, f"'{target}' may differ between the runs")
                length = self.terms.arithmetic("+", state.lengths[target], self.terms.number(1))
                return Ways([state.with_length(target, length)])
            case ir.Sample(kind="laplace" | "exponential"):
                return Ways([self._shifted(statement, state)])
            case ir.Sample(kind="flip" | "uniform" | "choose"):
                return Ways([self._equal_draw(statement, state)])
            case ir.If():
                return self._if(statement, state)
            case ir.For() | ir.While():
                return self._loop(statement, state)
            case ir.Break():
                return Ways(broken=[state])
            case ir.Continue():
                return Ways(continued=[state])
            case ir.Return(value):
                self._answer(statement, value, state)
                return Ways()
        raise at(statement, "this statement is outside what coupling proofs cover")

    def _assign(self, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
        if target not in state.lengths:
            return state.with_value(target, self._fitted(target, self.look(state).pair(value)))
        match value:
            case ir.ListOf(elements):
                self.ask(state, self.look(state).same(value), node, f"'{target}' may differ between the runs")
                return state.with_length(target, self.terms.number(len(elements)))
            case ir.Name(name) | ir.Slice(ir.Name(name), None, None) if name in state.lengths:
                return state.with_length(target, state.lengths[name])
        raise at(node, f"'{target}' is set to a list that coupling proofs do not cover")

    def _fitted(self, target: str, pair: Pair) -> Pair:
        """Whole numbers as reals where the variable holds reals."""
        if self.types[target] != ir.Real():
            return pair
        return self.terms.real(pair[FIRST]), self.terms.real(pair[SECOND])

    def _if(self, statement: ir.If, state: State) -> Ways:
        first, second = self.look(state).pair(statement.condition)
        if runs_may_part(statement, self.types):
            return Ways([self._apart(statement, first, second, state)])
        goal = self.terms.compare("==", first, second)
        self.ask(state, goal, statement, "the runs may take different branches here")
        ways = Ways()
        for truth, branch in ((first, statement.then), (self.terms.negate(first), statement.otherwise)):
            here = state.knowing(truth)
            if not self.possible(here):
                continue
            self.paths += 1
            if self.paths > MAX_PATHS:
                raise at(statement, "there are too many ways through the mechanism")
            led = self.block(branch, here)
            ways.onward += led.onward
            ways.broken += led.broken
            ways.continued += led.continued
        return ways

    def _apart(self, statement: ir.If, first: Term, second: Term, state: State) -> State:
        """Each run takes its own side; both sides only set variables."""
        (then,), (otherwise,) = (self.block(side, state).onward for side in (statement.then, statement.otherwise))
        values = dict(state.values)
        for name in state.values:
            (a, b), (c, d) = then.values[name], otherwise.values[name]
            values[name] = (
                (a if a == c else self.terms.choose(first, a, c)),
                (b if b == d else self.terms.choose(second, b, d)),
            )
        return replace(state, values=values)

    # --- draws ----------------------------------------------------------------------------------------------

    def _shifted(self, statement: ir.Sample, state: State) -> State:
        """Laplace or exponential noise, moved by the alignment; costs |shift|."""
        terms, site = self.terms, self.sites[statement.site]
        draw, twin = self._noise(statement, state), terms.fresh(ir.Real(), "draw'")
        shift = self._shift(site.alignment, View(self.inputs, state, self.ghost, draw))
        moved = terms.arithmetic("+", draw, shift)
        twin_moved = terms.arithmetic(
            "+", twin, self._shift(site.alignment, View(self.inputs, state, self.ghost, twin))
        )
        zero = terms.number(0)
        here = state
        if statement.kind == "exponential":
            here = here.knowing(terms.compare(">=", draw, zero))
            self.ask(here, terms.compare(">=", moved, zero), statement, "the shift may leave the noise's support")
        doubled = here.knowing(terms.compare("!=", draw, twin))
        if statement.kind == "exponential":
            doubled = doubled.knowing(terms.compare(">=", twin, zero))
        self.ask(doubled, terms.compare("!=", moved, twin_moved), statement, "two noises may be moved to one")
        cost = terms.arithmetic("+", here.costs[site.site], terms.real(terms.magnitude(shift)))
        after = replace(here, costs={**here.costs, site.site: cost})
        return after.with_value(statement.target, (draw, moved))

    def _noise(self, statement: ir.Sample, state: State) -> Term:  # noqa: ARG002  # a test makes it known too early
        """A draw is anything at all: nothing before it knows its value."""
        return self.terms.fresh(ir.Real(), f"draw{statement.site}")

    def _shift(self, alignment: Alignment, view: View) -> Term:
        if isinstance(alignment, Branch):
            then, otherwise = self._shift(alignment.then, view), self._shift(alignment.otherwise, view)
            return self.terms.choose(view.truth(alignment.guard), then, otherwise)
        self.lattice.check_shift(parse(alignment))
        return self.terms.real(view.number(alignment))

    def _equal_draw(self, statement: ir.Sample, state: State) -> State:
        """A draw from the same law in both runs, coupled to be equal; costs nothing."""
        terms, look = self.terms, self.look(state)
        for argument in statement.arguments:
            self.ask(state, look.same(argument), statement, "the two runs may draw from different laws")
        if statement.kind == "flip":
            drawn = terms.fresh(ir.Boolean(), "flip")
            return state.with_value(statement.target, (drawn, drawn))
        drawn, zero = terms.fresh(ir.Integer(), statement.kind), terms.number(0)
        match statement.kind, statement.arguments[0]:
            case "uniform", count:
                end = look.value(count, FIRST)
            case _, ir.ListOf(elements):
                end = terms.number(len(elements))
            case _, scores:
                end = look.length(scores)
        here = state.knowing(terms.compare("<=", zero, drawn), terms.compare("<", drawn, end))
        return here.with_value(statement.target, (drawn, drawn))

    # --- loops ----------------------------------------------------------------------------------------------

    def _loop(self, statement: ir.For | ir.While, state: State) -> Ways:
        """The invariant holds at first and after each round; from there on it is all that is known."""
        number, formula = self.loops[id(statement)]
        zero, one = self.terms.number(0), self.terms.number(1)
        entry = replace(state, rounds={**state.rounds, number: zero})
        count = self._count(statement, state)
        self.ask(
            entry, self._invariant(formula, entry), statement, f"the invariant of loop {number} may not hold at first"
        )
        head = self._anywhere(statement, entry)
        head = head.knowing(self._invariant(formula, head), self.terms.compare(">=", head.rounds[number], zero))
        if count is not None:
            head = head.knowing(self.terms.compare("<=", head.rounds[number], count))
        inside, outside = self._round(statement, number, head, count)
        ways = self.block(statement.body, inside) if self.possible(inside) else Ways()
        for end in (*ways.onward, *ways.continued):
            counted = replace(end, rounds={**end.rounds, number: self.terms.arithmetic("+", head.rounds[number], one)})
            problem = f"the invariant of loop {number} may not hold after a round"
            self.ask(counted, self._invariant(formula, counted), statement, problem)
        return Ways([outside, *ways.broken])

    def _count(self, statement: ir.For | ir.While, state: State) -> Term | None:
        """How many rounds a ``for`` makes: settled before the first, the same in both runs."""
        terms, look = self.terms, self.look(state)
        if isinstance(statement, ir.While):
            return None
        if isinstance(statement.source, ir.Range):
            for end in (statement.source.start, statement.source.stop):
                self.ask(state, look.same(end), statement, "the runs may make different numbers of rounds")
            start, stop = (look.value(end, FIRST) for end in (statement.source.start, statement.source.stop))
            return terms.larger(terms.number(0), terms.arithmetic("-", stop, start))
        lengths = [look.length(source) for _, source in statement.source.items]
        count = lengths[0]
        for length in lengths[1:]:
            count = terms.smaller(count, length)
        return count

    def _round(self, statement: ir.For | ir.While, number: int, head: State, count: Term | None) -> tuple[State, State]:
        """The state in which a round begins, and the one in which the loop has ended."""
        terms = self.terms
        if isinstance(statement, ir.While):
            first, second = self.look(head).pair(statement.condition)
            goal = terms.compare("==", first, second)
            self.ask(head, goal, statement, "one run may go on with this loop while the other leaves it")
            return head.knowing(first), head.knowing(terms.negate(first))
        done = head.rounds[number]
        inside = head.knowing(terms.compare("<", done, count))
        outside = head.knowing(terms.compare("==", done, count))
        return self._targets(statement, done, inside), outside

    def _targets(self, statement: ir.For, done: Term, state: State) -> State:
        source = statement.source
        if isinstance(source, ir.Range):
            if walk.names(source.start) & _set_in(statement):
                raise at(statement, "the loop changes where it began to count")
            here = self.terms.arithmetic("+", self.look(state).value(source.start, FIRST), done)
            return state.with_value(source.target, (here, here))
        if source.index is not None:
            state = state.with_value(source.index, (done, done))
        for name, walked in source.items:
            if not isinstance(walked, ir.Name):
                raise at(statement, "only lists by name are walked over in coupling proofs")
            if walked.name in self.inputs.lists:
                pair = tuple(self.inputs.element(walked.name, done, run) for run in (FIRST, SECOND))
            else:  # a list the program built holds the same elements in both runs
                pair = (self.terms.fresh(self.types[name], name),) * 2
            state = state.with_value(name, self._fitted(name, (pair[FIRST], pair[SECOND])))
        return state

    def _anywhere(self, statement: ir.For | ir.While, state: State) -> State:
        """``state`` with everything that the loop can change replaced by anything at all."""
        values, lengths = dict(state.values), dict(state.lengths)
        costs, rounds = dict(state.costs), dict(state.rounds)
        known = state.known
        for name in _set_in(statement):
            if name in lengths:
                lengths[name] = self.terms.fresh(ir.Integer(), f"len({name})")
                known = (*known, self.terms.compare(">=", lengths[name], self.terms.number(0)))
            else:
                values[name] = self._any(name), self._any(name)
        for inner in walk.statements((statement,)):
            if isinstance(inner, ir.Sample) and inner.site in costs:
                costs[inner.site] = self.terms.fresh(ir.Real(), f"cost({inner.site})")
                known = (*known, self.terms.compare(">=", costs[inner.site], self.terms.number(0)))
            if isinstance(inner, ir.For | ir.While):
                loop, _ = self.loops[id(inner)]
                rounds[loop] = self.terms.fresh(ir.Integer(), f"round({loop})")
        return State(values, lengths, costs, rounds, known)

    def _any(self, name: str) -> Term:
        return self.terms.fresh(self.types[name], name)

    def _invariant(self, formula: str, state: State) -> Term:
        """The invariant; variables the front end calls public are, besides, shown to be equal."""
        view = View(self.inputs, state, self.ghost)
        public = [each.name for each in self.mechanism.variables if each.public and each.name in state.values]
        equal = (self.terms.compare("==", *state.values[name]) for name in public)
        return self.terms.both((view.truth(formula), *equal))

    # --- answers --------------------------------------------------------------------------------------------

    def _answer(self, statement: ir.Return, value: ir.Expression, state: State) -> None:
        """Both answers are equal (the second is s if the first is), and no site cost more than its total."""
        terms, look = self.terms, self.look(state)
        goal = look.same(value)
        if self.ghost is not None:
            first, second = look.pair(value)
            state = state.knowing(terms.compare("==", first, self.ghost))
            goal = terms.compare("==", second, self.ghost)
        self.ask(state, goal, statement, "the second run may answer differently")
        for weights, total in totals(self.proof):
            view = View(self.inputs, replace(state, values=self.inputs.scalars, lengths={}), None)
            spent = terms.number(0, real=True)
            for site, weight in weights:
                spent = terms.arithmetic("+", spent, terms.arithmetic("*", terms.number(weight), state.costs[site]))
            within = terms.compare("<=", spent, view.number(total))
            self.ask(state, within, statement, f"the shifts at site {weights[0][0]} may pass {total[:60]}")


def _set_in(statement: ir.For | ir.While) -> frozenset[str]:
    return frozenset(name for inner in walk.statements((statement,)) for name in walk.targets(inner))

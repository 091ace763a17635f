"""The walk over a program in two coupled runs, asking at each place what a coupling proof needs there.

What is shown: for neighbouring inputs (and, with a ghost, for every answer s) the map that shifts each draw of the
first run by its alignment is one-to-one, lands where the second run's noise can be, and makes the second run give the
same answer (s whenever the first gives s). So P₁(s) ≤ Σ e^cost · P₂(shifted draws) ≤ e^cost · P₂(s), where the cost is
the sum of |shift| / scale: [BGGHS16] for the coupling and pointwise equality, [AH18] for shifts that depend on guards.

* causal: an alignment is evaluated where its draw is made, so it can only see what is there;
* one-to-one: asked of the solver at each draw; draws before it are equal for equal histories;
* no unpaired draw: both runs take the same way wherever a draw, a growing list, a loop or a way out stands;
* support: asked of the solver for one-sided noise; lattice: see :mod:`lattice`;
* cost: the accumulators are compared with their totals at every return that gives the answer, and in every round of a
  loop that might never end, since not to answer is an answer too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lapwing.check.couplings import draws, loops
from lapwing.check.couplings.branches import runs_may_part
from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.runs import State
from lapwing.check.couplings.setting import Setting
from lapwing.check.couplings.terms import Term
from lapwing.program import ir

#: More ways through a loop body than any mechanism has; each is a handful of questions.
MAX_PATHS = 400


@dataclass(slots=True)
class Ways:
    """The states in which a block can be left, by how."""

    onward: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)

    def join(self, other: Ways) -> None:
        """Take in the ways of another block."""
        self.onward += other.onward
        self.broken += other.broken
        self.continued += other.continued


@dataclass(slots=True)
class Execution:
    """One walk. Variables are set before they are read, so what they hold at first is free to choose: zero."""

    setting: Setting
    paths: int = 0

    def check(self) -> None:
        """Walk the mechanism; raises Unproved at the first condition that is not confirmed."""
        ways = self.block(self.setting.mechanism.body, self.start())
        if any((ways.onward, ways.broken, ways.continued)):
            raise Unproved("the mechanism can end without an answer")

    def start(self) -> State:
        """Before the first statement."""
        setting, terms = self.setting, self.setting.terms
        values, lengths = dict(setting.inputs.scalars), dict(setting.inputs.lengths)
        for variable in setting.mechanism.variables:
            match variable.type:
                case ir.List():
                    lengths[variable.name] = terms.number(0)
                case ir.Boolean():
                    values[variable.name] = terms.truth(False), terms.truth(False)
                case ir.Real() | ir.Integer() as kind:
                    values[variable.name] = (terms.number(0, real=kind == ir.Real()),) * 2
                case _:
                    raise Unproved(f"the variable '{variable.name}' has a type that coupling proofs do not cover")
        costs = {site: terms.number(0, real=True) for site in setting.sites}
        return State(values, lengths, costs, {number: terms.number(0) for number, _ in setting.loops.values()})

    def block(self, block: Sequence[ir.Statement], state: State) -> Ways:
        """Where a block leads from ``state``."""
        ways = Ways([state])
        for statement in block:
            here, ways.onward = ways.onward, []
            for each in here:
                ways.join(self.statement(statement, each))
        return ways

    def statement(self, statement: ir.Statement, state: State) -> Ways:
        """Where one statement leads from ``state``."""
        setting = self.setting
        match statement:
            case ir.Assign(target, value) if target in state.lengths:
                return Ways([self._list(statement, target, value, state)])
            case ir.Assign(target, value):
                return Ways([state.with_value(target, setting.fitted(target, *setting.look(state).pair(value)))])
            case ir.Append(target, value):
                setting.ask(
                    state, setting.look(state).same(value), statement, f"'{target}' may differ between the runs"
                )
                longer = setting.terms.arithmetic("+", state.lengths[target], setting.terms.number(1))
                return Ways([state.with_length(target, longer)])
            case ir.Sample(kind="laplace" | "exponential"):
                return Ways([draws.shifted(setting, statement, state)])
            case ir.Sample(kind="flip" | "uniform" | "choose"):
                return Ways([draws.equal(setting, statement, state)])
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

    def _list(self, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
        """A list variable is set to elements, or to a copy of a list, that are the same in both runs."""
        look = self.setting.look(state)
        match value:
            case ir.ListOf(elements):
                length = self.setting.terms.number(len(elements))
            case ir.Name() | ir.Slice(ir.Name(), None, None):
                value = value.sequence if isinstance(value, ir.Slice) else value
                length = look.length(value)
            case _:
                raise at(node, f"'{target}' is set to a list that coupling proofs do not cover")
        self.setting.ask(state, look.same(value), node, f"'{target}' may differ between the runs")
        return state.with_length(target, length)

    def _if(self, statement: ir.If, state: State) -> Ways:
        terms = self.setting.terms
        first, second = self.setting.look(state).pair(statement.condition)
        if runs_may_part(statement, self.setting.types):
            return Ways([self._apart(statement, first, second, state)])
        same = terms.compare("==", first, second)
        self.setting.ask(state, same, statement, "the runs may take different branches here")
        ways = Ways()
        for truth, branch in ((first, statement.then), (terms.negate(first), statement.otherwise)):
            here = state.knowing(truth)
            if self.setting.possible(here):
                self.paths += 1
                if self.paths > MAX_PATHS:
                    raise at(statement, "there are too many ways through the mechanism")
                ways.join(self.block(branch, here))
        return ways

    def _apart(self, statement: ir.If, first: Term, second: Term, state: State) -> State:
        """Each run takes its own side; both sides only set variables."""
        choose, values = self.setting.terms.choose, dict(state.values)
        (then,), (otherwise,) = (self.block(side, state).onward for side in (statement.then, statement.otherwise))
        for name in state.values:
            (a, b), (c, d) = then.values[name], otherwise.values[name]
            values[name] = (a if a == c else choose(first, a, c)), (b if b == d else choose(second, b, d))
        return replace(state, values=values)

    def _loop(self, statement: ir.For | ir.While, state: State) -> Ways:
        """The invariant holds at first and after each round; from there on it is all that is known."""
        setting, terms = self.setting, self.setting.terms
        number, formula = setting.loops[id(statement)]
        rounds = loops.count(setting, statement, state)
        entry = loops.after(state, number, terms.number(0))
        setting.ask(
            entry, self._invariant(formula, entry), statement, f"the invariant of loop {number} may not hold at first"
        )
        head = loops.anywhere(setting, statement, entry)
        head = head.knowing(self._invariant(formula, head))
        inside, outside = loops.turn(setting, statement, head, rounds)
        if isinstance(statement, ir.While):
            self._within_totals(statement, inside)
        ways = self.block(statement.body, inside) if setting.possible(inside) else Ways()
        for end in (*ways.onward, *ways.continued):
            again = loops.after(end, number, terms.arithmetic("+", head.rounds[number], terms.number(1)))
            problem = f"the invariant of loop {number} may not hold after a round"
            setting.ask(again, self._invariant(formula, again), statement, problem)
        return Ways([outside, *ways.broken])

    def _invariant(self, formula: str, state: State) -> Term:
        """The invariant; variables the front end calls public are, besides, shown to be equal."""
        terms, variables = self.setting.terms, self.setting.mechanism.variables
        public = [each.name for each in variables if each.public and each.name in state.values]
        equal = [terms.compare("==", *state.values[name]) for name in public]
        return terms.both([self.setting.look(state).formula(formula), *equal])

    def _answer(self, statement: ir.Return, value: ir.Expression, state: State) -> None:
        """Both answers are equal (the second is s if the first is), and no site cost more than its total."""
        terms, look, ghost = self.setting.terms, self.setting.look(state), self.setting.ghost
        if ghost is None:
            goal = look.same(value)
        else:
            first, second = look.pair(value)
            state = state.knowing(terms.compare("==", first, ghost))
            goal = terms.compare("==", second, ghost)
        self.setting.ask(state, goal, statement, "the second run may answer differently")
        self._within_totals(statement, state)

    def _within_totals(self, statement: ir.Statement, state: State) -> None:
        """No site has cost more than its total by now."""
        terms = self.setting.terms
        for weights, text, total in self.setting.totals:
            spent = terms.number(0, real=True)
            for site, weight in weights:
                spent = terms.arithmetic("+", spent, terms.arithmetic("*", terms.number(weight), state.costs[site]))
            within = terms.compare("<=", spent, self.setting.total(total))
            self.setting.ask(state, within, statement, f"the shifts at site {weights[0][0]} may pass {text[:60]}")

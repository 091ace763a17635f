"""Two coupled runs walked in lockstep, asking at each place what a coupling proof needs there.

The one idea: both runs walk every statement, each under its own guard, so no branch and no loop has to agree. A path of
the walk says of each run whether it goes along; where a test may come out differently in the two runs, every pair of
outcomes that is possible is a path of its own.

What is shown, from the end backwards, of every pair of states that the walk relates ([BGGHS16], [AH18]): if V₁ and V₂
are the probabilities that the first and the second run give one fixed answer from there, then V₁ ≤ e^(B - c) · V₂,
where c is what the shifts have cost so far and B the sum of all totals.

* Both runs draw: the noise is shifted one-to-one at the price |shift| / scale (:mod:`draws`). The shift is evaluated
  where the draw is made, from the pair of states and the draw itself, so it is causal.
* A function among the parameters is asked what both runs have released (:mod:`questions`).
* One run draws: whatever follows is shown for every value of that draw, so it holds on average. Later shifts may depend
  on it: they are functions of the pair of states like all others.
* Noise may be moved onto an interval (:mod:`alignments`), and what is shown may leave out tails (:mod:`tails`): then
  it is V₁ ≤ e^(B - c) · V₂ + β + γ · V₁, and the mechanism is (ε, δ)-private.
* A loop turns as long as either run goes round. A ``for`` ends, so a second run that goes on alone ends too; a
  ``while`` may not end, so both runs have to go round it together, and its price is compared with the totals in every
  round, since not to answer is an answer too.
* Only first runs that give the answer matter. With a ghost that answer is known in advance: what the first run
  returns, or appends to a list that it returns, is what the ghost says. So what is asked of a pair of runs is asked at
  the end of its round, when all of that is known; what a draw needs is asked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational import answers, draws, loops, questions
from lapwing.kernel.relational.deferring import AtLast
from lapwing.kernel.relational.loops import Status
from lapwing.kernel.relational.proof_parts import SHIFTED
from lapwing.kernel.relational.runs import FIRST, SECOND, Pair, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.solver import Term

#: More ways through a loop body than any mechanism has; each is a handful of questions.
MAX_PATHS = 400
_BOTH = (True, True)


@dataclass(slots=True)
class Lockstep:
    """One walk. Variables are set before they are read, so what they hold at first is free to choose: zero."""

    setting: Setting
    paths: int = 0

    def check(self) -> None:
        """Walk the mechanism; raises Unproved at the first condition that is not confirmed."""
        if self.block(self.setting.mechanism.body, [self.start()]):
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
        nexts = {name: terms.fresh(kind, f"next({name})") for name, kind in setting.ghost_lists.items()}
        costs = {site: terms.number(0, real=True) for site in setting.sites}
        rounds = dict.fromkeys(setting.loops, terms.number(0))
        tries, uses = (dict.fromkeys(each, terms.number(0)) for each in (setting.counts, setting.spreads))
        no = terms.truth(False), terms.truth(False)
        return State(
            values, lengths, costs, rounds, answered=no, answer=setting.ghost, left=dict.fromkeys(setting.loops, no),
            nexts=nexts, tries=tries, uses=uses,
        )  # fmt: skip

    def block(self, block: Sequence[ir.Statement], states: list[State]) -> list[State]:
        """Where a block leads from any of ``states``; a path on which both runs have answered leads nowhere."""
        for statement in block:
            states = [
                end for state in states for end in (self.statement(statement, state) if any(state.active) else [state])
            ]
        return states

    def statement(self, statement: ir.Statement, state: State) -> list[State]:
        """Where one statement leads from ``state``."""
        setting = self.setting
        match statement:
            case ir.Assign(target, value) if target in state.lengths:
                return [answers.assigned(setting, statement, target, value, state)]
            case ir.Assign(target, value):
                look = setting.look(state)
                return [setting.set(state, target, lambda run: look.value(value, run))]
            case ir.Append(target, value):
                return [answers.appended(setting, statement, target, value, state)]
            case ir.Sample(kind=kind) if kind in SHIFTED:
                draw = draws.shifted if state.active == _BOTH else draws.alone
                return [draw(setting, statement, state)]
            case ir.Sample():
                return [draws.equal(setting, statement, state)]
            case AtLast(kept, foreseen):
                return [
                    state.knowing(
                        *(
                            setting.terms.compare("==", *each)
                            for each in zip(state.values[kept], state.values[foreseen], strict=True)
                        )
                    )
                ]
            case ir.Asking():
                return [questions.asked(setting, statement, state)]
            case ir.If():
                return self._if(statement, state)
            case ir.For() | ir.While():
                return self._loop(statement, state)
            case ir.Break():
                return [replace(state, left=self._marked(state, state.inside[-1])).leaving()]
            case ir.Continue():
                return [state.leaving()]
            case ir.Return(value):
                return answers.returned(setting, statement, value, state)
        raise at(statement, "this statement is outside what coupling proofs cover")

    def _marked(self, state: State, number: int) -> dict[int, Pair]:
        yes = self.setting.terms.truth(True)
        first, second = state.left[number]
        on = state.active
        return {**state.left, number: (yes if on[0] else first, yes if on[1] else second)}

    # --- branches -------------------------------------------------------------------------------------------

    def _if(self, statement: ir.If, state: State) -> list[State]:
        terms, look = self.setting.terms, self.setting.look(state)
        tests = [look.value(statement.condition, run) if state.active[run] else None for run in (FIRST, SECOND)]
        if self._only_sets(statement):
            return [self._apart(statement, tests, state)]
        alike = state.active == _BOTH and self.setting.follows(state, terms.compare("==", *tests))
        ways = [(True, True), (False, False)]
        if state.active == _BOTH and not alike:
            ways += [(True, False), (False, True)]
        ends: list[State] = []
        for way in ways:
            facts = [
                test if side else terms.negate(test) for test, side in zip(tests, way, strict=True) if test is not None
            ]
            here = state.knowing(*(facts[:1] if alike else facts))
            if not self.setting.possible(here):
                continue
            self.paths += 1
            if self.paths > MAX_PATHS:
                raise at(statement, "there are too many ways through the mechanism")
            ends += self._sides(statement, here, way)
        return ends

    def _sides(self, statement: ir.If, state: State, way: tuple[bool, bool]) -> list[State]:
        """Each run walks its side: first those that take the first, then the others."""
        mask, states = state.mask, [state]
        for side, branch in ((True, statement.then), (False, statement.otherwise)):
            on = mask[0] and way[0] is side, mask[1] and way[1] is side
            states = self.block(branch, [replace(each, mask=on) for each in states])
        for each in states:
            answers.none_waiting(each)
        return [replace(each, mask=mask) for each in states]

    def _only_sets(self, statement: ir.If) -> bool:
        """Whether both sides do nothing but set numbers and truth values; then no path has to be split."""
        plain = ir.Real | ir.Integer | ir.Boolean
        return all(
            isinstance(each, ir.If)
            or (isinstance(each, ir.Assign) and isinstance(self.setting.types[each.target], plain))
            for each in walk.statements((*statement.then, *statement.otherwise))
        )

    def _apart(self, statement: ir.If, tests: Sequence[Term | None], state: State) -> State:
        """Each run takes its own side; both sides only set variables."""
        choose, values = self.setting.terms.choose, dict(state.values)
        (then,), (otherwise,) = (self.block(side, [state]) for side in (statement.then, statement.otherwise))
        for name in state.values:
            pairs = zip(tests, then.values[name], otherwise.values[name], strict=True)
            values[name] = tuple(a if a == b or test is None else choose(test, a, b) for test, a, b in pairs)
        return replace(state, values=values)

    # --- loops ----------------------------------------------------------------------------------------------

    def _loop(self, loop: ir.For | ir.While, state: State) -> list[State]:
        """The invariant holds at first and after each round; from there on it is all that is known."""
        setting, terms = self.setting, self.setting.terms
        number = loop.number
        rounds = loops.count(setting, loop, state)
        no = terms.truth(False), terms.truth(False)
        entry = loops.after(answers.settled(setting, state), number, terms.number(0))
        entry = replace(entry, left={**entry.left, number: no})
        self._keep(loop, entry, "at first")
        head = loops.anywhere(setting, loop, entry)
        head = head.knowing(self._invariant(number, head))
        ends: list[State] = []
        for status in product(*loops.statuses(setting, loop, state)):  # of the first run, and of the second
            if Status.IN not in status:
                continue  # then the loop is over, and the path goes on behind it
            here = loops.standing(setting, number, head, status)
            if len(set(status)) > 1 and not setting.possible(here):
                continue
            going = status[0] is Status.IN, status[1] is Status.IN
            inside, outside = loops.turn(setting, loop, replace(here, gone=(not going[0], not going[1])), rounds)
            ends += outside
            for each in inside:
                ends += self._round(loop, each, state)
        return [self._behind(each, state) for each in ends]

    def _round(self, loop: ir.For | ir.While, state: State, before: State) -> list[State]:
        """One round from the head to the head; gives the states in which nobody goes round again."""
        setting, terms = self.setting, self.setting.terms
        if isinstance(loop, ir.While):
            answers.within_totals(setting, loop, state)
        if not setting.possible(state):
            return []
        yes, over = terms.truth(True), []
        inner = replace(state, inside=(*state.inside, loop.number))
        for end in self.block(loop.body, [inner]):
            flags = zip(before.active, end.left[loop.number], end.answered, strict=True)
            if all(not on or left == yes or answered == yes for on, left, answered in flags):
                over.append(end)
                continue
            following = terms.arithmetic("+", state.rounds[loop.number], terms.number(1))
            again = loops.after(answers.settled(setting, end), loop.number, following)
            self._keep(loop, again, "after a round")
        return over

    def _behind(self, state: State, before: State) -> State:
        """The state behind a loop: who answered inside does nothing more."""
        yes = self.setting.terms.truth(True)
        first, second = (was or each == yes for was, each in zip(before.gone, state.answered, strict=True))
        return replace(state, gone=(first, second), inside=before.inside)

    def _keep(self, loop: ir.For | ir.While, state: State, when: str) -> None:
        problem = f"the invariant of loop {loop.number} may not hold {when}"
        self.setting.ask(state, self._invariant(loop.number, state), loop, problem)

    def _invariant(self, number: int, state: State) -> Term:
        """The invariant; variables the front end calls public are, besides, equal while both runs go along.

        One that does not speak of runs that leave says that none has: both leave together, or not at all.
        """
        terms, variables = self.setting.terms, self.setting.mechanism.variables
        public = [each.name for each in variables if each.public and each.name in state.values]
        equal = terms.both([terms.compare("==", *state.values[name]) for name in public])
        formula = self.setting.loops[number]
        stated = [self.setting.look(state).value(formula, FIRST)]
        words = {each.function for each in walk.nodes(formula) if isinstance(each, ir.Builtin)}
        flags = [*state.answered, *state.left[number]]
        if not words & {"%left", "%answered"}:
            stated += map(terms.negate, flags)
        return terms.both([*stated, terms.either([*flags, equal])] if state.mask == _BOTH else stated)

"""Two runs of a mechanism rebuilt side by side, with the facts of a certificate at the loops; one doubt rejects.

The one idea: each run executes each statement under its own condition. At a loop both runs are put into any state
that the facts allow and make one round (a run that is done waits); the facts must hold before the first round and
again after this one. Draws at the same place with the same arguments are coupled to be equal; others may be anything.

Claim: if nothing is doubted, two inputs that agree on what is visible (and on every authorisation check asked) have the
same distribution of answers, and one run ends if and only if the other does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.flow import LEFT, RESULT, RETURNED, Fact
from lapwing.kernel.flow.terms import Listed, Reader, Value, Values
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import types_of
from lapwing.kernel.solver import Term, Terms

#: Arrays, functions, whole and real numbers, also multiplied.
LOGIC = "QF_AUFNIRA"
BOTH = (0, 1)


@dataclass(slots=True)
class _Run:
    state: dict[str, Value]
    live: Term


@dataclass(slots=True)
class Composed:
    """The two runs."""

    mechanism: ir.Mechanism
    facts: Collection[Fact]
    checks: frozenset[int]
    terms: Terms
    values: Values = field(init=False)
    types: dict[str, ir.Type] = field(init=False)
    known: list[Term] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    inputs: list[dict[str, Value]] = field(default_factory=list)
    loops: dict[int, int] = field(init=False)
    #: where a break of the innermost loop is noted, by loop, innermost last
    leaving: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = Values(self.terms)
        flags = dict.fromkeys((LEFT, RETURNED), ir.Boolean())
        self.types = {**types_of(self.mechanism), **flags, RESULT: self.mechanism.returns}
        every = [each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While)]
        self.loops = {id(each): number for number, each in enumerate(every, 1)}

    def check(self) -> None:
        """Raise Unproved unless the answers are certainly equal."""
        for fact in self.facts:
            if fact.loop > len(self.loops):
                raise Unproved(f"a fact speaks of loop {fact.loop}, and there is none")
        alike = self.answered_alike()
        self.demand(alike, self.mechanism, "the answers of two runs may differ")

    def answered_alike(self) -> Term:
        """Walk both runs to the end: the condition that their answers are equal."""
        self._begin()
        self._block(self.mechanism.body)
        return self.values.equal(*(run.state[RESULT] for run in self.runs))

    def _begin(self) -> None:
        labels = policy(self.mechanism)
        self.inputs = [{}, {}]
        for parameter in self.mechanism.parameters:
            one, two = (self.values.any(parameter.type, parameter.name) for _ in BOTH)
            if labels.visible(parameter.name):
                two = one
            elif isinstance(one, Listed) and isinstance(two, Listed) and labels.length_visible(parameter.name):
                two = Listed(two.elements, one.length, two.kind)
            self.inputs[0][parameter.name], self.inputs[1][parameter.name] = one, two
            self._lengths(one)
            self._lengths(two)
        start: dict[str, Value] = {each.name: self.values.zero(each.type) for each in self.mechanism.variables}
        start |= {RETURNED: self.terms.truth(False), RESULT: self.values.zero(self.mechanism.returns)}
        # a variable is set before it is read (structure.check), so what it holds before does not matter
        self.runs = [_Run({**given, **start}, self.terms.truth(True)) for given in self.inputs]
        for condition in self.mechanism.preconditions:
            try:
                self.known += [self._value(condition, run) for run in BOTH]
            except Unproved:
                continue  # knowing less proves no more

    def _lengths(self, value: Value) -> None:
        if isinstance(value, tuple):
            for each in value:
                self._lengths(each)
        elif isinstance(value, Listed):
            self.known.append(self.terms.compare(">=", value.length, self.terms.number(0)))

    # --- statements ---------------------------------------------------------------------------------------

    def _block(self, block: Sequence[ir.Statement]) -> None:
        for statement in block:
            self._statement(statement)

    def _statement(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Assign(target, value):
                for run in BOTH:
                    self._set(run, target, self._value(value, run))
            case ir.Append(target, value):
                for run in BOTH:
                    old, kind = self.runs[run].state[target], self.types[target]
                    if not isinstance(old, Listed) or not isinstance(kind, ir.List):
                        raise at(statement, "a list of lists or of tuples is not followed")
                    self._set(
                        run,
                        target,
                        self.values.appended(old, self.values.fitted(self._value(value, run), kind.element)),
                    )
            case ir.Sample():
                self._sample(statement)
            case ir.If(condition, then, otherwise):
                self._branch([self._value(condition, run) for run in BOTH], then, otherwise)
            case ir.For() | ir.While():
                self.loop(statement)
            case ir.Break() | ir.Continue():
                for each in self.runs:
                    if isinstance(statement, ir.Break):
                        each.state[self.leaving[-1]] = self.terms.either([each.state[self.leaving[-1]], each.live])
                    each.live = self.terms.truth(False)
            case ir.Return(value):
                for run, each in enumerate(self.runs):
                    self._set(run, RESULT, self._value(value, run))
                    each.state[RETURNED] = self.terms.either([each.state[RETURNED], each.live])
                    each.live = self.terms.truth(False)
            case ir.Call():
                raise at(statement, "calls of other mechanisms are not followed")
            case _:
                raise at(statement, "this statement is not followed")

    def loop(self, statement: ir.For | ir.While) -> None:
        """Any one round stands for all of them."""
        Loop(self, statement, self.loops[id(statement)]).check()

    def _set(self, run: int, target: str, value: Value) -> None:
        state = self.runs[run]
        state.state[target] = self.values.choose(
            state.live, self.values.fitted(value, self.types[target]), state.state[target]
        )

    def _branch(self, tests: list[Term], then: Sequence[ir.Statement], otherwise: Sequence[ir.Statement]) -> None:
        before = [run.live for run in self.runs]
        after: list[list[Term]] = []
        for branch, holds in ((then, True), (otherwise, False)):
            for run, live, test in zip(self.runs, before, tests, strict=True):
                run.live = self.terms.both([live, test if holds else self.terms.negate(test)])
            self._block(branch)
            after.append([run.live for run in self.runs])
        for run, yes, no in zip(self.runs, *after, strict=True):
            run.live = self.terms.either([yes, no])

    def _sample(self, statement: ir.Sample) -> None:
        arguments = [[self._value(each, run) for each in statement.arguments] for run in BOTH]
        drawn = [self.terms.fresh(self.types[statement.target], statement.target) for _ in BOTH]
        alike = [self.values.equal(one, two) for one, two in zip(*arguments, strict=True)]
        coupled = self.terms.both([*(run.live for run in self.runs), *alike])
        self.known.append(self.terms.implies(coupled, self.terms.compare("==", *drawn)))
        for run, value in enumerate(drawn):
            self._set(run, statement.target, value)

    # --- asking -------------------------------------------------------------------------------------------

    def _value(self, expression: ir.Expression, run: int, *, quiet: bool = False) -> Value:
        def ask(check: ir.Builtin, left: Value, right: Value, under: Term) -> None:
            if id(check) in self.checks and not quiet:
                self.known.append(self.terms.implies(under, self._answered_alike(check, left, right)))

        return Reader(self.values, self.runs[run].state, ask).value(expression, self.runs[run].live)

    def _answered_alike(self, check: ir.Builtin, left: Value, right: Value) -> Term:
        """Both inputs give this check the same answer: parameters are each input's own, the guess is this run's."""
        answers: list[Term] = []
        for given in self.inputs:
            one, two = (
                given[side.name] if isinstance(side, ir.Name) and side.name in given else value
                for side, value in zip(check.arguments, (left, right), strict=True)
            )
            answers.append(self.values.equal(one, two))
        return self.terms.compare("==", *answers)

    def demand(self, goal: Term, place: ir.Node, problem: str) -> None:
        """Go on only where ``goal`` is certain."""
        if not self.certain(goal):
            self.doubt(place, problem)

    def doubt(self, place: ir.Node, problem: str) -> None:
        """One doubt rejects the certificate."""
        raise at(place, problem)

    def demand_fact(self, fact: Fact, goal: Term, place: ir.Node, when: str) -> None:
        """Go on only where a fact of the certificate, which says ``goal``, is certain."""
        said = "is the same in both runs" if fact.kind == "same" else f"{fact.kind} {fact.value}"
        self.demand(goal, place, f"it is not certain that '{fact.name}' {said}: {when}")

    def certain(self, goal: Term) -> bool:
        """Whether ``goal`` follows from what is known here."""
        return self.terms.entailed(self.known, goal, LOGIC)


@dataclass(slots=True)
class Loop:
    """One loop of both runs."""

    whole: Composed
    statement: ir.For | ir.While
    number: int
    entered: list[Term] = field(default_factory=list)
    #: by run: how many rounds, and what each variable is in a round
    rounds: list[Term] = field(default_factory=list)
    steps: list[list[tuple[str, Term | None, Listed | None]]] = field(default_factory=list)

    @property
    def terms(self) -> Terms:
        """The solver's terms."""
        return self.whole.terms

    @property
    def left(self) -> str:
        """The flag that a ``break`` of this loop sets."""
        return f"{LEFT} {self.number}"

    def begin(self) -> None:
        """Both runs come to the loop."""
        self.entered = [run.live for run in self.whole.runs]
        for index in BOTH:
            self.whole.runs[index].state[self.left] = self.terms.truth(False)
            self.read_source(index)

    def end(self, going: list[Term]) -> None:
        """Both runs go on behind the loop, as neither is ``going`` round again."""
        terms = self.terms
        for run, entered, goes in zip(self.whole.runs, self.entered, going, strict=True):
            self.whole.known.append(terms.negate(goes))
            run.live = terms.both([entered, terms.negate(run.state[RETURNED])])
            del run.state[self.left]

    def check(self) -> None:
        """Any one round, from any state that the facts allow, stands for all of them."""
        whole, terms = self.whole, self.terms
        self.begin()
        self.demand_facts("holds before the first round")
        self.forget()
        counter = terms.fresh(ir.Integer(), "round")
        whole.known.append(terms.compare(">=", counter, terms.number(0)))
        whole.known += [self.fact(each) for each in whole.facts if each.loop == self.number]
        going = [self.going(index, counter) for index in BOTH]
        head, states = list(whole.known), [dict(run.state) for run in whole.runs]
        self.round(going, counter)
        whole.known = head
        for run, state in zip(whole.runs, states, strict=True):
            run.state = state
        self.end(going)

    def round(self, going: list[Term], counter: Term) -> None:
        """Any one round: afterwards the facts hold again, and the loop ends in both runs or in neither."""
        whole, terms = self.whole, self.terms
        together = isinstance(self.statement, ir.For) or whole.certain(terms.compare("==", *going))
        ranks = [self.distances(run) for run in BOTH]
        self.turn(going, counter)
        self.demand_facts("still holds after a round")
        if not together and not all(self.falls(run, going[run], ranks[run]) for run in BOTH):
            whole.doubt(self.statement, "whether this loop ends may depend on what is hidden")

    def turn(self, going: list[Term], counter: Term) -> None:
        """The runs that are ``going`` round do so for the ``counter``-th time."""
        whole = self.whole
        for run, goes in enumerate(going):
            whole.runs[run].live = goes
            for name, start, values in self.steps[run]:
                value = (
                    self.terms.arithmetic("+", start, counter)
                    if values is None
                    else whole.values.at(values, counter, whole.types[name])
                )
                whole._set(run, name, value)
        whole.leaving.append(self.left)
        whole._block(self.statement.body)
        whole.leaving.pop()

    def falls(self, run: int, goes: Term, before: list[Term]) -> bool:
        """Whether some distance is at least 0 in every round and falls by 1 or more: then the rounds are finite."""
        terms = self.terms
        again = terms.both([goes, terms.negate(self.gone(run))])
        for old, new in zip(before, self.distances(run), strict=True):
            less = terms.compare("<=", new, terms.arithmetic("-", old, terms.number(1)))
            bounded = terms.both([terms.compare(">=", old, terms.number(0)), less])
            if self.whole.certain(terms.implies(again, bounded)):
                return True
        return False

    def distances(self, run: int) -> list[Term]:
        """How far the two sides of each comparison in the test are apart."""
        if isinstance(self.statement, ir.For):
            return []
        condition = self.statement.condition
        found: list[Term] = []
        for test in condition.operands if isinstance(condition, ir.And) else (condition,):
            if isinstance(test, ir.Compare) and test.operator not in ("==", "!="):
                sides = [self.whole._value(side, run, quiet=True) for side in (test.left, test.right)]
                small, large = sides if test.operator in ("<", "<=") else reversed(sides)
                found.append(self.terms.arithmetic("-", large, small))
        return found

    def read_source(self, run: int) -> None:
        """What a ``for`` walks over, evaluated before the first round."""
        terms, whole = self.terms, self.whole
        if isinstance(self.statement, ir.While):
            self.rounds.append(None)
            self.steps.append([])
            return
        source = self.statement.source
        if isinstance(source, ir.Range):
            start, stop = whole._value(source.start, run), whole._value(source.stop, run)
            self.rounds.append(terms.arithmetic("-", stop, start))
            self.steps.append([(source.target, start, None)])
            return
        lists = [(name, whole._value(value, run)) for name, value in source.items]
        steps: list[tuple[str, Term | None, Listed | None]] = []
        rounds: Term = None
        for name, value in lists:
            if not isinstance(value, Listed):
                raise at(self.statement, "a list of lists or of tuples is not followed")
            rounds = value.length if rounds is None else terms.smaller(rounds, value.length)
            steps.append((name, None, value))
        if source.index is not None:
            steps.append((source.index, terms.number(0), None))
        self.rounds.append(rounds)
        self.steps.append(steps)

    def forget(self) -> None:
        """Put everything that the loop may change into any state, in the runs that got here."""
        for each in changed(self.statement):
            name, kind = self.left if each == LEFT else each, self.whole.types[each]
            for run, state in enumerate(self.whole.runs):
                fresh = self.whole.values.any(kind, name)
                self.whole._lengths(fresh)
                state.state[name] = self.whole.values.choose(self.entered[run], fresh, state.state[name])

    def going(self, run: int, counter: Term) -> Term:
        """Whether a run makes another round."""
        state = self.whole.runs[run]
        state.live = self.terms.both([self.entered[run], self.terms.negate(self.gone(run))])
        if isinstance(self.statement, ir.While):
            test = self.whole._value(self.statement.condition, run)
        else:
            test = self.terms.compare("<", counter, self.rounds[run])
        return self.terms.both([state.live, test])

    def gone(self, run: int) -> Term:
        """Whether a run has left the loop, or answered."""
        state = self.whole.runs[run].state
        return self.terms.either([state[self.left], state[RETURNED]])

    def demand_facts(self, when: str) -> None:
        """Every fact about this loop holds here."""
        for fact in [each for each in self.whole.facts if each.loop == self.number]:
            self.whole.demand_fact(fact, self.fact(fact), self.statement, when)

    def fact(self, fact: Fact) -> Term:
        """What a fact says of the two states."""
        name = self.left if fact.name == LEFT else fact.name
        if any(name not in run.state for run in self.whole.runs):
            raise at(self.statement, f"a fact speaks of '{fact.name[:40]}', which is nothing here")
        one, two = (run.state[name] for run in self.whole.runs)
        if fact.kind == "same" or fact.value is None:
            return self.whole.values.equal(one, two)
        operator = {"equals": "==", "at least": ">=", "at most": "<="}[fact.kind]
        value = self.terms.number(fact.value)
        if any(isinstance(each, tuple | Listed) or self.terms.is_truth(each) for each in (one, two)):
            raise at(self.statement, f"a fact compares '{fact.name[:40]}', which is no number")
        return self.terms.both(self.terms.compare(operator, each, value) for each in (one, two))


def changed(statement: ir.For | ir.While) -> list[str]:
    """The variables that a loop may change, and what it may say of answers and of leaving it."""
    inner = list(walk.statements((statement,)))
    names = list(dict.fromkeys(name for each in inner for name in walk.targets(each)))
    names += [LEFT] if any(isinstance(each, ir.Break) for each in inner) else []
    return names + ([RETURNED, RESULT] if any(isinstance(each, ir.Return) for each in inner) else [])

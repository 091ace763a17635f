"""Self-composition: two runs side by side, and whether their answers can differ.

The one idea: each run executes every statement under a condition, so code without loops is one formula per run. Loops
go round together, a run that is done waiting for the other; what both keep alike there is found by Houdini: guess many
facts, drop those that fail, repeat. Draws that both runs make at the same place with the same arguments give the same
value, which is a coupling: equal answers then mean equal distributions of answers.

Claim: where :func:`proof` gives facts, answers are equal, and one run ends if and only if the other does: at every head
of a ``while`` both go on or both stop, or a whole number that falls bounds the rounds.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.evidence.flow import LEFT, RESULT, RETURNED, Composition, Fact
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.labels import Policy, policy
from lapwing.kernel.program.spans import Span
from lapwing.kernel.program.types import types_of
from lapwing.search.flow.terms import (
    Blocked,
    Listed,
    Reader,
    Scalar,
    Term,
    either,
    element_at,
    equal,
    fitted,
    unknown,
    zero,
)
from lapwing.search.solving import limited_solver

#: How long the solver may think about one question, how long about all of them, and how often a pass is repeated.
MILLISECONDS, SECONDS, PASSES = 2000, 20.0, 60
TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)


@dataclass(slots=True)
class _Run:
    """One run: its variables, and the condition under which it executes the next statement."""

    variables: dict[str, Term]
    live: Scalar


def proof(mechanism: ir.Mechanism, checks: frozenset[int], seconds: float = SECONDS) -> Composition:
    """The facts from which equal answers follow; raises Blocked where there are none, or it cannot be told in time."""
    product = Product(mechanism, checks, time.monotonic() + seconds)
    product.guess()
    for _ in range(PASSES):
        before = len(product.facts)
        product.execute()
        if len(product.facts) == before:
            if product.doubt is not None:
                raise product.doubt
            return Composition(tuple(sorted(product.facts, key=lambda fact: (fact.loop, fact.name, fact.kind))))
    raise Blocked("what the loops keep alike does not settle")


@dataclass(slots=True)
class Product:
    """Two runs of a mechanism. With ``unrolled`` loops go round at most so often, to look for a difference."""

    mechanism: ir.Mechanism
    checks: frozenset[int]
    deadline: float = math.inf
    unrolled: int | None = None
    facts: set[Fact] = field(default_factory=set)
    assumed: list[Scalar] = field(default_factory=list)
    doubt: Blocked | None = None
    inputs: tuple[dict[str, Term], dict[str, Term]] = field(default_factory=lambda: ({}, {}))
    runs: tuple[_Run, _Run] = field(default_factory=lambda: (_Run({}, TRUE), _Run({}, TRUE)))
    types: dict[str, ir.Type] = field(default_factory=dict)
    loops: dict[int, int] = field(default_factory=dict)
    #: the flag of the innermost loop that a break sets, innermost last
    inside: list[str] = field(default_factory=list)
    _count: itertools.count[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.types = types_of(self.mechanism)
        every = [each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While)]
        self.loops = {id(each): number for number, each in enumerate(every, 1)}
        if any(isinstance(each, ir.Call) for each in walk.statements(self.mechanism.body)):
            raise Blocked("calls of other mechanisms are not followed")

    @property
    def policy(self) -> Policy:
        """Who may see what."""
        return policy(self.mechanism)

    # --- the whole ----------------------------------------------------------------------------------------

    def execute(self) -> Scalar:
        """Walk both runs to the end; the condition that their answers differ."""
        self.assumed, self.doubt, self._count = [], None, itertools.count()
        self._begin()
        self._block(self.mechanism.body)
        first, second = (run.variables[RESULT] for run in self.runs)
        differ = z3.Not(equal(first, second))
        if self.unrolled is None and not self._holds(z3.Not(differ)):
            self._doubted("the answers of two runs may differ", self.mechanism.span)
        return differ

    def _begin(self) -> None:
        visible = self.policy
        inputs: tuple[dict[str, Term], dict[str, Term]] = ({}, {})
        for parameter in self.mechanism.parameters:
            name = parameter.name
            values = [unknown(parameter.type, f"{name}!{run}") for run in (1, 2)]
            if visible.visible(name):
                values[1] = values[0]
            elif isinstance(values[0], Listed) and isinstance(values[1], Listed) and visible.length_visible(name):
                values[1] = Listed(values[1].elements, values[0].length)
            for given, value in zip(inputs, values, strict=True):
                given[name] = value
                self.assumed += [each.length >= 0 for each in _parts(value) if isinstance(each, Listed)]
        self.inputs = inputs
        shared: dict[str, Term] = {RETURNED: FALSE, RESULT: zero(self.mechanism.returns)}
        for variable in self.mechanism.variables:
            shared[variable.name] = zero(variable.type)
        self.runs = (_Run({**inputs[0], **shared}, TRUE), _Run({**inputs[1], **shared}, TRUE))
        for condition in self.mechanism.preconditions:
            try:
                for run in (0, 1):
                    self.assumed.append(self._term(condition, run))
            except Blocked:
                continue  # assuming less is sound

    # --- statements ---------------------------------------------------------------------------------------

    def _block(self, block: Sequence[ir.Statement]) -> None:
        for statement in block:
            match statement:
                case ir.Assign(target, value):
                    for run in (0, 1):
                        self._store(run, target, self._term(value, run))
                case ir.Append(target, value):
                    for run in (0, 1):
                        self._append(run, target, self._term(value, run))
                case ir.Sample():
                    self._sample(statement)
                case ir.If(condition, then, otherwise):
                    self._branch(condition, then, otherwise)
                case ir.For() | ir.While():
                    self._loop(statement)
                case ir.Break():
                    for state in self.runs:
                        state.variables[self.inside[-1]] = z3.Or(state.variables[self.inside[-1]], state.live)
                        state.live = FALSE
                case ir.Continue():
                    for state in self.runs:
                        state.live = FALSE
                case ir.Return(value):
                    for run, state in enumerate(self.runs):
                        answer = fitted(self._term(value, run), self.mechanism.returns)
                        state.variables[RESULT] = either(state.live, answer, state.variables[RESULT])
                        state.variables[RETURNED] = z3.Or(state.variables[RETURNED], state.live)
                        state.live = FALSE

    def _store(self, run: int, target: str, value: Term) -> None:
        state = self.runs[run]
        state.variables[target] = either(state.live, fitted(value, self.types[target]), state.variables[target])

    def _append(self, run: int, target: str, value: Term) -> None:
        old, kind = self.runs[run].variables[target], self.types[target]
        if not isinstance(old, Listed) or not isinstance(kind, ir.List):
            raise Blocked("a list of lists or of tuples is not followed")
        grown = z3.Store(old.elements, old.length, fitted(value, kind.element))
        self._store(run, target, Listed(grown, old.length + 1))

    def _branch(
        self, condition: ir.Expression, then: Sequence[ir.Statement], otherwise: Sequence[ir.Statement]
    ) -> None:
        tests = [self._term(condition, run) for run in (0, 1)]
        before = [run.live for run in self.runs]
        for run, test, live in zip(self.runs, tests, before, strict=True):
            run.live = _both(live, test)
        self._block(then)
        after = [run.live for run in self.runs]
        for run, test, live in zip(self.runs, tests, before, strict=True):
            run.live = _both(live, z3.Not(test))
        self._block(otherwise)
        for run, live in zip(self.runs, after, strict=True):
            run.live = z3.simplify(z3.Or(live, run.live))

    def _sample(self, statement: ir.Sample) -> None:
        """A draw made by both runs with the same arguments gives both the same value."""
        arguments = [[self._term(each, run) for each in statement.arguments] for run in (0, 1)]
        kind = self.types[statement.target]
        drawn = [unknown(kind, self._name(f"{statement.target}!{run}")) for run in (1, 2)]
        together = [run.live for run in self.runs] + [equal(a, b) for a, b in zip(*arguments, strict=True)]
        self.assumed.append(z3.Implies(z3.And(together), drawn[0] == drawn[1]))
        for run, value in enumerate(drawn):
            first = arguments[run][0]
            if statement.kind in ("uniform", "choose"):
                count = first.length if isinstance(first, Listed) else first
                self.assumed.append(z3.And(value >= 0, value < count))
            if statement.kind == "exponential":
                self.assumed.append(value >= 0)
            self._store(run, statement.target, value)

    # --- loops --------------------------------------------------------------------------------------------

    def _loop(self, statement: ir.For | ir.While) -> None:
        number = self.loops[id(statement)]
        entered = [run.live for run in self.runs]
        left = self._name(LEFT)
        for run in self.runs:
            run.variables[left] = FALSE
        sources = [self._source(statement, run) for run in (0, 1)]
        self.inside.append(left)
        if self.unrolled is None:
            self._rounds(statement, number, entered, left, sources)
        else:
            self._unroll(statement, entered, left, sources, self.unrolled)
        self.inside.pop()
        for run, live in zip(self.runs, entered, strict=True):
            run.live = z3.simplify(_both(live, z3.Not(run.variables[RETURNED])))
            del run.variables[left]

    def _rounds(
        self, statement: ir.For | ir.While, number: int, entered: list[Scalar], left: str, sources: list[_Source]
    ) -> None:
        """One round from any state that the facts allow."""
        facts = [fact for fact in self.facts if fact.loop == number]
        for fact in facts:
            if not self._holds(self._fact(fact, left)):
                self.facts.discard(fact)
        facts = [fact for fact in facts if fact in self.facts]
        for name in changed(statement):
            for index, run in enumerate(self.runs):
                key, old = (left, FALSE) if name == LEFT else (name, run.variables[name])
                kind = self._type(name)
                fresh = unknown(kind, self._name(f"{name}!{index + 1}"))
                self.assumed += [each.length >= 0 for each in _parts(fresh) if isinstance(each, Listed)]
                run.variables[key] = either(entered[index], fresh, old)
        counter = z3.Int(self._name("round"))
        self.assumed.append(counter >= 0)
        self.assumed += [self._fact(fact, left) for fact in facts]
        going, head = self._going(statement, entered, left, sources, counter), len(self.assumed)
        state = [dict(run.variables) for run in self.runs]
        ranks = [self._ranks(statement, index) for index in (0, 1)] if isinstance(statement, ir.While) else [[], []]
        for run, live in zip(self.runs, going, strict=True):
            run.live = live
        self._turn(statement, sources, counter)
        for fact in facts:
            if not self._holds(self._fact(fact, left)):
                self.facts.discard(fact)
        if isinstance(statement, ir.While) and not self._holds_at(head, going[0] == going[1]):
            for index in (0, 1):
                again = z3.And(going[index], z3.Not(self._gone(index, left)))
                after = self._ranks(statement, index)
                falls = [
                    z3.Implies(again, z3.And(a >= 0, b <= a - 1)) for a, b in zip(ranks[index], after, strict=True)
                ]
                if not any(self._holds(each) for each in falls):
                    self._doubted("whether this loop ends may depend on what is hidden", statement.span)
                    break
        del self.assumed[head:]
        for run, kept, live in zip(self.runs, state, going, strict=True):
            run.variables = kept
            self.assumed.append(z3.Not(live))

    def _unroll(
        self, statement: ir.For | ir.While, entered: list[Scalar], left: str, sources: list[_Source], rounds: int
    ) -> None:
        for turn in range(rounds):
            going = self._going(statement, entered, left, sources, z3.IntVal(turn))
            for run, live in zip(self.runs, going, strict=True):
                run.live = z3.simplify(live)
            self._turn(statement, sources, z3.IntVal(turn))
        going = self._going(statement, entered, left, sources, z3.IntVal(rounds))
        self.assumed += [z3.Not(live) for live in going]

    def _turn(self, statement: ir.For | ir.While, sources: list[_Source], counter: Scalar) -> None:
        if isinstance(statement, ir.For):
            for run, source in enumerate(sources):
                for name, value in source.at(counter, self.types):
                    self._store(run, name, value)
        self._block(statement.body)

    def _going(
        self, statement: ir.For | ir.While, entered: list[Scalar], left: str, sources: list[_Source], counter: Scalar
    ) -> list[Scalar]:
        """Whether each run makes another round."""
        going: list[Scalar] = []
        for index, live in enumerate(entered):
            here = z3.And(live, z3.Not(self._gone(index, left)))
            self.runs[index].live = here
            test = (
                self._term(statement.condition, index)
                if isinstance(statement, ir.While)
                else counter < sources[index].rounds
            )
            going.append(z3.And(here, test))
        return going

    def _gone(self, run: int, left: str) -> Scalar:
        variables = self.runs[run].variables
        return z3.Or(variables[left], variables[RETURNED])

    def _source(self, statement: ir.For | ir.While, run: int) -> _Source:
        if isinstance(statement, ir.While):
            return _Source(z3.IntVal(0))
        source = statement.source
        if isinstance(source, ir.Range):
            start, stop = self._term(source.start, run), self._term(source.stop, run)
            return _Source(stop - start, counters=((source.target, start),))
        lists = [(name, self._term(value, run)) for name, value in source.items]
        if not all(isinstance(value, Listed) for _, value in lists):
            raise Blocked("a list of lists or of tuples is not followed", statement.span)
        rounds = lists[0][1].length
        for _, value in lists[1:]:
            rounds = either(value.length <= rounds, value.length, rounds)
        counters = () if source.index is None else ((source.index, z3.IntVal(0)),)
        return _Source(rounds, counters, tuple(lists))

    def _ranks(self, statement: ir.While, run: int) -> list[Scalar]:
        """What might fall in every round: the distance between the two sides of a comparison in the test."""
        tests = statement.condition.operands if isinstance(statement.condition, ir.And) else (statement.condition,)
        found: list[Scalar] = []
        for test in tests:
            if isinstance(test, ir.Compare) and test.operator in ("<", "<=", ">", ">="):
                small, large = (test.left, test.right) if test.operator in ("<", "<=") else (test.right, test.left)
                found.append(self._term(large, run, quiet=True) - self._term(small, run, quiet=True))
        return found

    # --- facts --------------------------------------------------------------------------------------------

    def guess(self) -> None:
        """Facts that may hold at the loops: sameness, and bounds by the numbers that variables start from."""
        starts: dict[str, set[Fraction]] = {}
        for statement in walk.statements(self.mechanism.body):
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Number):
                starts.setdefault(statement.target, set()).add(statement.value.value)
        for statement in walk.statements(self.mechanism.body):
            if not isinstance(statement, ir.For | ir.While):
                continue
            number = self.loops[id(statement)]
            for name in changed(statement):
                self.facts.add(Fact(number, "same", name))
                if isinstance(self._type(name), ir.Integer | ir.Real):
                    for value in starts.get(name, ()):
                        self.facts |= {Fact(number, kind, name, value) for kind in ("equals", "at least", "at most")}

    def _fact(self, fact: Fact, left: str) -> Scalar:
        key = left if fact.name == LEFT else fact.name
        one, two = (run.variables[key] for run in self.runs)
        if fact.kind == "same":
            return equal(one, two)
        value = z3.RealVal(fact.value)
        match fact.kind:
            case "equals":
                return z3.And(one == value, two == value)
            case "at least":
                return z3.And(one >= value, two >= value)
        return z3.And(one <= value, two <= value)

    def _type(self, name: str) -> ir.Type:
        if name == RESULT:
            return self.mechanism.returns
        return ir.Boolean() if name in (LEFT, RETURNED) else self.types[name]

    # --- the solver ---------------------------------------------------------------------------------------

    def _term(self, expression: ir.Expression, run: int, *, quiet: bool = False) -> Term:
        state = self.runs[run]

        def ask(check: ir.Builtin, left: Term, right: Term, under: Scalar) -> None:
            if id(check) in self.checks and not quiet:
                self.assumed.append(z3.Implies(under, self._answers_alike(check, left, right)))

        return Reader(state.variables, ask).term(expression, state.live)

    def _answers_alike(self, check: ir.Builtin, left: Term, right: Term) -> Scalar:
        """Both inputs give this check the same answer: its parameters are each run's own, the guess is this run's."""
        answers: list[Scalar] = []
        for inputs in self.inputs:
            sides = [
                inputs[side.name] if isinstance(side, ir.Name) and side.name in inputs else value
                for side, value in zip(check.arguments, (left, right), strict=True)
            ]
            answers.append(equal(sides[0], sides[1]))
        return answers[0] == answers[1]

    def _holds(self, goal: Scalar) -> bool:
        return self._holds_at(len(self.assumed), goal)

    def _holds_at(self, count: int, goal: Scalar) -> bool:
        if z3.is_true(z3.simplify(goal)):
            return True
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Blocked("the time limit passed")
        solver = limited_solver(int(min(MILLISECONDS, 1000 * left)) + 1)
        solver.add(*self.assumed[:count], z3.Not(goal))
        return bool(solver.check() == z3.unsat)

    def _doubted(self, reason: str, span: Span) -> None:
        if self.doubt is None:
            self.doubt = Blocked(reason, span)

    def _name(self, stem: str) -> str:
        return f"{stem}#{next(self._count)}"


@dataclass(frozen=True, slots=True)
class _Source:
    """What one run of a ``for`` walks over: how many rounds, what counts them, and the lists."""

    rounds: Scalar
    counters: tuple[tuple[str, Scalar], ...] = ()
    lists: tuple[tuple[str, Listed], ...] = ()

    def at(self, counter: Scalar, types: dict[str, ir.Type]) -> list[tuple[str, Term]]:
        """The variables of the round ``counter``."""
        found: list[tuple[str, Term]] = [(name, start + counter) for name, start in self.counters]
        return found + [(name, element_at(values, counter, types[name])) for name, values in self.lists]


def changed(statement: ir.For | ir.While) -> list[str]:
    """The variables and flags that a loop may change."""
    inner = list(walk.statements((statement,)))
    names = dict.fromkeys(name for each in inner for name in walk.targets(each))
    flags = [LEFT] if any(isinstance(each, ir.Break) for each in inner) else []
    if any(isinstance(each, ir.Return) for each in inner):
        flags += [RETURNED, RESULT]
    return [*names, *flags]


def _parts(term: Term) -> list[Term]:
    return [part for each in term for part in _parts(each)] if isinstance(term, tuple) else [term]


def _both(one: Scalar, two: Scalar) -> Scalar:
    return z3.simplify(z3.And(one, two))

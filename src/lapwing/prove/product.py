"""Two runs of a mechanism on neighbouring inputs, executed together, as conditions a solver can be asked about.

The one idea: both runs walk the same statements. Where a branch contains draws, answers or loops the runs must agree
on it (an obligation); a branch that only assigns is taken by each run for itself. An *aligner* says how draws shift.
Loops are either unrolled a few rounds (to search) or cut at their heads (to prove every size): then each way into a
head is an :class:`Arrival`, and whatever holds on all arrivals is an invariant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.program import ir, walk
from lapwing.program.spans import Span
from lapwing.prove.encoding import Blocked, Entry, Grown, Pair, PrivateList, PublicList, Scope, Truths
from lapwing.prove.inputs import Inputs, unknown
from lapwing.prove.states import State, assigned, both, completed, joined, merged, some
from lapwing.prove.terms import ZERO, is_zero, length

#: Given a site's number and the scope at the draw (with ``draw()``): the shift.
Aligner = Callable[[int, Scope], z3.ArithRef]
Ghost = Literal["none", "output"]


@dataclass(frozen=True, slots=True)
class Obligation:
    """``formula`` must follow from ``facts``."""

    facts: tuple[z3.BoolRef, ...]
    formula: z3.BoolRef
    reason: str
    span: Span
    #: the loop whose invariant may be assumed
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A way to the head of ``loop``: given ``facts`` and the invariant of ``after``, its own must hold in ``scope``."""

    loop: int
    facts: tuple[z3.BoolRef, ...]
    scope: Scope
    after: int | None


@dataclass(slots=True)
class Product:
    """The two runs. ``rounds`` unrolls every loop that often; ``None`` cuts loops at their heads."""

    mechanism: ir.Mechanism
    ghost: Ghost
    aligner: Aligner
    rounds: int | None = None
    obligations: list[Obligation] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    #: at each loop's head: what names mean there
    heads: dict[int, Scope] = field(default_factory=dict)
    exits: list[tuple[tuple[z3.BoolRef, ...], Scope, int | None]] = field(default_factory=list)
    inputs: Inputs = field(init=False)
    rigid: list[z3.BoolRef] = field(default_factory=list)
    _after: int | None = None
    _fresh: int = 0
    _branches: int = 0
    #: states in which the innermost loop was left, or its round cut short
    _broken: list[State] = field(default_factory=list)
    _continued: list[State] = field(default_factory=list)
    _loops: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inputs = Inputs(self.mechanism)

    @property
    def facts(self) -> list[z3.BoolRef]:
        """What is known where the walk is now."""
        return self.inputs.facts

    def run(self) -> None:
        """Walk the whole mechanism."""
        loops = (each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While))
        self._loops = {id(loop): number for number, loop in enumerate(loops, 1)}
        words: dict[str, z3.ExprRef] = {}
        for statement in walk.statements(self.mechanism.body):
            if isinstance(statement, ir.Sample):
                words[f"cost({statement.site})"] = z3.RealVal(0)
        if self.ghost == "output":
            words["output()"] = z3.Const("output()", _sort(self.mechanism.returns))
        state = State(self.inputs.parameters(words), words, z3.BoolVal(True))
        scope = self.scope(state)
        for condition in self.mechanism.preconditions:
            self.inputs.assume_if_linear(condition, scope)
        self.rigid = list(self.facts)
        self.block(self.mechanism.body, state, ())

    def scope(self, state: State) -> Scope:
        """What names mean in ``state``."""
        return Scope(state.variables, state.words, self.inputs.read)

    def fresh(self, name: str, sort: z3.SortRef) -> z3.ExprRef:
        """A new unknown."""
        self._fresh += 1
        return z3.Const(f"{name}!{self._fresh}", sort)

    # --- statements ---------------------------------------------------------------------------------------

    def block(self, block: tuple[ir.Statement, ...], state: State, rest: tuple[ir.Statement, ...]) -> State:
        """Walk a block; ``rest`` is what is read after it, for liveness."""
        for position, statement in enumerate(block):
            if z3.is_false(state.guard):
                return state
            state = self.statement(statement, state, (*block[position + 1 :], *rest))
        return state

    def statement(self, statement: ir.Statement, state: State, rest: tuple[ir.Statement, ...]) -> State:
        """Walk one statement."""
        scope = self.scope(state)
        match statement:
            case ir.Assign(target, ir.ListOf(())):
                return assigned(state, target, Grown())
            case ir.Assign(target, value):
                return assigned(state, target, scope.entry(value))
            case ir.Append(target, value):
                if not isinstance(state.variables.get(target), Grown):
                    raise Blocked(f"'{target}' is not a list built here", statement.span)
                self._same(value, state, "the runs append different values")
                return state
            case ir.Sample():
                return self._sample(statement, state)
            case ir.If(condition, then, otherwise):
                return self._if(statement, scope.truth(condition), then, otherwise, state, rest)
            case ir.For() | ir.While():
                return self._loop(statement, state, rest)
            case ir.Return(value):
                self._answer(value, state)
                return replace(state, guard=z3.BoolVal(False))
            case ir.Break():
                self._broken.append(state)
                return replace(state, guard=z3.BoolVal(False))
            case ir.Continue():
                self._continued.append(state)
                return replace(state, guard=z3.BoolVal(False))
        raise Blocked(f"{type(statement).__name__.lower()} is outside what couplings follow", statement.span)

    def _sample(self, statement: ir.Sample, state: State) -> State:
        scope = self.scope(state)
        if statement.kind not in ("laplace", "exponential"):
            return assigned(state, statement.target, self._equal_draw(statement, scope))
        draw = self.fresh(statement.target, z3.RealSort())
        drawn = replace(scope, words={**scope.words, "draw()": draw})
        shift = self.aligner(statement.site, drawn)
        again = self.fresh(statement.target, z3.RealSort())
        moved = self.aligner(statement.site, replace(scope, words={**scope.words, "draw()": again}))
        if not z3.eq(z3.simplify(shift), z3.simplify(moved)):
            clash = z3.And(draw != again, draw + shift == again + moved)
            self._oblige(state, z3.Not(clash), "the shift maps two draws to one", statement.span)
        size = z3.If(shift >= 0, shift, -shift)
        if statement.kind == "exponential":
            self.facts.append(draw >= 0)
            self._oblige(state, shift >= 0, "the shift leaves the support of the noise", statement.span)
        name = f"cost({statement.site})"
        words = {**state.words, name: state.words[name] + size}
        return assigned(replace(state, words=words), statement.target, Pair(draw, shift))

    def _equal_draw(self, statement: ir.Sample, scope: Scope) -> Entry:
        """A draw from one law in both runs: coupled to be equal, at no cost."""
        if statement.kind == "flip":
            coin = self.fresh(statement.target, z3.BoolSort())
            return Truths(coin, coin)
        if statement.kind == "uniform":
            number = self.fresh(statement.target, z3.IntSort())
            self.inputs.facts += [number >= 0, number < scope.number(statement.arguments[0]).value]
            return Pair(number, ZERO)
        raise Blocked(f"{statement.kind} has no shift", statement.span)

    def _if(
        self,
        statement: ir.If,
        condition: Truths,
        then: tuple[ir.Statement, ...],
        otherwise: tuple[ir.Statement, ...],
        state: State,
        rest: tuple[ir.Statement, ...],
    ) -> State:
        if not condition.same and not may_part(statement):
            same = condition.value == condition.other
            self._oblige(state, same, "the runs take different branches", statement.span)
            condition = Truths(condition.value, condition.value)
        self._branches += 1
        yes = self.block(then, replace(state, guard=both(state.guard, condition.value)), rest)
        no = self.block(otherwise, replace(state, guard=both(state.guard, z3.Not(condition.value))), rest)
        self._branches -= 1
        if not condition.same:  # pure branches: nobody leaves, so the guard is the one before
            return merged(condition, yes, no, state.guard, statement.span)
        if z3.is_false(yes.guard) or z3.is_false(no.guard):
            return no if z3.is_false(yes.guard) else yes
        untouched = yes.guard.eq(both(state.guard, condition.value)) and no.guard.eq(
            both(state.guard, z3.Not(condition.value))
        )
        guard = state.guard if untouched else z3.Or(yes.guard, no.guard)
        return merged(condition, yes, no, guard, statement.span)

    def _loop(self, statement: ir.For | ir.While, state: State, rest: tuple[ir.Statement, ...]) -> State:
        number = self._loops[id(statement)]
        counter = f"round({number})"
        state = replace(state, words={**state.words, counter: ZERO})
        if isinstance(statement, ir.For):
            self._check_source(statement.source, state)
        outer, self._broken = self._broken, []
        walked = self._cut if self.rounds is None else self._unrolled
        ended = walked(statement, state, number, rest)
        self._broken = outer
        return ended

    def _unrolled(
        self, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]
    ) -> State:
        assert self.rounds is not None  # noqa: S101  # the caller's case
        for _ in range(self.rounds):
            goes_on = self._goes_on(statement, state, number)
            inside = replace(state, guard=both(state.guard, goes_on.value))
            ended = self._round(statement, inside, number, rest)
            left = both(state.guard, z3.Not(goes_on.value))
            state = merged(goes_on, ended, completed(state, ended), some(ended.guard, left), statement.span)
        self.facts.append(z3.Implies(state.guard, z3.Not(self._goes_on(statement, state, number).value)))
        return joined(state, self._broken, statement.span)

    def _cut(self, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]) -> State:
        if self._branches:
            raise Blocked("a loop inside a branch is outside what couplings follow", statement.span)
        self._arrive(number, state)
        live = _reads((statement, *rest)) | {n for n, entry in state.variables.items() if isinstance(entry, Grown)}
        parameters = {each.name for each in self.mechanism.parameters}
        head = self._havoc(state, number, live, parameters)
        self.heads[number] = self.scope(head)
        self._after = number
        self.inputs.start_again(self.rigid)
        goes_on = self._goes_on(statement, head, number)
        before = list(self.facts)
        self.inputs.start_again([*before, goes_on.value])
        self._arrive(number, self._round(statement, head, number, (statement, *rest)))
        if self._broken and self._after != number:
            raise Blocked("a break beside an inner loop is outside what couplings follow", statement.span)
        inside = [each for each in self.facts if each is not goes_on.value]
        self._after = number
        if not self._broken:
            self.inputs.start_again([*before, z3.Not(goes_on.value)])
            return head
        broken = [replace(each, guard=both(goes_on.value, each.guard)) for each in self._broken]
        after = joined(replace(head, guard=z3.Not(goes_on.value)), broken, statement.span)
        self.inputs.start_again([*inside, after.guard])
        return replace(after, guard=z3.BoolVal(True))

    def _havoc(self, state: State, number: int, live: set[str], parameters: set[str]) -> State:
        variables: dict[str, Entry] = {}
        found = {each.name: each for each in self.mechanism.variables}
        for name, entry in state.variables.items():
            if name in parameters or isinstance(entry, Grown):
                variables[name] = entry
            elif name in live:
                variables[name] = unknown(f"{name}@{number}", found[name].type, public=found[name].public)
        words = dict(state.words)
        for name, term in state.words.items():
            if name.startswith(("cost(", "round(")):
                words[name] = z3.Const(f"{name}@{number}", term.sort())
        return State(variables, words, z3.BoolVal(True))

    def _arrive(self, number: int, state: State) -> None:
        if not z3.is_false(state.guard):
            self.arrivals.append(Arrival(number, (*self.facts, state.guard), self.scope(state), self._after))

    def _check_source(self, source: ir.Over | ir.Range, state: State) -> None:
        scope = self.scope(state)
        if isinstance(source, ir.Range):
            if not is_zero(scope.number(source.start).hat) or not is_zero(scope.number(source.stop).hat):
                raise Blocked("the number of rounds differs between the runs", source.span)
            return
        for _, value in source.items:
            if not isinstance(scope.entry(value), PrivateList | PublicList):
                raise Blocked("this list is outside what couplings follow", value.span)

    def _goes_on(self, statement: ir.For | ir.While, state: State, number: int) -> Truths:
        scope = self.scope(state)
        if isinstance(statement, ir.While):
            found = scope.truth(statement.condition)
            if not found.same:
                self._oblige(state, found.value == found.other, "only one run goes round again", statement.span)
            return Truths(found.value, found.value)
        counter = state.words[f"round({number})"]
        if isinstance(statement.source, ir.Range):
            start, stop = scope.number(statement.source.start), scope.number(statement.source.stop)
            test = counter < stop.value - start.value
        else:
            names = [value.name for _, value in statement.source.items if isinstance(value, ir.Name)]
            test = z3.And([counter < length(name) for name in names])
        return Truths(test, test)

    def _round(self, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]) -> State:
        counter = state.words[f"round({number})"]
        if isinstance(statement, ir.For):
            scope = self.scope(state)
            source = statement.source
            if isinstance(source, ir.Range):
                start = scope.number(source.start)
                value = counter if is_zero(start.value) else start.value + counter
                state = assigned(state, source.target, Pair(value, ZERO))
            else:
                if source.index is not None:
                    state = assigned(state, source.index, Pair(counter, ZERO))
                for name, value in source.items:
                    entry = scope.entry(value)
                    assert isinstance(entry, PrivateList | PublicList)  # noqa: S101  # _check_source
                    state = assigned(state, name, self.inputs.read(entry, Pair(counter, ZERO), source.span))
        outer, self._continued = self._continued, []
        branches, self._branches = self._branches, 0
        ended = joined(self.block(statement.body, state, rest), self._continued, statement.span)
        self._continued, self._branches = outer, branches
        following = counter + 1
        return replace(ended, words={**ended.words, f"round({number})": following})

    # --- obligations --------------------------------------------------------------------------------------

    def _oblige(self, state: State, formula: z3.BoolRef, reason: str, span: Span) -> None:
        facts = (*self.facts, state.guard)
        self.obligations.append(Obligation(facts, formula, reason, span, self._after))

    def _same(self, value: ir.Expression, state: State, reason: str) -> None:
        if isinstance(value, ir.TupleOf | ir.ListOf):
            for each in value.elements:
                self._same(each, state, reason)
            return
        entry = self.scope(state).entry(value)
        if isinstance(entry, Pair) and not is_zero(entry.hat):
            self._oblige(state, entry.hat == 0, reason, value.span)
        elif isinstance(entry, Truths) and not entry.same:
            self._oblige(state, entry.value == entry.other, reason, value.span)
        elif isinstance(entry, PrivateList):
            raise Blocked("a private list is answered as it is", value.span)

    def _answer(self, value: ir.Expression, state: State) -> None:
        self.exits.append(((*self.facts, state.guard), self.scope(state), self._after))
        if self.ghost == "none":
            self._same(value, state, "the runs answer differently")
            return
        ghost = state.words["output()"]
        entry = self.scope(state).entry(value)
        if not isinstance(entry, Pair | Truths):
            raise Blocked("only a number or truth value is compared with the ghost", value.span)
        formula = z3.Implies(entry.value == ghost, entry.other == ghost)
        self._oblige(state, formula, "the runs answer differently", value.span)


def _sort(kind: ir.Type) -> z3.SortRef:
    match kind:
        case ir.Integer():
            return z3.IntSort()
        case ir.Real():
            return z3.RealSort()
        case ir.Boolean():
            return z3.BoolSort()
    raise Blocked("only a number or truth value is compared with the ghost")


def may_part(statement: ir.If) -> bool:
    """Whether each run may take its own side: both only set numbers and truth values."""
    inside = list(walk.statements((*statement.then, *statement.otherwise)))
    plain = all(isinstance(each, ir.Assign | ir.If) for each in inside)
    return plain and not any(isinstance(each, ir.Assign) and isinstance(each.value, ir.ListOf) for each in inside)


def _reads(block: tuple[ir.Statement, ...]) -> set[str]:
    return {
        name
        for statement in walk.statements(block)
        for expression in walk.expressions(statement)
        for name in walk.names(expression)
    }

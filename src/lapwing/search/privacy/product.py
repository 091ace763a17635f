"""Two runs of a mechanism on neighbouring inputs, executed together, as conditions a solver can be asked about.

The one idea: both runs walk the same statements. Where a branch contains draws, answers or loops the runs must agree
on it (an obligation); a branch that only assigns is taken by each run for itself. An *aligner* says how draws shift.
Loops are either unrolled a few rounds (to search) or cut at their heads (to prove every size): then each way into a
head is an :class:`Arrival`, and whatever holds on all arrivals is an invariant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.spans import Span
from lapwing.kernel.relational.deferring import AtLast
from lapwing.kernel.relational.proof_parts import SHIFTED
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Entry, Filled, Grown, Pair, PrivateList, PublicList, Scope, Truths
from lapwing.search.privacy.held import element_facts, held_lists, picked
from lapwing.search.privacy.inputs import Inputs
from lapwing.search.privacy.loops import past_loop
from lapwing.search.privacy.obligations import Arrival, Obligation
from lapwing.search.privacy.states import State, assigned, both, merged
from lapwing.search.privacy.terms import ZERO, is_zero, real
from lapwing.search.privacy.unshifted import asked, equal_draw, sort_of

#: Given a site's number and the scope at the draw (with ``draw()``): the shift.
Aligner = Callable[[int, Scope], z3.ArithRef]
Ghost = Literal["none", "output"]


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
    #: the loop whose invariant is known where the walk is now
    after: int | None = None
    #: branches around it, inside the innermost loop
    branches: int = 0
    #: states in which the innermost loop was left, or its round cut short
    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)
    #: elements of built lists that are read by a variable in a loop: what an invariant may speak of
    looks: dict[int, list[ir.Index]] = field(default_factory=dict)
    held: dict[str, ir.Type] = field(default_factory=dict)
    #: by site: what its noise never is
    apart: Mapping[int, tuple[ir.Expression, ...]] = field(default_factory=dict)
    _fresh: int = 0

    def __post_init__(self) -> None:
        self.inputs = Inputs(self.mechanism)
        self.held = held_lists(self.mechanism)

    @property
    def facts(self) -> list[z3.BoolRef]:
        """What is known where the walk is now."""
        return self.inputs.facts

    def run(self) -> None:
        """Walk the whole mechanism."""
        words: dict[str, z3.ExprRef] = {}
        for statement in walk.statements(self.mechanism.body):
            if isinstance(statement, ir.Sample):
                words[f"cost({statement.site})"] = z3.RealVal(0)
        for variable in self.mechanism.variables:
            if isinstance(variable.type, ir.List):
                words[f"len({variable.name})"] = ZERO
        if self.ghost == "output":
            words["output()"] = z3.Const("output()", sort_of(_considered(self.mechanism)[1]))
        rigid = {name: term for name, term in words.items() if name == "output()"}
        parameters = self.inputs.parameters(rigid)
        if self.rounds is None:
            ghost = self.ghost == "output"
            for name, kind in self.held.items():
                self.inputs.hold(Filled(name, kind), element_facts(self.mechanism, name, kind, ghost=ghost))
        words = {**words, **rigid}
        state = State(parameters, words, z3.BoolVal(True))
        scope = self.scope(state)
        for condition in self.mechanism.preconditions:
            self.inputs.assume_if_linear(condition, scope)
        self.rigid = list(self.facts)
        self.block(self.mechanism.body, state, ())

    def scope(self, state: State) -> Scope:
        """What names mean in ``state``."""

        def read(sequence: PrivateList | PublicList | Filled, index: Pair, span: Span) -> Entry:
            if isinstance(sequence, Filled):
                length = state.words[f"len({sequence.name})"]
                if self.rounds is None:
                    return self.inputs.read_held(sequence, index, length)
                return picked(sequence, index, length)
            return self.inputs.read(sequence, index, span)

        return Scope(state.variables, state.words, read)

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
                made = Filled(target, self.held[target]) if target in self.held else Grown()
                state = replace(state, words={**state.words, f"len({target})": ZERO})
                return assigned(state, target, made)
            case ir.Assign(target, value):
                return assigned(state, target, scope.entry(value))
            case ir.Append(target, value):
                if isinstance(state.variables.get(target), Filled):
                    return self._held(target, value, state, statement.span)
                if not isinstance(state.variables.get(target), Grown):
                    raise Blocked(f"'{target}' is not a list built here", statement.span)
                self.same(value, state, "the runs append different values")
                return _longer(state, target)
            case ir.Sample():
                return self._sample(statement, state)
            case ir.Asking():
                return asked(self, statement, state)
            case AtLast(kept, foreseen):
                one, two = (scope.number(ir.Name(name)) for name in (kept, foreseen))
                same = z3.And(one.value == two.value, one.other == two.other)
                self.facts.append(z3.Implies(state.guard, same))
                return state
            case ir.If(condition, then, otherwise):
                return self._if(statement, scope.truth(condition), then, otherwise, state, rest)
            case ir.For() | ir.While():
                return past_loop(self, statement, state, rest)
            case ir.Return(value):
                self._answer(value, state)
                return replace(state, guard=z3.BoolVal(False))
            case ir.Break():
                self.broken.append(state)
                return replace(state, guard=z3.BoolVal(False))
            case ir.Continue():
                self.continued.append(state)
                return replace(state, guard=z3.BoolVal(False))
        raise Blocked(f"{type(statement).__name__.lower()} is outside what couplings follow", statement.span)

    def _held(self, target: str, value: ir.Expression, state: State, span: Span) -> State:
        """Append what may differ between the runs."""
        element, sequence = self.scope(state).entry(value), state.variables[target]
        if not isinstance(element, Pair | Truths) or not isinstance(sequence, Filled):
            raise Blocked("a list of lists is outside what couplings follow", span)
        if self.rounds is not None:
            sequence = replace(sequence, elements=(*sequence.elements, element))
            return _longer(assigned(state, target, sequence), target)
        scope = self.inputs.of_element(sequence, state.words[f"len({target})"], element)
        for fact in self.inputs.held[target]:
            scope.truth(fact)  # whatever it reads is known from here on
        self.arrivals.append(Arrival(target, (*self.facts, state.guard), scope, self.after))
        return _longer(state, target)

    def _sample(self, statement: ir.Sample, state: State) -> State:
        scope = self.scope(state)
        if statement.kind not in SHIFTED:
            return assigned(state, statement.target, equal_draw(self, statement, scope))
        sort = z3.IntSort() if statement.kind == "discrete_laplace" else z3.RealSort()
        draw = self.fresh(statement.target, sort)
        drawn = replace(scope, words={**scope.words, "draw()": draw})
        shift = self.aligner(statement.site, drawn)
        again = self.fresh(statement.target, sort)
        moved = self.aligner(statement.site, replace(scope, words={**scope.words, "draw()": again}))
        if not z3.eq(z3.simplify(shift), z3.simplify(moved)):
            clash = z3.And(draw != again, draw + shift == again + moved)
            self.oblige(state, z3.Not(clash), "the shift maps two draws to one", statement.span)
        size = z3.If(shift >= 0, shift, -shift)
        if statement.kind == "exponential":
            self.facts.append(draw >= 0)
            self.oblige(state, shift >= 0, "the shift leaves the support of the noise", statement.span)
        self.facts.extend(draw != real(scope.number(each).value) for each in self.apart.get(statement.site, ()))
        name = f"cost({statement.site})"
        words = {**state.words, name: state.words[name] + size}
        return assigned(replace(state, words=words), statement.target, Pair(draw, shift))

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
            self.oblige(state, same, "the runs take different branches", statement.span)
            condition = Truths(condition.value, condition.value)
        self.branches += 1
        yes = self.block(then, replace(state, guard=both(state.guard, condition.value)), rest)
        no = self.block(otherwise, replace(state, guard=both(state.guard, z3.Not(condition.value))), rest)
        self.branches -= 1
        if not condition.same:  # pure branches: nobody leaves, so the guard is the one before
            return merged(condition, yes, no, state.guard, statement.span)
        if z3.is_false(yes.guard) or z3.is_false(no.guard):
            return no if z3.is_false(yes.guard) else yes
        untouched = yes.guard.eq(both(state.guard, condition.value)) and no.guard.eq(
            both(state.guard, z3.Not(condition.value))
        )
        guard = state.guard if untouched else z3.Or(yes.guard, no.guard)
        return merged(condition, yes, no, guard, statement.span)

    # --- obligations --------------------------------------------------------------------------------------

    def oblige(self, state: State, formula: z3.BoolRef, reason: str, span: Span) -> None:
        """Ask for ``formula`` where the walk is now."""
        facts = (*self.facts, state.guard)
        self.obligations.append(Obligation(facts, formula, reason, span, self.after))

    def same(self, value: ir.Expression, state: State, reason: str) -> None:
        """Ask that a value is the same in both runs."""
        if isinstance(value, ir.TupleOf | ir.ListOf):
            for each in value.elements:
                self.same(each, state, reason)
            return
        entry = self.scope(state).entry(value)
        if isinstance(entry, Pair) and not is_zero(entry.hat):
            self.oblige(state, entry.hat == 0, reason, value.span)
        elif isinstance(entry, Truths) and not entry.same:
            self.oblige(state, entry.value == entry.other, reason, value.span)
        elif isinstance(entry, PrivateList):
            raise Blocked("a private list is answered as it is", value.span)

    def _answer(self, value: ir.Expression, state: State) -> None:
        self.exits.append(((*self.facts, state.guard), self.scope(state), self.after))
        if self.ghost == "none":
            self.same(value, state, "the runs answer differently")
            return
        ghost = state.words["output()"]
        place, _ = _considered(self.mechanism)
        if place is not None:
            if not isinstance(value, ir.TupleOf):
                raise Blocked("only a tuple that is written out is considered by one of its parts", value.span)
            self.facts.append(z3.Implies(state.guard, self.scope(state).number(value.elements[place]).value == ghost))
            self.same(value, state, "the runs answer differently")
            return
        entry = self.scope(state).entry(value)
        if not isinstance(entry, Pair | Truths):
            raise Blocked("only a number or truth value is compared with the ghost", value.span)
        formula = z3.Implies(entry.value == ghost, entry.other == ghost)
        self.oblige(state, formula, "the runs answer differently", value.span)


def _longer(state: State, name: str) -> State:
    """The state after a list grew by one."""
    return replace(state, words={**state.words, f"len({name})": state.words[f"len({name})"] + 1})


def _considered(mechanism: ir.Mechanism) -> tuple[int | None, ir.Type]:
    """The part of an answer that is considered one at a time, and its type."""
    if not isinstance(mechanism.returns, ir.Tuple):
        return None, mechanism.returns
    parts = mechanism.returns.elements
    whole = [place for place, part in enumerate(parts) if isinstance(part, ir.Integer)]
    if len(whole) != 1:
        raise Blocked("only one part of an answer is considered")
    return whole[0], parts[whole[0]]


def may_part(statement: ir.If) -> bool:
    """Whether each run may take its own side: both only set numbers and truth values."""
    inside = list(walk.statements((*statement.then, *statement.otherwise)))
    plain = all(isinstance(each, ir.Assign | ir.If) for each in inside)
    return plain and not any(isinstance(each, ir.Assign) and isinstance(each.value, ir.ListOf) for each in inside)

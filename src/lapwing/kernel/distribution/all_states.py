"""A program walked on all its states at once: what comes out is every answer, or an event, with its weight.

The one idea: a comparison splits a state, a draw that nothing mentions any more is integrated away, and states that
became alike are one (:mod:`~lapwing.kernel.distribution.states`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from flint import arb, fmpq

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.biases import closed_sides, enclosed_sides
from lapwing.kernel.distribution.events import NEVER, growing, matches, remaining
from lapwing.kernel.distribution.exponentials import ExactProbability
from lapwing.kernel.distribution.expressions import Evaluator
from lapwing.kernel.distribution.factors import Factors, drawn, multiply
from lapwing.kernel.distribution.integers import Draw, Law
from lapwing.kernel.distribution.liveness import Liveness, Names, liveness
from lapwing.kernel.distribution.pieces import Coefficient
from lapwing.kernel.distribution.states import Space, State, States, merge
from lapwing.kernel.distribution.values import (
    Form,
    Known,
    Rational,
    Remaining,
    Undecided,
    Value,
    concrete,
    fits,
    fraction,
    inward,
    plain,
)
from lapwing.kernel.evidence import values as written
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run.evaluate import Environment
from lapwing.kernel.uncomputable import TooMuch, Uncomputable

#: Names that no program can use: an answer, and the mark on a caller's variables while its callee runs.
ANSWER, CALLER = "%answer", "^"
REAL, WHOLE = frozenset({"laplace", "exponential", "gaussian"}), frozenset({"discrete_laplace", "discrete_gaussian"})
#: Rounds of a loop that are followed in closed form: one that goes on may be one that coins end, and balls follow that.
CLOSED_ROUNDS = 64


def returned(
    space: Space, module: ir.Module, name: str, arguments: Mapping[str, written.Value], event: Event | None
) -> States:
    """The states in which the mechanism has answered: :data:`ANSWER` holds what, or True where it is in ``event``."""
    start = space.start({each: inward(value) for each, value in arguments.items()})
    return _Walker(module, space).run(module[name], start, event)


def weighed(space: Space, states: States, event: Event | None) -> Iterator[tuple[Value, Coefficient]]:
    """Every answer of some states with its weight; or, of an event, True with the weight of each way to it."""

    def asked(look: Evaluator) -> Value:
        answer = look.environment[ANSWER]
        return _enumerated(answer, look.known) if event is None else matches(event, answer, look.known)

    for state, answer in space.ask(states, asked):
        if event is None or answer is True:
            yield answer, space.weigh(state)


def _enumerated(answer: Value, known: Known) -> Value:
    """The answer, once every whole draw in it has a value."""
    for each in answer if isinstance(answer, tuple) else (answer,):
        if isinstance(each, tuple):
            _enumerated(each, known)
        elif isinstance(each, Form) and each.mentions[0][0] in known.whole:
            raise Undecided(None, each.mentions[0][0])
    return answer


@dataclass(slots=True)
class _Exits:
    """States that left a block early."""

    returned: States
    broken: States = field(default_factory=dict)
    continued: States = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The mechanism that is running, the event its answer is held against, and the lists that grow towards it."""

    mechanism: ir.Mechanism
    live: Liveness
    event: Event | None
    grown: Mapping[str, Event]

    def after(self, statement: ir.Statement) -> Names:
        """The variables that still matter after a statement."""
        return self.live.after[id(statement)]


@dataclass(slots=True)
class _Walker:
    module: ir.Module
    space: Space

    def run(self, mechanism: ir.Mechanism, states: States, event: Event | None) -> States:
        """The states in which ``mechanism`` has answered, from states that hold its arguments."""
        frame = _Frame(mechanism, liveness(mechanism), event, growing(mechanism, event))
        begun: States = {}
        for state, holds in self.space.ask(states, lambda look: all(map(look.truth, mechanism.preconditions))):
            if not holds:
                raise InvalidInput("C112", f"an assert of {mechanism.name} fails", "Give parameters that satisfy it")
            self.space.put(begun, state)
        exits = _Exits({})
        if self._block(frame, mechanism.body, begun, exits):
            raise InvalidInput("C111", f"{mechanism.name} can end without an answer", "End it with a return")
        return exits.returned

    def _block(self, frame: _Frame, block: tuple[ir.Statement, ...], states: States, exits: _Exits) -> States:
        for statement in block:
            if not states:
                break
            states = self._statement(frame, statement, states, exits)
        return states

    def _statement(self, frame: _Frame, statement: ir.Statement, states: States, exits: _Exits) -> States:
        """The states after ``statement``; those that leave the block go to ``exits``."""
        after: States = {}
        match statement:
            case ir.Assign(target, expression):
                live = frame.after(statement)
                for state, value in self.space.ask(states, lambda look: look.value(expression)):
                    if target in frame.grown:
                        value = Remaining(frame.grown[target])  # the one that empties it
                    self.space.put(after, state, {target: value}, live)
            case ir.Append():
                self._append(frame, statement, states, after)
            case ir.Sample():
                self._sample(frame, statement, states, after)
            case ir.Call():
                self._call(frame, statement, states, after)
            case ir.Asking():
                raise Uncomputable("what a function answers is not known")
            case ir.If(condition, then, otherwise):
                yes, no = self._parted(condition, states, frame.live.begin[id(statement)])
                merge(self.space, after, self._block(frame, then, yes, exits), self._block(frame, otherwise, no, exits))
            case ir.For():
                self._for(frame, statement, states, after, exits)
            case ir.While():
                self._while(frame, statement, states, after, exits)
            case ir.Break():
                merge(self.space, exits.broken, states)
            case ir.Continue():
                merge(self.space, exits.continued, states)
            case ir.Return():
                self._return(frame, statement, states, exits)
        return after

    def _parted(self, condition: ir.Expression, states: States, live: tuple[Names, Names]) -> tuple[States, States]:
        parts: tuple[States, States] = ({}, {})
        for state, holds in self.space.ask(states, lambda look: look.truth(condition)):
            side = 0 if holds else 1
            self.space.put(parts[side], state, None, live[side])
        return parts

    def _return(self, frame: _Frame, statement: ir.Return, states: States, exits: _Exits) -> None:
        event, kind = frame.event, frame.mechanism.returns

        def answered(look: Evaluator) -> Value:
            value = look.value(statement.value)
            if not fits(value, kind, look.known):  # the front end settles types: this program did not pass it
                raise InvalidInput("C112", "an answer is not of the annotated type", "Read the source again")
            return value if event is None else matches(event, value, look.known)

        for state, value in self.space.ask(states, answered):
            if event is None or value is True:
                callers = {name: each for name, each in state.variables.items() if name[0] == CALLER}
                done = State(callers, state.factors, state.whole, state.weight)
                self.space.put(exits.returned, done, {ANSWER: value})

    def _append(self, frame: _Frame, statement: ir.Append, states: States, after: States) -> None:
        """Append; of a list that is the answer in the making, only what the rest must be is kept."""
        target, live = statement.target, frame.after(statement)

        def appended(look: Evaluator) -> Value:
            before, value = look.environment[target], look.value(statement.value)
            if isinstance(before, Remaining):
                return Remaining(remaining(before.event, value, look.known))
            return (*cast("tuple[Value, ...]", before), value)

        for state, longer in self.space.ask(states, appended):
            if longer != Remaining(NEVER):
                self.space.put(after, state, {target: longer}, live)

    def _while(self, frame: _Frame, loop: ir.While, states: States, after: States, exits: _Exits) -> None:
        rounds = 0
        live = frame.live.begin[id(loop)]
        while states:
            states, done = self._parted(loop.condition, states, live)
            inner = _Exits(exits.returned)
            states = merge(self.space, self._block(frame, loop.body, states, inner), inner.continued)
            merge(self.space, after, done, inner.broken)
            rounds += 1
            if rounds > 32 and not self.space.is_exact:
                states = self._without_dust(states)
            if rounds > self.space.limits.rounds or (rounds > CLOSED_ROUNDS and self.space.is_exact):
                raise self._endless(loop)

    def _without_dust(self, states: States) -> States:
        """The states that still weigh something; the others are lost, and counted as such."""
        kept: States = {}
        for key, alike in states.items():
            for state in alike:
                weight = self.space.weigh(state).upper()
                if weight < arb(2) ** -(self.space.bits + 60):
                    self.space.lost += weight
                else:
                    kept.setdefault(key, []).append(state)
        return kept

    def _endless(self, loop: ir.For | ir.While) -> TooMuch:
        problem = f"the loop at {loop.span} has not ended after {self.space.limits.rounds} rounds"
        return TooMuch(problem, "Give inputs on which it ends, or raise the limit with --max-rounds")

    def _for(self, frame: _Frame, loop: ir.For, states: States, after: States, exits: _Exits) -> None:
        rows = f"%{loop.number}"  # what is left of the loop is a variable of the state: lists may differ between states
        targets, (live, leave) = loop.source.targets, frame.live.begin[id(loop)]
        inside = live | frozenset(targets)
        waiting: States = {}
        inner = _Exits(exits.returned)
        for state, values in self.space.ask(states, lambda look: look.rows(loop.source)):
            if len(values) > self.space.limits.rounds:
                raise self._endless(loop)
            self.space.put(waiting, state, {rows: values})
        while waiting:
            entered: States = {}
            for state, left in self.space.ask(waiting, lambda look: look.sequence(ir.Name(rows))):
                if left:
                    row = zip(targets, cast("tuple[Value, ...]", left[0]), strict=True)
                    self.space.put(entered, state, {rows: left[1:], **dict(row)}, inside)
                else:
                    self.space.put(after, _without(state, rows), None, leave)
            waiting = merge(self.space, self._block(frame, loop.body, entered, inner), inner.continued)
            inner.continued = {}
        for alike in inner.broken.values():
            for state in alike:
                self.space.put(after, _without(state, rows), None, leave)

    def _call(self, frame: _Frame, call: ir.Call, states: States, after: States) -> None:
        """The callee runs in the same states; the caller's variables wait under marked names."""
        callee = self.module[call.mechanism]
        names = [parameter.name for parameter in callee.parameters]
        live = frame.after(call)
        inside: States = {}
        for state, values in self.space.ask(states, lambda look: [*map(look.value, call.arguments)]):
            waiting = {
                CALLER + name: value
                for name, value in state.variables.items()
                if name in live or name[0] in "^%"
            }  # fmt: skip
            entered = State(waiting, state.factors, state.whole, state.weight)
            self.space.put(inside, entered, dict(zip(names, values, strict=True)))
        for alike in self.run(callee, inside, None).values():
            for state in alike:
                back = {each.removeprefix(CALLER): value for each, value in state.variables.items() if each != ANSWER}
                done = State(back, state.factors, state.whole, state.weight)
                self.space.put(after, done, {call.target: state.variables[ANSWER]}, live)

    # --- draws ---

    def _sample(self, frame: _Frame, sample: ir.Sample, states: States, after: States) -> None:
        live = frame.after(sample)
        if sample.kind == "choose":
            self._choose(sample, states, after, live)
            return
        if is_irrational(sample.arguments[0]):
            self._flip(sample, states, after, live)
            return
        for state, size in self.space.ask(states, lambda look: look.number(sample.arguments[0])):
            if sample.kind in REAL or sample.kind in WHOLE:
                _public(size > 0, "a noise scale is not above 0")
                self._draw(state, sample, size, after, live)
            elif sample.kind == "flip":
                _public(0 <= size <= 1, "a probability is outside [0, 1]")
                for side, chance in ((True, size), (False, 1 - size)):
                    if chance != 0:
                        self._branch(state, sample.target, side, self._number(chance), after, live)
            else:
                _public(isinstance(size, int) and size >= 1, "uniform(n) has no value to draw from")
                self.space.spend(int(size))
                for value in range(int(size)):
                    self._branch(state, sample.target, value, self._number(1 / fmpq(size)), after, live)

    def _draw(self, state: State, sample: ir.Sample, scale: Rational, after: States, live: Names) -> None:
        taken = {draw for mentions in state.factors for draw, _ in mentions} | set(state.whole)
        number = max(taken, default=-1) + 1
        fresh = Form(((number, 1),), 0)
        factors: Factors = dict(state.factors)
        whole = dict(state.whole)
        if (sample.kind in WHOLE or sample.kind == "gaussian") and self.space.is_exact:
            raise Uncomputable("this noise has no closed form")
        if sample.kind in WHOLE:
            exactly = fraction(scale)
            whole[number] = Draw(Law(sample.kind, exactly.numerator, exactly.denominator), None, None)
        else:
            multiply(self.space.calculus, factors, fresh, drawn(self.space.calculus, sample.kind, fmpq(scale)))
        self.space.put(after, State(state.variables, factors, whole, state.weight), {sample.target: fresh}, live)

    def _choose(self, sample: ir.Sample, states: States, after: States, live: Names) -> None:
        def read(look: Evaluator) -> tuple[list[Rational], Rational]:
            scores = [concrete(score) for score in look.sequence(sample.arguments[0])]
            return scores, look.number(sample.arguments[1])

        for state, (scores, scale) in self.space.ask(states, read):
            _public(scale > 0, "the scale of choose is not above 0")
            _public(len(scores) > 0, "choose has no scores")
            likely: list[Coefficient]
            if self.space.is_exact:
                likely = list(ExactProbability.softmax([fraction(plain(fmpq(each) / scale)) for each in scores]))
            else:
                best = max(map(fmpq, scores))
                weights = [arb((each - best) / scale).exp() for each in scores]
                likely = [weight / sum(weights, arb(0)) for weight in weights]
            for value, chance in enumerate(likely):
                self._branch(state, sample.target, value, chance, after, live)

    def _flip(self, sample: ir.Sample, states: States, after: States, live: Names) -> None:
        """A coin whose bias is a real number, a formula over public parameters."""
        bias = sample.arguments[0]

        def read(look: Evaluator) -> Environment:
            return {name: _written(look.value(ir.Name(name))) for name in walk.names(bias)}

        for state, numbers in self.space.ask(states, read):
            sides = closed_sides(bias, numbers) if self.space.is_exact else enclosed_sides(bias, numbers)
            for value, chance in zip((True, False), sides, strict=True):
                if not self.space.calculus.ring.is_zero(chance):
                    self._branch(state, sample.target, value, chance, after, live)

    def _number(self, value: Rational) -> Coefficient:
        return self.space.calculus.ring.number(fmpq(value))

    def _branch(self, state: State, target: str, value: Value, chance: Coefficient, after: States, live: Names) -> None:
        weighed = State(state.variables, state.factors, state.whole, state.weight * chance)
        self.space.put(after, weighed, {target: value}, live)


def _written(value: Value) -> written.Value:
    """A number, or a list of which the length is asked."""
    return tuple(None for _ in value) if isinstance(value, tuple) else fraction(concrete(value))  # type: ignore[misc]  # no element is read


def _public(holds: object, problem: str) -> None:
    if not holds:
        raise InvalidInput("C112", problem, "Give parameters with which the mechanism runs")


def _without(state: State, name: str) -> State:
    variables = {each: value for each, value in state.variables.items() if each != name}
    return State(variables, state.factors, state.whole, state.weight)

"""The probability that a mechanism's answer lies in an event, enclosed.

The one idea: walk all states at once and add up only what is certain. Mass certainly inside the event and mass
certainly outside it are summed apart; the probability is at least the first and at most one minus the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from flint import fmpq

from lapwing.algebra.balls import Interval
from lapwing.check.expressions import Evaluator
from lapwing.check.laws import Draw, Law, choice
from lapwing.check.states import Run, Space, States, merge
from lapwing.check.values import Affine, Value, concrete, fits, matches, may_begin, plain
from lapwing.errors import InvalidInput
from lapwing.evidence.event import AnyOf, Anything, Event
from lapwing.program import ir, walk

#: Names that no program can use: an answer, and the mark on a caller's variables while its callee runs.
ANSWER, CALLER = "%answer", "^"


def probability(
    module: ir.Module, name: str, arguments: Mapping[str, Value], event: Event, lattice: Fraction, bits: int, limit: int
) -> Interval:
    """P(the answer of ``name`` on ``arguments`` is in ``event``), with noise on multiples of ``lattice``.

    The interval is about 2^-bits wide, or exact when all randomness is rational. More than ``limit`` steps are refused.
    """
    space = Space(bits, limit)
    interpreter = _Interpreter(module, lattice, space)
    start: States = {}
    space.put(start, Run(dict(arguments), (), fmpq(1)))
    answers = interpreter.answers(module[name], start, _grown_answers(module[name], event))
    for run, hit in space.ask(answers, {}, lambda look: matches(event, look.environment[ANSWER], look.draws)):
        interpreter.count(run, inside=hit)
    lower, upper = interpreter.inside, 1 - interpreter.outside
    if not space.dropped:  # every path was followed, so what was never reached is impossible
        lower, upper = (fmpq(1) if interpreter.outside == 0 else lower), (fmpq(0) if interpreter.inside == 0 else upper)
    return Interval(Fraction(int(lower.p), int(lower.q)), Fraction(int(upper.p), int(upper.q)))


@dataclass(slots=True)
class _Exits:
    """States that left a block early."""

    returned: States
    broken: States = field(default_factory=dict)
    continued: States = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The mechanism that is running; ``grown`` are the lists its answer grows in, with the events they must hit."""

    types: Mapping[str, ir.Type]
    returns: ir.Type
    grown: Mapping[str, Event]


@dataclass(slots=True)
class _Interpreter:
    module: ir.Module
    lattice: Fraction
    space: Space
    inside: fmpq = field(default_factory=fmpq)
    outside: fmpq = field(default_factory=fmpq)

    def count(self, run: Run, *, inside: bool) -> None:
        """A run is decided: add its whole weight to one side."""
        weight = self.space.settled(run.weight, run.draws)
        if inside:
            self.inside += weight
        else:
            self.outside += weight

    def answers(self, mechanism: ir.Mechanism, states: States, grown: Mapping[str, Event]) -> States:
        """The states in which ``mechanism`` has answered, from states that hold its arguments."""
        types = {each.name: each.type for each in mechanism.parameters}
        types |= {each.name: each.type for each in mechanism.variables}
        unset: dict[str, Value] = dict.fromkeys(each.name for each in mechanism.variables)
        begun: States = {}
        for run, holds in self.space.ask(states, types, lambda look: all(map(look.truth, mechanism.preconditions))):
            if not holds:
                raise InvalidInput("C112", f"an assert of {mechanism.name} fails", "Give parameters that satisfy it")
            self.space.put(begun, run, unset)
        exits = _Exits({})
        if self._block(_Frame(types, mechanism.returns, grown), mechanism.body, begun, exits):
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
                for run, value in self.space.ask(states, frame.types, lambda look: look.value(expression)):
                    self.space.put(after, run, {target: value})
            case ir.Append(target, expression):
                self._append(frame, target, expression, states, after)
            case ir.Sample():
                self._sample(frame, statement, states, after)
            case ir.Call():
                self._call(frame, statement, states, after)
            case ir.If(condition, then, otherwise):
                yes, no = self._parted(frame, condition, states)
                merge(after, self._block(frame, then, yes, exits), self._block(frame, otherwise, no, exits))
            case ir.For(source, body):
                self._for(frame, source, body, states, after, exits)
            case ir.While(condition, body):
                while states:
                    states, done = self._parted(frame, condition, states)
                    inner = _Exits(exits.returned)
                    states = merge(self._block(frame, body, states, inner), inner.continued)
                    merge(after, done, inner.broken)
            case ir.Break():
                merge(exits.broken, states)
            case ir.Continue():
                merge(exits.continued, states)
            case ir.Return(expression):
                for run, value in self.space.ask(states, frame.types, lambda look: look.value(expression)):
                    if not fits(value, frame.returns):  # the front end settles types: this program did not pass it
                        raise InvalidInput("C112", "an answer is not of the annotated type", "Read the source again")
                    callers = {name: each for name, each in run.variables.items() if name.startswith(CALLER)}
                    self.space.put(exits.returned, Run(callers, run.draws, run.weight), {ANSWER: value})
        return after

    def _parted(self, frame: _Frame, condition: ir.Expression, states: States) -> tuple[States, States]:
        parts: tuple[States, States] = ({}, {})
        for run, holds in self.space.ask(states, frame.types, lambda look: look.truth(condition)):
            self.space.put(parts[0 if holds else 1], run)
        return parts

    def _append(self, frame: _Frame, target: str, expression: ir.Expression, states: States, after: States) -> None:
        """Append; when the list is the answer in the making, runs that can no longer hit the event are decided here."""

        def appended(look: Evaluator) -> tuple[tuple[Value, ...], bool]:
            longer = (*look.sequence(ir.Name(target)), look.value(expression))
            return longer, target not in frame.grown or may_begin(frame.grown[target], longer, look.draws)

        for run, (longer, possible) in self.space.ask(states, frame.types, appended):
            if possible:
                self.space.put(after, run, {target: longer})
            else:
                self.count(run, inside=False)

    def _for(
        self,
        frame: _Frame,
        source: ir.Over | ir.Range,
        body: tuple[ir.Statement, ...],
        states: States,
        after: States,
        exits: _Exits,
    ) -> None:
        rows = f"%{id(source)}"  # what is left of the loop is a variable of the state: lists may differ between states
        waiting: States = {}
        inner = _Exits(exits.returned)
        for run, values in self.space.ask(states, frame.types, lambda look: look.rows(source)):
            self.space.put(waiting, run, {rows: values})
        while waiting:
            entered: States = {}
            for run, left in self.space.ask(waiting, frame.types, lambda look: look.sequence(ir.Name(rows))):
                if left:
                    row = zip(source.targets, cast("tuple[Value, ...]", left[0]), strict=True)
                    self.space.put(entered, run, {rows: left[1:], **dict(row)})
                else:
                    self.space.put(after, _without(run, rows))
            waiting = merge(self._block(frame, body, entered, inner), inner.continued)
            inner.continued = {}
        for run, _ in self.space.ask(inner.broken, frame.types, lambda _: None):
            self.space.put(after, _without(run, rows))

    def _call(self, frame: _Frame, call: ir.Call, states: States, after: States) -> None:
        """The callee runs in the same states; the caller's variables wait under marked names."""
        callee = self.module[call.mechanism]
        names = [parameter.name for parameter in callee.parameters]
        inside: States = {}
        for run, values in self.space.ask(states, frame.types, lambda look: [*map(look.value, call.arguments)]):
            waiting = {CALLER + name: value for name, value in run.variables.items()}
            self.space.put(inside, Run(waiting, run.draws, run.weight), dict(zip(names, values, strict=True)))
        for run, answer in self.space.ask(self.answers(callee, inside, {}), {}, lambda look: look.environment[ANSWER]):
            back = {name.removeprefix(CALLER): value for name, value in run.variables.items() if name != ANSWER}
            self.space.put(after, Run(back, run.draws, run.weight), {call.target: answer})

    def _sample(self, frame: _Frame, sample: ir.Sample, states: States, after: States) -> None:
        if sample.kind == "choose":
            self._choose(frame, sample, states, after)
            return
        for run, size in self.space.ask(states, frame.types, lambda look: Fraction(look.number(sample.arguments[0]))):
            match sample.kind:
                case "flip":
                    _public(0 <= size <= 1, "a probability is outside [0, 1]")
                    sides = ((True, size), (False, 1 - size))  # one that is impossible is left out, not dropped
                    options: list[tuple[Value, fmpq]] = [(side, _fmpq(chance)) for side, chance in sides if chance]
                case "uniform":
                    _public(size >= 1 and size.denominator == 1, "uniform(n) has no value to draw from")
                    self.space.spend(int(size))
                    options = [(i, _fmpq(1 / size)) for i in range(int(size))]
                case _:
                    _public(size > 0, "a noise scale is not above 0")
                    law = Law(sample.kind, *(size / self.lattice).as_integer_ratio())
                    draw = Draw(law, 0 if sample.kind == "exponential" else None, None)
                    fresh = Affine(len(run.draws), plain(self.lattice), 0)
                    self.space.put(after, Run(run.variables, (*run.draws, draw), run.weight), {sample.target: fresh})
                    continue
            self._branch(run, sample.target, options, after)

    def _choose(self, frame: _Frame, sample: ir.Sample, states: States, after: States) -> None:
        def read(look: Evaluator) -> tuple[tuple[Fraction, ...], Fraction]:
            scores = tuple(Fraction(concrete(score)) for score in look.sequence(sample.arguments[0]))
            return scores, Fraction(look.number(sample.arguments[1]))

        for run, (scores, scale) in self.space.ask(states, frame.types, read):
            _public(scale > 0, "the scale of choose is not above 0")
            _public(len(scores) > 0, "choose has no scores")
            likely = choice(scores, scale, self.space.bits + 64)
            self._branch(run, sample.target, list(enumerate(likely)), after)

    def _branch(self, run: Run, target: str, options: Sequence[tuple[Value, fmpq]], after: States) -> None:
        for value, chance in options:
            self.space.put(after, Run(run.variables, run.draws, run.weight * chance), {target: value})


def _public(holds: bool, problem: str) -> None:
    if not holds:
        raise InvalidInput("C112", problem, "Give parameters with which the mechanism runs")


def _fmpq(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


def _without(run: Run, name: str) -> Run:
    return Run({each: value for each, value in run.variables.items() if each != name}, run.draws, run.weight)


def _grown_answers(mechanism: ir.Mechanism, event: Event) -> dict[str, Event]:
    """Lists that the answer is, or is a tuple of, and that only ever grow: each with the event that it must hit.

    Such a list is emptied once, at the top, and only appended to from there on, and every return answers with it.
    """
    every = list(walk.statements(mechanism.body))
    returned = {each.value for each in every if isinstance(each, ir.Return)}
    answer = returned.pop() if len(returned) == 1 else ir.Truth(False)
    parts = {answer: event}
    if isinstance(answer, ir.TupleOf):
        parts = {element: _component(event, i) for i, element in enumerate(answer.elements)}
    found: dict[str, Event] = {}
    for expression, part in parts.items():
        if isinstance(expression, ir.Name):
            start = ir.Assign(expression.name, ir.ListOf(()))
            setting = [
                each for each in every if expression.name in walk.targets(each) and not isinstance(each, ir.Append)
            ]
            if setting == [start] and start in mechanism.body:
                found[expression.name] = part
    return found


def _component(event: Event, position: int) -> Event:
    """What component ``position`` of every tuple in ``event`` is in."""
    match event:
        case tuple():
            return event[position] if position < len(event) else AnyOf(())
        case AnyOf(events):
            return AnyOf(tuple(_component(one, position) for one in events))
        case _:
            return Anything()

"""Sets of states: variables, the joint law of the draws they hang on, and a weight.

The one idea: states are told apart only as far as the program looks, and become one again where they can. Draws that
nothing mentions are integrated away; states with the same variables add their weights, or the laws of the one draw in
which they differ. So noisy max over n numbers has O(n²) states, not 2ⁿ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from flint import arb, fmpq

from lapwing.kernel.distribution.exponentials import ExactRing
from lapwing.kernel.distribution.expressions import Evaluator
from lapwing.kernel.distribution.factors import Factors, Impossible, implied, multiply, settle
from lapwing.kernel.distribution.integers import Draw, mass, reach
from lapwing.kernel.distribution.pieces import Calculus, Coefficient, Pieces
from lapwing.kernel.distribution.values import Divided, Form, Known, Rational, Undecided, Value, plain
from lapwing.kernel.uncomputable import TooMuch, Uncomputable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class State:
    """One state. Draws are numbered; ``whole`` are those of whole numbers."""

    variables: dict[str, Value]
    factors: Factors
    whole: Mapping[int, Draw]
    weight: Coefficient

    @property
    def known(self) -> Known:
        """What it knows of its draws."""
        return Known(self.whole, self.factors)


#: Everything that must be equal (variables, whole draws, combinations known of) → the states.
States = dict[object, list[State]]


@dataclass(frozen=True, slots=True)
class Limits:
    """States looked at, rounds of one loop, and seconds, for one probability; and how many bits must be right."""

    states: int = 400_000
    rounds: int = 10_000
    seconds: float = 10.0
    good: int = 40


@dataclass(slots=True)
class Space:
    """The ring, the patience and the losses of one computation."""

    calculus: Calculus
    limits: Limits
    bits: int
    #: an upper bound on the mass of what was not followed
    lost: arb = field(default_factory=arb)
    steps: int = 0
    deadline: float = 0.0

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Patience for another question."""
        self.steps = 0
        self.deadline = self.calculus.deadline = time.monotonic() + self.limits.seconds

    @property
    def is_exact(self) -> bool:
        """Whether weights are closed forms."""
        return isinstance(self.calculus.ring, ExactRing)

    def start(self, variables: dict[str, Value]) -> States:
        """One state, certain."""
        return {0: [State(variables, {}, {}, self.calculus.one)]}

    def spend(self, steps: int) -> None:
        """Count the work of looking at some states."""
        before, self.steps = self.steps, self.steps + steps
        if self.steps > self.limits.states:
            problem = f"more than {self.limits.states} states are needed"
            raise TooMuch(problem, "Give smaller inputs, or raise the limit with --max-states")
        if before >> 7 != self.steps >> 7 and time.monotonic() > self.deadline:
            raise late(self.limits.seconds)

    # --- putting ---

    def put(
        self,
        states: States,
        state: State,
        changes: Mapping[str, Value] | None = None,
        live: frozenset[str] | None = None,
    ) -> None:
        """Add a state, with some variables changed and those that are not live forgotten."""
        variables = {**state.variables, **changes} if changes else state.variables
        if live is not None and not all(name in live or name[0] in "^%" for name in variables):
            variables = {name: value for name, value in variables.items() if name in live or name[0] in "^%"}
        if variables is not state.variables:
            state = State(variables, state.factors, state.whole, state.weight)
        if state.factors or state.whole:
            try:
                state = _numbered(self.calculus, self._settled(state))
            except Impossible:
                return
        key: object = (tuple(state.variables), tuple(state.variables.values()))
        if state.factors or state.whole:
            key = (key, tuple(state.whole.items()), frozenset(state.factors))
        self._merge(states.setdefault(key, []), state)

    def _settled(self, state: State) -> State:
        """Draws that no variable hangs on are integrated away, as far as they can be."""
        held = mentioned(tuple(state.variables.values()))
        weight, whole, factors = state.weight, state.whole, state.factors
        if any(draw not in held for draw in whole):
            for draw, law in whole.items():
                if draw not in held:
                    weight = weight * mass(law)
            whole = {draw: law for draw, law in whole.items() if draw in held}
        if any(draw not in held for mentions in factors for draw, _ in mentions):
            factors = dict(factors)
            number = settle(self.calculus, factors, held)
            weight = weight if number is None else weight * number
        return State(state.variables, factors, whole, weight)

    def _merge(self, alike: list[State], state: State) -> None:
        for place, other in enumerate(alike):
            different = [key for key in state.factors if state.factors[key] is not other.factors[key]]
            if not different:
                alike[place] = State(other.variables, other.factors, other.whole, other.weight + state.weight)
                return
            one, two = other.factors[different[0]], state.factors[different[0]]
            if len(different) == 1 and isinstance(one, Pieces) and isinstance(two, Pieces):
                law = self.calculus.sum(one, other.weight, two, state.weight)
                factors = {**other.factors, different[0]: law}
                alike[place] = State(other.variables, factors, other.whole, self.calculus.one)
                return
        alike.append(state)

    def weigh(self, state: State) -> Coefficient:
        """The probability of a state; 0 weighs nothing."""
        try:
            done = self._settled(State({}, state.factors, state.whole, state.weight))
        except Impossible:
            return self.calculus.ring.number(fmpq(0))
        if done.factors:
            raise Uncomputable("draws are compared in more ways than can be integrated")
        return done.weight

    # --- asking ---

    def ask(self, states: States, question: Callable[[Evaluator], T]) -> Iterator[tuple[State, T]]:
        """Every state with its answer to ``question``; a state too vague to answer is refined and asked again."""
        for alike in states.values():
            waiting = alike[::-1]
            while waiting:
                state = waiting.pop()
                self.spend(1)
                try:
                    answer = question(Evaluator(state.variables, state.known))
                except Undecided as why:
                    if why.form is not None and why.form.mentions[0][0] not in state.whole:
                        waiting += self._split(state, why.form)
                    else:
                        waiting += self._refined(state, why.draw, why.cut)
                else:
                    yield state, answer

    def _split(self, state: State, form: Form) -> Iterator[State]:
        """The part of the state in which the form is above 0, and that in which it is below: a tie never happens."""
        for sign in (-1, 1):
            opposite = Form(tuple((draw, -sign * c) for draw, c in form.mentions), -sign * form.constant)
            if len(form.mentions) > 1 and implied(state.factors, opposite):
                continue
            factors = dict(state.factors)
            ends = (fmpq(0), None) if sign > 0 else (None, fmpq(0))
            try:
                multiply(self.calculus, factors, form, self.calculus.indicator(*ends))
            except Impossible:
                continue
            yield State(state.variables, factors, state.whole, state.weight)

    def _refined(self, state: State, number: int, cut: int | None) -> Iterator[State]:
        """The state split at a cut of a whole draw, or into one state for each of the draw's values."""
        if number not in state.whole:
            raise Uncomputable("an exact number is needed where real noise is")
        law, first, last = state.whole[number]
        if cut is not None:
            for part in (Draw(law, first, cut - 1), Draw(law, cut, last)):
                yield State(state.variables, state.factors, {**state.whole, number: part}, state.weight)
            return
        end = reach(law, self.bits + 40)
        low = -end if first is None else max(first, -end)
        high = end if last is None else min(last, end)
        outside = [Draw(law, first, low - 1), Draw(law, high + 1, last)] if low <= high else [state.whole[number]]
        for part in outside:  # a state with open factors weighs 1 at most
            self.lost += mass(part) if state.factors else state.weight * mass(part)
        self.spend(max(high - low, 0))
        whole = {draw: each for draw, each in state.whole.items() if draw != number}
        for step in range(low, high + 1):
            variables = {name: _pinned(value, number, step) for name, value in state.variables.items()}
            weight = state.weight * mass(Draw(law, step, step))
            yield State(variables, state.factors, whole, weight)


def late(seconds: float) -> TooMuch:
    """The time is up."""
    return TooMuch(f"computing takes more than {seconds:g} seconds")


def merge(space: Space, target: States, *others: States) -> States:
    """``target`` with the states of ``others`` added."""
    for other in others:
        for key, alike in other.items():
            here = target.setdefault(key, [])
            for state in alike:
                space._merge(here, state)  # one idea in one file
    return target


def mentioned(value: Value) -> frozenset[int]:
    """The draws that a value hangs on."""
    if isinstance(value, Divided):
        return mentioned((value.above, value.below))
    if isinstance(value, Form):
        return frozenset(draw for draw, _ in value.mentions)
    if isinstance(value, tuple):
        return frozenset().union(*map(mentioned, value))
    return frozenset()


def _numbered(calculus: Calculus, state: State) -> State:
    """The state with its draws numbered as its variables mention them, and moved so that each is its first mention.

    A variable that is one draw plus a constant becomes the draw itself, so that running bests of different origin are
    alike.
    """
    first: dict[int, tuple[int, Rational, Rational]] = {}  # draw → its new number, and the slope and offset it gets
    for name in sorted(state.variables):
        _mentions(state.variables[name], state.whole, first)
    rest = sorted({draw for mentions in state.factors for draw, _ in mentions}.difference(first))
    for draw in rest:
        first[draw] = (len(first), 1, 0)
    if all(number == draw and slope == 1 and offset == 0 for draw, (number, slope, offset) in first.items()):
        return state
    variables = {name: _renamed(value, first) for name, value in state.variables.items()}
    factors: Factors = {}
    for mentions, factor in state.factors.items():
        form = _renamed(Form(mentions, 0), first)
        assert isinstance(form, Form)  # noqa: S101  # renaming keeps mentions
        multiply(calculus, factors, form, factor)
    whole = {first[draw][0]: law for draw, law in state.whole.items()}
    weight = state.weight
    for _, slope, _ in first.values():
        if slope not in (1, -1):  # dx is d(new)/|slope|
            weight = weight * calculus.ring.number(1 / abs(fmpq(slope)))
    return State(variables, factors, {draw: whole[draw] for draw in sorted(whole)}, weight)


def _mentions(value: Value, whole: Mapping[int, Draw], first: dict[int, tuple[int, Rational, Rational]]) -> None:
    if isinstance(value, Divided):
        value = (value.above, value.below)
    if isinstance(value, tuple):
        for each in value:
            _mentions(each, whole, first)
    elif isinstance(value, Form):
        alone = len(value.mentions) == 1
        for draw, slope in value.mentions:
            if draw not in first:
                moved = alone and draw not in whole
                first[draw] = (len(first), slope, value.constant) if moved else (len(first), 1, 0)


def _renamed(value: Value, first: Mapping[int, tuple[int, Rational, Rational]]) -> Value:
    """The value over the new draws: an old draw x is (new - offset)/slope."""
    if isinstance(value, Divided):
        return Divided(*(_renamed(each, first) for each in (value.above, value.below)))  # type: ignore[arg-type]  # forms
    if isinstance(value, tuple):
        return tuple(_renamed(each, first) for each in value)
    if not isinstance(value, Form):
        return value
    constant, mentions = value.constant, []
    for draw, c in value.mentions:
        number, slope, offset = first[draw]
        if slope != 1:
            c = plain(fmpq(c) / slope)
        if offset != 0:
            constant = plain(constant - c * offset)
        mentions.append((number, c))
    return Form(tuple(sorted(mentions)), constant)


def _pinned(value: Value, number: int, step: int) -> Value:
    """The value once a whole draw is ``step``."""
    if isinstance(value, Divided):
        return Divided(*(_pinned(each, number, step) for each in (value.above, value.below)))  # type: ignore[arg-type]  # forms
    if isinstance(value, tuple):
        return tuple(_pinned(each, number, step) for each in value)
    if isinstance(value, Form) and value.mentions[0][0] == number:
        return plain(value.constant + value.mentions[0][1] * step)
    return value

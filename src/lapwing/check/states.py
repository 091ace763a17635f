"""Sets of states: variables, what is known of their draws, and how much probability is certainly there.

The one idea: weights are lower bounds. Dropping a state (a far tail, a weight too small to matter) or rounding a weight
down is always allowed and only noted; so merging, splitting and enumerating states need no error analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple, TypeVar

from flint import fmpq

from lapwing.check.expressions import Evaluator
from lapwing.check.laws import Draw, mass, reach
from lapwing.check.values import Affine, Undecided, Value
from lapwing.errors import InvalidInput
from lapwing.program import ir

T = TypeVar("T")
#: What is known of each draw that some variable hangs on, oldest first.
Known = tuple[Draw, ...]
#: Names of the variables, their values, draws → weight.
States = dict[tuple[tuple[str, ...], tuple[Value, ...], Known], fmpq]


class Run(NamedTuple):
    """One state on its own."""

    variables: dict[str, Value]
    draws: Known
    weight: fmpq


@dataclass(slots=True)
class Space:
    """Precision and patience of one computation, and whether anything was dropped on the way."""

    bits: int
    limit: int
    dropped: bool = False
    steps: int = 0
    _least: fmpq = field(init=False)
    _long: int = field(init=False)

    def __post_init__(self) -> None:
        self._least = fmpq(1) / fmpq(2) ** (self.bits + 32)
        self._long = 1 << (2 * self.bits + 256)

    def put(self, states: States, run: Run, changes: Mapping[str, Value] | None = None) -> None:
        """Add a state, with some variables changed, to ``states``. Draws no variable hangs on any more are settled."""
        variables, draws, weight = run
        if changes:
            variables = {**variables, **changes}
        if draws:
            used = sorted(set().union(*map(_mentioned, variables.values())))
            if len(used) < len(draws):
                weight = self.settled(weight, tuple(draw for i, draw in enumerate(draws) if i not in used))
                moved = {old: new for new, old in enumerate(used)}
                variables = {name: _renumbered(value, moved) for name, value in variables.items()}
                draws = tuple(draws[old] for old in used)
        self._add(states, (tuple(variables), tuple(variables.values()), draws), weight)

    def _add(self, states: States, state: tuple[tuple[str, ...], tuple[Value, ...], Known], weight: fmpq) -> None:
        if weight < self._least:
            self.dropped = True
        else:
            known = states.get(state)
            states[state] = weight if known is None else known + weight

    def spend(self, steps: int) -> None:
        """Count the work of looking at ``steps`` states."""
        self.steps += steps
        if self.steps > self.limit:
            problem = f"checking takes more than {self.limit} steps"
            raise InvalidInput("C110", problem, "Give a smaller witness, or raise it with lapwing check --limit")

    def settled(self, weight: fmpq, draws: Known) -> fmpq:
        """The weight times the probability of what is known of ``draws``; rounded down once it gets long."""
        weight = prod((mass(draw, self.bits + 64) for draw in draws), start=weight)
        if weight.q > self._long:
            unit = fmpq(2) ** (self.bits + 64)
            weight = fmpq((weight * unit).floor(), 1) / unit
        if weight == 0:
            self.dropped = True
        return weight

    def ask(
        self, states: States, types: Mapping[str, ir.Type], question: Callable[[Evaluator], T]
    ) -> Iterator[tuple[Run, T]]:
        """Every state with its answer to ``question``; a state too vague to answer is refined and asked again."""
        while states:
            refined: States = {}
            for (names, values, draws), weight in states.items():
                self.spend(1)
                run = Run(dict(zip(names, values, strict=True)), draws, weight)
                try:
                    answer = question(Evaluator(run.variables, draws, types))
                except Undecided as open_question:
                    self._refine(refined, run, open_question.draw, open_question.cut)
                else:
                    yield run, answer
            states = refined

    def _refine(self, states: States, run: Run, number: int, cut: int | None) -> None:
        """Split the state at a cut of draw ``number``, or into one state for each of the draw's values."""
        law, first, last = run.draws[number]
        if cut is None:
            end = reach(law, self.bits)
            low = -end if first is None else max(first, -end)
            high = end if last is None else min(last, end)
            self.dropped |= (low, high) != (first, last)
            self.spend(max(high - low, 0))
            self._pin(states, run, number, range(low, high + 1))
            return
        for part in (Draw(law, first, cut - 1), Draw(law, cut, last)):
            if part.low is not None and part.low == part.high:
                self._pin(states, run, number, range(part.low, part.low + 1))
            else:
                draws = (*run.draws[:number], part, *run.draws[number + 1 :])
                self.put(states, Run(run.variables, draws, run.weight))

    def _pin(self, states: States, run: Run, number: int, steps: range) -> None:
        """Add, for each of ``steps``, the part of the state in which draw ``number`` is that. The innermost loop."""
        moved = {i: i - (i > number) for i in range(len(run.draws)) if i != number}
        draws = (*run.draws[:number], *run.draws[number + 1 :])
        names = tuple(run.variables)
        hanging = [i for i, value in enumerate(run.variables.values()) if number in _mentioned(value)]
        values = [
            value if i in hanging else _renumbered(value, moved) for i, value in enumerate(run.variables.values())
        ]
        before = [(i, values[i]) for i in hanging]
        law, weight = run.draws[number].law, self.settled(run.weight, ())
        for step in steps:
            for i, value in before:
                values[i] = _pinned(value, number, step, moved)
            self._add(states, (names, tuple(values), draws), weight * mass(Draw(law, step, step), self.bits + 64))


def merge(target: States, *others: States) -> States:
    """``target`` with the states of ``others`` added."""
    for other in others:
        for state, weight in other.items():
            target[state] = target[state] + weight if state in target else weight
    return target


def _mentioned(value: Value) -> frozenset[int]:
    if isinstance(value, Affine):
        return frozenset((value.draw,))
    if isinstance(value, tuple):
        return frozenset().union(*map(_mentioned, value))
    return frozenset()


def _renumbered(value: Value, moved: Mapping[int, int]) -> Value:
    if isinstance(value, Affine):
        return Affine(moved[value.draw], value.slope, value.offset)
    if isinstance(value, tuple):
        return tuple(_renumbered(element, moved) for element in value)
    return value


def _pinned(value: Value, number: int, step: int, moved: Mapping[int, int]) -> Value:
    """The value once draw ``number`` is ``step``, and the other draws have the numbers ``moved`` gives them."""
    if isinstance(value, Affine) and value.draw == number:
        return value.offset + value.slope * step
    if isinstance(value, tuple):
        return tuple(_pinned(element, number, step, moved) for element in value)
    return _renumbered(value, moved)

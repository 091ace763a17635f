"""Concrete runs: what a mechanism answers on given inputs, what its ``match`` checks asked, and whether it ever ends.

The one idea: programs are run by the kernel's own machine, which is listened to. Noise with finitely many outcomes is
followed through all of them, each with its exact probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.inputs import plain
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.flow.runs import Endless, Listening, Question, same_answers, settled
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run import evaluate, machine
from lapwing.kernel.run.trying import refusal

#: Statements and rounds of one run, and outcomes of the noise of one input, looked at before giving up.
STEPS, OUTCOMES = 40_000, 20_000


class GaveUp(Exception):
    """A run took too many steps to tell how it ends."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its answer (``None``: it never ends), what was asked of ``match`` checks, and how often."""

    answer: Value | None
    asked: frozenset[Question]
    matches: int


@dataclass(slots=True)
class _Tape:
    """Which outcome each draw of a run takes."""

    taken: Sequence[int] = ()
    #: how many outcomes each draw had, and with which probability the outcome taken
    drawn: list[tuple[int, Fraction]] = field(default_factory=list)

    def draw(self, count: int, chances: Callable[[int], Fraction]) -> int:
        """The next outcome that the tape says, or the first."""
        place = len(self.drawn)
        taken = self.taken[place] if place < len(self.taken) else 0
        self.drawn.append((count, chances(taken)))
        return taken

    def following(self) -> list[int] | None:
        """What the next tape says, in the order of digits; ``None`` after the last."""
        taken = [self.taken[i] if i < len(self.taken) else 0 for i in range(len(self.drawn))]
        while taken:
            if taken[-1] + 1 < self.drawn[len(taken) - 1][0]:
                return [*taken[:-1], taken[-1] + 1]
            taken = taken[:-1]
        return None


class Program:
    """A mechanism made ready to run many times. ``checks`` are the ``id`` of its authorisation checks."""

    def __init__(self, module: ir.Module, name: str, checks: frozenset[int] = frozenset()) -> None:
        self.mechanism = module[name]
        self.module = module
        self._checks = checks
        self._tape = _Tape()
        for each in _statements(module, name):
            if isinstance(each, ir.Asking):
                raise GaveUp  # what a function answers is not known
            if isinstance(each, ir.Sample) and (each.kind not in ("flip", "uniform") or is_irrational(each)):
                problem = f"{each.kind} has infinitely many outcomes, or irrational probabilities ({each.span})"
                remedy = "Compare distributions with lapwing loss, or prove with lapwing prove"
                raise InvalidInput("W120", problem, remedy)
        self._execute = machine.made(module, name, self._draw)

    def run(self, inputs: Mapping[str, Value], steps: int = STEPS) -> Ended:
        """Run once, without noise."""
        return self._ended(inputs, steps, _Tape())

    def outcomes(self, inputs: Mapping[str, Value], steps: int = STEPS, limit: int = OUTCOMES) -> dict[Value, Fraction]:
        """Every answer with its exact probability; refuses noise with infinitely many outcomes."""
        found: dict[Value, Fraction] = {}
        taken: list[int] | None = []
        seen = 0
        while taken is not None:
            tape = _Tape(taken)
            answer = self._ended(inputs, steps, tape).answer
            seen += 1
            if answer is None or seen > limit:
                raise GaveUp
            chance = math.prod((each for _, each in tape.drawn), start=Fraction(1))
            found[answer] = found.get(answer, Fraction(0)) + chance
            taken = tape.following()
        return {answer: chance for answer, chance in found.items() if chance}

    def check_accepted(self, inputs: Mapping[str, Value], steps: int = STEPS) -> None:
        """Refuse public inputs that a run refuses, such as an index outside a list; what is hidden plays no part."""
        error = refusal(self.module, self.mechanism.name, _plain(inputs), steps)
        if error is not None:
            raise error

    def _ended(self, inputs: Mapping[str, Value], steps: int, tape: _Tape) -> Ended:
        self._tape = tape
        heard = Listening(steps, self.mechanism, self._checks, is_noisy(self.mechanism))
        answer: Value | None = None
        try:
            answer = settled(self._execute(_plain(inputs), heard))
        except Endless:
            pass
        except InvalidInput as error:
            if error.code == "P206":
                raise GaveUp from None
            raise
        return Ended(answer, frozenset(heard.asked), heard.matches)

    def _draw(self, kind: ir.NoiseKind, arguments: Sequence[evaluate.Value]) -> evaluate.Value:
        if kind == "flip":
            chance = Fraction(arguments[0])
            return not self._tape.draw(2, lambda taken: 1 - chance if taken else chance)
        count = int(arguments[0])
        return self._tape.draw(count, lambda _: Fraction(1, count))


def _statements(module: ir.Module, name: str) -> Iterator[ir.Statement]:
    """Every statement of a mechanism and of those it calls."""
    for each in walk.statements(module[name].body):
        yield each
        if isinstance(each, ir.Call):
            yield from _statements(module, each.mechanism)


def is_noisy(mechanism: ir.Mechanism) -> bool:
    """Whether noise is drawn, here or (perhaps) in what is called."""
    return any(isinstance(each, ir.Sample | ir.Call) for each in walk.statements(mechanism.body))


def agree(left: Ended, right: Ended, one: Mapping[str, Value], two: Mapping[str, Value]) -> bool:
    """Whether two inputs answer alike every authorisation check that either run asked."""
    return same_answers(left.asked | right.asked, one, two)


def _plain(inputs: Mapping[str, Value]) -> dict[str, evaluate.Value]:
    return {name: plain(value) for name, value in inputs.items()}

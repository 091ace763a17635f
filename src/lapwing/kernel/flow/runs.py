"""A run without noise on given inputs: its answer, or the certainty that there is none, and what its checks asked.

The one idea: the machine is the one that runs, and this file only listens. A state at the head of a loop that was there
before will be there again for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.run import machine
from lapwing.kernel.run.evaluate import METER, Environment, Meter
from lapwing.kernel.run.evaluate import Value as Running
from lapwing.kernel.run.lists import Grown

#: Statements and rounds before a check is given up.
STEPS = 150_000

#: A question that a check asked: a parameter, and the value or the other parameter that it was compared with.
Question = tuple[str, Running | None, str | None]


class Endless(Exception):
    """The run goes round for ever."""


@dataclass(slots=True)
class Listening(Meter):
    """Counts steps, and notes what authorisation checks ask; of runs without noise also that they never end."""

    mechanism: ir.Mechanism
    #: the ``id`` of every ``match`` that is an authorisation check
    checks: frozenset[int]
    noisy: bool = False
    asked: set[Question] = field(default_factory=set)
    matches: int = 0

    def matched(self, place: ir.Builtin, left: Running, right: Running) -> None:
        """Note what is asked: parameters by their names, and a guess by its value."""
        self.matches += 1
        if id(place) in self.checks:
            first, second = (
                side.name if isinstance(side, ir.Name) and self.mechanism.parameter(side.name) is not None else None
                for side in place.arguments
            )
            if first is not None:
                self.asked.add((first, None if second is not None else right, second))
            elif second is not None:
                self.asked.add((second, left, None))

    def turning(self) -> Callable[[Environment], None] | None:
        """Raises Endless at a state of a loop that was there before."""
        if self.noisy:
            return None
        rounds, kept = 0, Environment()

        def watch(env: Environment) -> None:
            nonlocal rounds, kept
            here = {name: value for name, value in env.items() if name != METER}
            if rounds and here == kept:
                raise Endless
            if rounds & (rounds - 1) == 0:  # Brent: compare with the state of the last power of two
                kept = here
            rounds += 1

        return watch


def answer(
    module: ir.Module, name: str, inputs: Mapping[str, Running], checks: frozenset[int], steps: int = STEPS
) -> tuple[Value | None, frozenset[Question]]:
    """The answer (``None``: there never is one) and every question that an authorisation check asked."""
    heard = Listening(steps, module[name], checks)
    try:
        found = machine.made(module, name, _undrawn)(dict(inputs), heard)
    except Endless:
        return None, frozenset(heard.asked)
    except InvalidInput as error:
        if error.code == "P206":
            raise Doubt("the run takes too many steps to be checked") from None
        raise
    return settled(found), frozenset(heard.asked)


def _undrawn(_kind: ir.NoiseKind, _arguments: Sequence[Running]) -> Running:
    raise Doubt("the program draws noise, so it has no one answer")


def settled(value: Running) -> Value:
    """A value of a run as evidence has it."""
    if isinstance(value, bool | Fraction):
        return value
    return tuple(settled(each) for each in value) if isinstance(value, tuple | Grown) else Fraction(value)


def same_answers(questions: frozenset[Question], left: Mapping[str, Running], right: Mapping[str, Running]) -> bool:
    """Whether both inputs answer every question alike."""

    def asked(inputs: Mapping[str, Running], question: Question) -> bool:
        name, value, other = question
        return bool(inputs[name] == (value if other is None else inputs[other]))

    return all(asked(left, question) == asked(right, question) for question in questions)

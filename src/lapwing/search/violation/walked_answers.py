"""What is computed once of the answers on some inputs, so that a search can ask about many events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra import balls
from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.all_states import ANSWER, returned, weighed
from lapwing.kernel.distribution.exponentials import ExactProbability, ExactRing
from lapwing.kernel.distribution.pieces import Calculus
from lapwing.kernel.distribution.probability import (
    ORDINARY,
    PRECISIONS,
    Chance,
    calculus_at,
    exactly,
    interval_of,
    is_finite,
    is_good,
    patient,
    summed,
    upper_end,
)
from lapwing.kernel.distribution.states import Limits, Space, State, States
from lapwing.kernel.distribution.values import Value as InnerValue
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.uncomputable import TooMuch

Inputs = Mapping[str, Value]
#: Patience with closed forms of what balls can do, too: their terms may grow without end.
BRIEF = Limits(states=2_000, seconds=0.05)
#: What a loop that coins end may lose: an event of which that is a part is too unlikely to be walked for anew.
DUST = Fraction(1, 2**120)


def closed_form(
    module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits = BRIEF
) -> ExactProbability | None:
    """The probability of an event in closed form, where that does not take long; Laplace noise has one, too."""
    try:
        found = exactly(module, name, arguments, limits, event)
    except InvalidInput:
        return None
    mass = found.get(True, ExactProbability.rational(0))
    return mass if isinstance(mass, ExactProbability) else None


@dataclass(frozen=True, slots=True)
class Answers:
    """The joint law of the answer on some inputs, as far as it was walked: any event can be asked about."""

    space: Space
    states: States

    @classmethod
    def of(cls, module: ir.Module, name: str, arguments: Inputs, limits: Limits = ORDINARY) -> Answers:
        """Walked once: in closed form where all randomness is finite, else with balls at the first precision."""
        rings = [Calculus(ExactRing())] if is_finite(module, name) else []
        for calculus in (*rings, calculus_at(PRECISIONS[0])):
            space = Space(calculus, limits, PRECISIONS[0])
            try:
                with balls.precision(PRECISIONS[0]), patient(space):
                    return cls(space, returned(space, module, name, arguments, None))
            except TooMuch:
                if not space.is_exact:
                    raise
        raise AssertionError("balls were tried last")

    def each(self) -> Iterator[tuple[InnerValue, State]]:
        """Every answer that was kept apart; one that is a real number is a form over the state's draws."""
        for alike in self.states.values():
            yield from ((state.variables[ANSWER], state) for state in alike)

    def chance(self, event: Event, among: States | None = None) -> Chance | None:
        """The probability of an event (``among`` some of the states); None where the first precision does not do."""
        self.space.renew()
        before = self.space.lost
        with balls.precision(PRECISIONS[0]), patient(self.space):
            found = summed(weighed(self.space, self.states if among is None else among, event))
            mass = found.get(True)
            if self.space.is_exact:
                return ExactProbability.rational(0) if mass is None else mass
            lost, self.space.lost = upper_end(self.space.lost), before
            if mass is None:
                return Interval(Fraction(0), lost)
            good = is_good(mass, Fraction(0) if lost <= DUST else lost, self.space.limits.good)
            return interval_of(mass, lost) if good else None

"""The probability that a mechanism's answer lies in an event, and the distribution of answers that are finitely many.

The one idea: the same walk over two rings. Finite randomness is walked with closed forms, so ln(3) stays ln(3); real
noise with balls, at a precision that is doubled until 40 bits of the result are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from lapwing.algebra import balls
from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.exponentials import ExactProbability, ExactRing
from lapwing.kernel.distribution.interpret import ANSWER, REAL, WHOLE, returned, weighed
from lapwing.kernel.distribution.pieces import Calculus, Ring
from lapwing.kernel.distribution.states import Limits, Space, State, States, late
from lapwing.kernel.distribution.values import Value as InnerValue
from lapwing.kernel.distribution.values import mentions_draws, outward
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, walk
from lapwing.kernel.uncomputable import TooMuch, Uncomputable

Chance = ExactProbability | Interval
Inputs = Mapping[str, Value]
#: Precisions at which a result is tried until enough bits of it are right.
PRECISIONS = (128, 256, 512, 1024, 2048)
#: What one probability may take, unless told otherwise.
ORDINARY = Limits()
#: Patience with closed forms of what balls can do, too: their terms may grow without end.
BRIEF = Limits(states=2_000, seconds=0.05)


def probability(module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits = ORDINARY) -> Interval:
    """P(the answer of ``name`` on ``arguments`` is in ``event``), enclosed; exact where it is rational."""
    found = chance(module, name, arguments, event, limits)
    return found.enclosure() if isinstance(found, ExactProbability) else found


def chance(module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits = ORDINARY) -> Chance:
    """The same, in closed form where all randomness is finite and every loop ends."""
    found = distribution(module, name, arguments, limits, event)
    return found.get(True, ExactProbability.rational(0) if found.is_exact else Interval(Fraction(0), found.lost))


@dataclass(frozen=True, slots=True)
class Distribution:
    """Answers and their probabilities; anything else has at most ``lost`` together, which may lie anywhere."""

    masses: Mapping[Value, Chance]
    lost: Fraction
    is_exact: bool

    def get(self, answer: Value, otherwise: Chance) -> Chance:
        """The probability of an answer."""
        return self.masses.get(answer, otherwise)

    def exact(self, answer: Value) -> ExactProbability | None:
        """The probability of an answer in closed form, if it is known so."""
        found = self.masses.get(answer, ExactProbability.rational(0) if self.is_exact else None)
        return found if isinstance(found, ExactProbability) else None

    def probability(self, answer: Value) -> Interval:
        """The probability of an answer, enclosed."""
        found = self.masses.get(answer, Interval(Fraction(0), self.lost))
        return found.enclosure() if isinstance(found, ExactProbability) else found


def distribution(
    module: ir.Module, name: str, arguments: Inputs, limits: Limits = ORDINARY, event: Event | None = None
) -> Distribution:
    """The distribution of the answers; of an event, of True alone. Refuses answers that are real numbers."""
    if is_finite(module, name):
        try:
            return _exactly(module, name, arguments, replace(limits, seconds=limits.seconds / 3), event)
        except TooMuch:
            pass  # a loop that may go on for ever: its tail is lost, and counted as such
    return _enclosed(module, name, arguments, limits, event)


def closed_form(
    module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits = BRIEF
) -> ExactProbability | None:
    """The probability of an event in closed form, where that does not take long; Laplace noise has one, too."""
    try:
        found = _exactly(module, name, arguments, limits, event)
    except InvalidInput:
        return None
    return found.exact(True)


@dataclass(frozen=True, slots=True)
class Answers:
    """The joint law of the answer on some inputs, as far as it was walked: any event can be asked about."""

    space: Space
    states: States

    @classmethod
    def of(cls, module: ir.Module, name: str, arguments: Inputs, limits: Limits = ORDINARY) -> Answers:
        """Walked once: in closed form where all randomness is finite, else with balls at the first precision."""
        rings = [Calculus(ExactRing())] if is_finite(module, name) else []
        for calculus in (*rings, _calculus(PRECISIONS[0])):
            space = Space(calculus, limits, PRECISIONS[0])
            try:
                with balls.precision(PRECISIONS[0]), _out_of_patience(space):
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
        with balls.precision(PRECISIONS[0]), _out_of_patience(self.space):
            found = _summed(weighed(self.space, self.states if among is None else among, event))
            mass = found.get(True)
            if self.space.is_exact:
                return ExactProbability.rational(0) if mass is None else mass
            lost, self.space.lost = _upper(self.space.lost), before
            if mass is None:
                return Interval(Fraction(0), lost)
            return _interval(mass, lost) if _is_good(mass, lost, self.space.limits.good) else None


def _exactly(module: ir.Module, name: str, arguments: Inputs, limits: Limits, event: Event | None) -> Distribution:
    space = Space(Calculus(ExactRing()), limits, 0)
    masses = _walked(space, module, name, arguments, event)
    return Distribution({each: mass for each, mass in masses.items() if not _is_zero(mass)}, Fraction(0), is_exact=True)


def _summed(found: Iterator[tuple[InnerValue, Any]]) -> dict[Value, Any]:
    """Answers and the sums of their weights."""
    sums: dict[Value, Any] = {}
    for answer, weight in found:
        if mentions_draws(answer):
            raise Uncomputable("an answer is a real number, of which single values have probability 0")
        written = outward(answer)
        sums[written] = sums[written] + weight if written in sums else weight
    return sums


def _is_zero(mass: Chance) -> bool:
    return isinstance(mass, ExactProbability) and mass.is_zero


def _enclosed(module: ir.Module, name: str, arguments: Inputs, limits: Limits, event: Event | None) -> Distribution:
    deadline = None
    for bits in [each for each in PRECISIONS if each > limits.good]:
        with balls.precision(bits):
            space = Space(_calculus(bits), limits, bits)
            deadline = deadline or space.deadline
            space.deadline = space.calculus.deadline = deadline
            sums = _walked(space, module, name, arguments, event)
            lost = _upper(space.lost)
            good = all(_is_good(mass, lost, limits.good) for mass in sums.values())
            if good or bits == PRECISIONS[-1]:
                return Distribution(_told(sums, lost), lost, is_exact=False)
    raise AssertionError("the last precision is taken as it is")


def _is_good(mass: arb, lost: Fraction, bits: int) -> bool:
    if not mass.is_finite():
        return False
    if mass == 0:
        return True
    return bool(mass.rel_accuracy_bits() >= bits) and lost * 2**bits <= abs(balls.lower(mass))


def _told(sums: Mapping[Value, arb], lost: Fraction) -> dict[Value, Chance]:
    """Every answer that may be possible: what only cannot be told from 0 (which makes ``mass != 0`` False) stays."""
    return {answer: _interval(mass, lost) for answer, mass in sums.items() if not (mass == 0)}  # noqa: SIM201  # as said


def _interval(mass: arb, lost: Fraction) -> Interval:
    low, high = balls.lower(mass), balls.upper(mass)
    return Interval(max(low, Fraction(0)), min(max(high, Fraction(0)) + lost, Fraction(1)))


def _upper(lost: arb) -> Fraction:
    return Fraction(0) if lost == 0 else balls.upper(lost)


def _walked(space: Space, module: ir.Module, name: str, arguments: Inputs, event: Event | None) -> dict[Value, Any]:
    with _out_of_patience(space):
        states = returned(space, module, name, arguments, event)
        return _summed(weighed(space, states, None))


@contextmanager
def _out_of_patience(space: Space) -> Iterator[None]:
    try:
        yield
    except OverflowError:
        raise late(space.limits.seconds) from None


@lru_cache(maxsize=8)
def _calculus(_bits: int) -> Calculus:
    """One for each precision: what was integrated for one input often serves its neighbour."""
    return Calculus(Ring())


def is_finite(module: ir.Module, name: str) -> bool:
    """Whether all randomness of a mechanism, and of what it calls, is finite."""
    todo, seen = [name], {name}
    while todo:
        for statement in walk.statements(module[todo.pop()].body):
            if isinstance(statement, ir.Sample) and statement.kind in REAL | WHOLE:
                return False
            if isinstance(statement, ir.Call) and statement.mechanism not in seen:
                seen.add(statement.mechanism)
                todo.append(statement.mechanism)
    return True

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
from lapwing.kernel.distribution.all_states import REAL, WHOLE, returned, weighed
from lapwing.kernel.distribution.exponentials import ExactProbability, ExactRing
from lapwing.kernel.distribution.pieces import Calculus, Ring
from lapwing.kernel.distribution.states import Limits, Space, late
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


def probability(module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits = ORDINARY) -> Interval:
    """P(the answer of ``name`` on ``arguments`` is in ``event``), enclosed; exact where it is rational."""
    return enclosure(of_event(distribution(module, name, arguments, limits, event)))


def of_event(found: Distribution) -> Chance:
    """The probability of the event that a distribution is of."""
    return found.get(True, ExactProbability.rational(0) if found.is_exact else Interval(Fraction(0), found.lost))


def enclosure(found: Chance) -> Interval:
    """A probability as an interval."""
    return found.enclosure() if isinstance(found, ExactProbability) else found


@dataclass(frozen=True, slots=True)
class Distribution:
    """Answers and their probabilities; anything else has at most ``lost`` together, which may lie anywhere."""

    masses: Mapping[Value, Chance]
    lost: Fraction
    is_exact: bool

    def get(self, answer: Value, otherwise: Chance) -> Chance:
        """The probability of an answer."""
        return self.masses.get(answer, otherwise)

    def probability(self, answer: Value) -> Interval:
        """The probability of an answer, enclosed."""
        return enclosure(self.masses.get(answer, Interval(Fraction(0), self.lost)))


def distribution(
    module: ir.Module, name: str, arguments: Inputs, limits: Limits = ORDINARY, event: Event | None = None
) -> Distribution:
    """The distribution of the answers; of an event, of True alone. Refuses answers that are real numbers."""
    if is_finite(module, name):
        try:
            return exactly(module, name, arguments, replace(limits, seconds=limits.seconds / 3), event)
        except TooMuch:
            pass  # a loop that may go on for ever: its tail is lost, and counted as such
    return _enclosed(module, name, arguments, limits, event)


def exactly(module: ir.Module, name: str, arguments: Inputs, limits: Limits, event: Event | None) -> Distribution:
    """All of it in closed form."""
    space = Space(Calculus(ExactRing()), limits, 0)
    masses = _walked(space, module, name, arguments, event)
    return Distribution({each: mass for each, mass in masses.items() if not _is_zero(mass)}, Fraction(0), is_exact=True)


def summed(found: Iterator[tuple[InnerValue, Any]]) -> dict[Value, Any]:
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
            space = Space(calculus_at(bits), limits, bits)
            deadline = deadline or space.deadline
            space.deadline = space.calculus.deadline = deadline
            sums = _walked(space, module, name, arguments, event)
            lost = upper_end(space.lost)
            good = all(is_good(mass, lost, limits.good) for mass in sums.values())
            if good or bits == PRECISIONS[-1]:
                return Distribution(_told(sums, lost), lost, is_exact=False)
    raise AssertionError("the last precision is taken as it is")


def is_good(mass: arb, lost: Fraction, bits: int) -> bool:
    """Whether so many bits of a probability are right."""
    if not mass.is_finite():
        return False
    if mass == 0:
        return True
    return bool(mass.rel_accuracy_bits() >= bits) and lost * 2**bits <= abs(balls.lower(mass))


def _told(sums: Mapping[Value, arb], lost: Fraction) -> dict[Value, Chance]:
    """Every answer that may be possible: what only cannot be told from 0 (which makes ``mass != 0`` False) stays."""
    return {answer: interval_of(mass, lost) for answer, mass in sums.items() if not (mass == 0)}  # noqa: SIM201  # as said


def interval_of(mass: arb, lost: Fraction) -> Interval:
    """The ends of a probability that may be ``lost`` too small."""
    low, high = balls.lower(mass), balls.upper(mass)
    return Interval(max(low, Fraction(0)), min(max(high, Fraction(0)) + lost, Fraction(1)))


def upper_end(lost: arb) -> Fraction:
    """What was lost, at most."""
    return Fraction(0) if lost == 0 else balls.upper(lost)


def _walked(space: Space, module: ir.Module, name: str, arguments: Inputs, event: Event | None) -> dict[Value, Any]:
    with patient(space):
        states = returned(space, module, name, arguments, event)
        return summed(weighed(space, states, None))


@contextmanager
def patient(space: Space) -> Iterator[None]:
    """An overflow means that the time is up."""
    try:
        yield
    except OverflowError:
        raise late(space.limits.seconds) from None


@lru_cache(maxsize=8)
def calculus_at(_bits: int) -> Calculus:
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

"""Privacy loss between two inputs: per answer, the worst, and the whole δ(ε) curve.

The one idea: every number here is an interval with a side to err on. A loss is accused with its lower end, ln of the
least P_left over the most P_right. δ(ε) = Σ max(0, P_left − e^ε·P_right) [DR14, Lemma 3.17 in its exact form] is
bounded on both sides where answers are finitely many; where they are real numbers, regions of them are looked at, which
post-processing allows, and only the lower bound is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.balls import Interval, ball, enclose, to_interval
from lapwing.kernel.distribution.exponentials import ExactProbability, closed_ratio, log_text
from lapwing.kernel.distribution.probability import Chance, enclosure
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.witness import LogRatio
from lapwing.search.violation.landscape import Side, events

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Loss:
    """ln(P_left/P_right) of an event. ``closed_form`` is the loss in symbols where it is known exactly."""

    event: Event
    left: Interval
    right: Interval
    closed_form: str | None = None

    @property
    def ratio(self) -> LogRatio:
        """The loss, enclosed; only for events that are certainly possible on the left."""
        return log_ratio(self.left, self.right)


@dataclass(frozen=True, slots=True)
class Table:
    """Events that exclude each other and their probabilities on both sides; ``whole`` where each is one answer."""

    left: Mapping[Event, Chance]
    right: Mapping[Event, Chance]
    whole: bool

    @classmethod
    def of(cls, left: Side, right: Side) -> Table:
        """Every answer of two sides, real numbers in regions."""
        found, whole = events(left, right)
        return cls({each: left.chance(each) for each in found}, {each: right.chance(each) for each in found}, whole)

    def swapped(self) -> Table:
        """The same, the other way round."""
        return Table(self.right, self.left, self.whole)

    @property
    def losses(self) -> list[Loss]:
        """The loss of every event that is possible on some side."""
        every = (loss_of(event, self.left[event], self.right[event]) for event in self.left)
        return [each for each in every if each.left.upper > 0 or each.right.upper > 0]

    @property
    def worst(self) -> Loss | None:
        """The event with the largest certain loss from left to right; None when none is certainly possible."""
        possible = [each for each in self.losses if each.left.lower > 0]
        return max(possible, key=lambda each: _rank(each.left, each.right), default=None)

    def delta(self, epsilon: Fraction | Interval) -> Interval:
        """δ(ε) from left to right: P(S) − e^ε·Q(S) is below it for any set S of answers."""
        factor = exponential(epsilon)
        low = high = _ZERO
        for each in self.losses:
            low += max(_ZERO, each.left.lower - factor.upper * each.right.upper)
            high += max(_ZERO, each.left.upper - factor.lower * each.right.lower)
        return Interval(min(low, _ONE), min(high, _ONE) if self.whole else _ONE)

    def beyond(self, epsilon: Fraction | Interval) -> tuple[Event, ...]:
        """The events whose loss is certainly above ε: together they give δ(ε)."""
        factor = exponential(epsilon)
        return tuple(each.event for each in self.losses if each.left.lower > factor.upper * each.right.upper)

    def curve(self, points: int = 9) -> list[tuple[Fraction, Interval]]:
        """δ(ε) at evenly spaced ε from 0 up to the worst finite loss, or up to 4 when there is none."""
        top = self.worst
        end = top.ratio.upper if top is not None else None
        last = min(end, Fraction(64)) if end is not None and end > 0 else Fraction(4)
        last = Fraction(round(last * 1000 + Fraction(1, 2)), 1000)
        steps = [last * k / (points - 1) for k in range(points)]
        return [(epsilon, self.delta(epsilon)) for epsilon in steps]


def log_ratio(left: Interval, right: Interval) -> LogRatio:
    """An enclosure of ln(left/right); None stands for +∞. ``left`` is certainly above 0."""
    low = None if right.upper == 0 else _log(left.lower / right.upper).lower
    high = None if right.lower == 0 else _log(left.upper / right.lower).upper
    return LogRatio(low, high)


def loss_of(event: Event, left: Chance, right: Chance) -> Loss:
    """The loss of one event from its two probabilities, in closed form when both are exact."""
    form = None
    if isinstance(left, ExactProbability) and isinstance(right, ExactProbability):
        if right.is_zero:
            form = None if left.is_zero else "inf"
        elif not left.is_zero:
            ratio = closed_ratio(left, right)
            form = None if ratio is None else log_text(*ratio)
    return Loss(event, enclosure(left), enclosure(right), form)


def _rank(left: Interval, right: Interval) -> Fraction | float:
    return float("inf") if right.upper == 0 else left.lower / right.upper


def exponential(epsilon: Fraction | Interval) -> Interval:
    """An interval around e^ε."""
    ends = epsilon if isinstance(epsilon, Interval) else Interval.point(epsilon)
    low, high = enclose(lambda: ball(ends.lower).exp()), enclose(lambda: ball(ends.upper).exp())
    return Interval(low.lower, high.upper)


def _log(value: Fraction) -> Interval:
    return to_interval(ball(value).log())

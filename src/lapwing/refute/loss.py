"""Privacy loss between two inputs: per answer, the worst, and the whole δ(ε) curve.

The one idea: every number here is an interval with a side to err on. A loss is accused with its lower end, ln of the
least P_left over the most P_right; on discrete answers no event has a larger ratio than its worst single answer.
δ(ε) = Σ max(0, P_left − e^ε·P_right) [DR14, Lemma 3.17 in its exact form] is bounded on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from lapwing.algebra.balls import Interval, ball, enclose, to_interval
from lapwing.evidence.witness import LogRatio
from lapwing.refute.distribution import Distribution
from lapwing.refute.exponentials import ExactProbability, closed_ratio, log_text
from lapwing.refute.values import Plain

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Loss:
    """ln(P_left/P_right) of one answer. ``closed_form`` is the loss in symbols where it is known exactly."""

    output: Plain
    left: Interval
    right: Interval
    closed_form: str | None = None

    @property
    def ratio(self) -> LogRatio:
        """The loss, enclosed; only for answers that are certainly possible on the left."""
        return log_ratio(self.left, self.right)


def log_ratio(left: Interval, right: Interval) -> LogRatio:
    """An enclosure of ln(left/right); None stands for +∞. ``left`` is certainly above 0."""
    low = None if right.upper == 0 else _log(left.lower / right.upper).lower
    high = None if right.lower == 0 else _log(left.upper / right.lower).upper
    return LogRatio(low, high)


def loss_of(output: Plain, left: ExactProbability | Interval, right: ExactProbability | Interval) -> Loss:
    """The loss of one answer from its two probabilities, in closed form when both are exact."""
    ends = [each.enclosure() if isinstance(each, ExactProbability) else each for each in (left, right)]
    form = None
    if isinstance(left, ExactProbability) and isinstance(right, ExactProbability):
        if right.is_zero:
            form = None if left.is_zero else "inf"
        elif not left.is_zero:
            ratio = closed_ratio(left, right)
            form = None if ratio is None else log_text(*ratio)
    return Loss(output, ends[0], ends[1], form)


def losses(left: Distribution, right: Distribution, outputs: Iterable[Plain] | None = None) -> Iterator[Loss]:
    """The loss of every answer given, or else of every one found on the left or the right, in that order."""
    for output in {**left.masses, **right.masses} if outputs is None else outputs:
        a, b = left.exact(output), right.exact(output)
        if a is None or b is None:
            yield loss_of(output, left.probability(output), right.probability(output))
        else:
            yield loss_of(output, a, b)


def worst(left: Distribution, right: Distribution) -> Loss | None:
    """The answer with the largest certain loss from left to right; None when no answer is certainly possible."""
    rank = _rank_doubles if not left.is_exact and not right.is_exact else _rank_intervals
    found = max(left.masses, key=lambda output: rank(left, right, output), default=None)
    if found is None:
        return None
    loss = next(losses(left, right, [found]))
    return loss if loss.left.lower > 0 else None


def _rank_doubles(left: Distribution, right: Distribution, output: Plain) -> float:
    """Close to the least P_left/P_right, without a fraction: for choosing among many answers only."""
    return cast(float, left.masses[output]) / (cast(float, right.masses.get(output, 0.0)) + float(right.escaped))


def _rank_intervals(left: Distribution, right: Distribution, output: Plain) -> float:
    low, high = left.found(output).lower, right.probability(output).upper
    return float("inf") if high == 0 else float(low / high)


def delta(left: Distribution, right: Distribution, epsilon: Fraction | Interval) -> Interval:
    """δ(ε) from left to right.

    Lower end: P(S) − e^ε·Q(S) is below δ(ε) for *any* event S, here the answers where the difference is certainly
    positive; what escaped on the right may all be in S, once. Upper end: what escaped on the left may be anywhere.
    """
    factor = exponential(epsilon)
    low, high = -factor.upper * right.escaped, left.escaped
    for output in left.masses:
        p, q = left.found(output), right.found(output)
        low += max(_ZERO, p.lower - factor.upper * q.upper)
        high += max(_ZERO, p.upper - factor.lower * q.lower)
    return Interval(min(max(low, _ZERO), Fraction(1)), min(high, Fraction(1)))


def beyond(left: Distribution, right: Distribution, epsilon: Fraction | Interval) -> tuple[Plain, ...]:
    """The answers whose loss is certainly above ε: the event that gives δ(ε)."""
    factor = exponential(epsilon)
    return tuple(o for o in left.masses if left.found(o).lower > factor.upper * right.found(o).upper)


def mass(distribution: Distribution, event: tuple[Plain, ...]) -> Interval:
    """The probability of a set of answers."""
    found = [distribution.found(output) for output in event]
    high = sum((each.upper for each in found), _ZERO) + distribution.escaped
    return Interval(sum((each.lower for each in found), _ZERO), min(Fraction(1), high))


def curve(left: Distribution, right: Distribution, points: int = 9) -> list[tuple[Fraction, Interval]]:
    """δ(ε) at evenly spaced ε from 0 up to the worst finite loss, or up to 4 when there is none."""
    top = worst(left, right)
    end = top.ratio.upper if top is not None else None
    last = min(end, Fraction(64)) if end is not None and end > 0 else Fraction(4)
    last = Fraction(round(last * 1000 + Fraction(1, 2)), 1000)
    steps = [last * k / (points - 1) for k in range(points)]
    return [(epsilon, delta(left, right, epsilon)) for epsilon in steps]


def exponential(epsilon: Fraction | Interval) -> Interval:
    """An interval around e^ε."""
    ends = epsilon if isinstance(epsilon, Interval) else Interval.point(epsilon)
    low, high = enclose(lambda: ball(ends.lower).exp()), enclose(lambda: ball(ends.upper).exp())
    return Interval(low.lower, high.upper)


def _log(value: Fraction) -> Interval:
    return to_interval(ball(value).log())

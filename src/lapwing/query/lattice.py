"""The lattice of a measurement: values become whole numbers of steps before anything is added.

The one idea: steps are powers of two and the ends of a range are moved to multiples of the step, so that the
engine's floating-point clip and floor give exactly the whole numbers that the sensitivity is computed from.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.query.ranges import Range

#: Steps in the range of a real number, at least and at most.
STEPS = 2**16
#: Steps in the range of a value that is squared.
STEPS_SQUARED = 2**11
#: Whole numbers are left whole up to this size; with weights only as far as the sum of 2^25 rows fits 61 bits.
LARGEST_WHOLE = 2**24
LARGEST_WEIGHTED = 2**36
#: A lattice far from 0 is made coarser, so that its points are still exact as floating-point numbers of 53 bits.
_FARTHEST = 2**36


@dataclass(frozen=True, slots=True)
class Lattice:
    """Multiples of ``step`` from ``low`` to ``high``; values count as multiples, less ``centre``."""

    low: Fraction
    high: Fraction
    step: Fraction
    centre: int


def power_of_two_step(width: Fraction, steps: int) -> Fraction:
    """The power of two for which width/step is in (steps/2, steps]; 1 for no width at all."""
    if width <= 0:
        return Fraction(1)
    step = Fraction(2) ** (width.numerator.bit_length() - width.denominator.bit_length() - steps.bit_length() - 1)
    while width / step > steps:
        step *= 2
    return max(step, Fraction(1, 2**500))


def around_zero(limits: Range, *, whole: bool, weight_steps: int) -> Lattice:
    """The lattice of a sum: its noise follows the largest value, so the step does."""
    low, high = _ends(limits)
    size = max(abs(low), abs(high))
    return _lattice(low, high, _step(size, size, STEPS, whole=whole, weight_steps=weight_steps), centred=False)


def around_middle(limits: Range, *, whole: bool, weight_steps: int) -> Lattice:
    """The lattice of a mean: deviations from the middle of the range are at most half of it."""
    low, high = _ends(limits)
    size = max(abs(low), abs(high))
    return _lattice(low, high, _step(high - low, size, STEPS, whole=whole, weight_steps=weight_steps), centred=True)


def of_squares(limits: Range, *, whole: bool) -> Lattice:
    """The lattice of squared deviations, coarser: squares of few steps are many."""
    low, high = _ends(limits)
    size = max(abs(low), abs(high))
    step = power_of_two_step(max(high - low, size / _FARTHEST), STEPS_SQUARED)
    return _lattice(low, high, max(step, Fraction(1)) if whole else step, centred=True)


def _step(width: Fraction, size: Fraction, steps: int, *, whole: bool, weight_steps: int) -> Fraction:
    if whole and size <= LARGEST_WHOLE and width * weight_steps <= LARGEST_WEIGHTED:
        return Fraction(1)
    step = power_of_two_step(max(width, size / _FARTHEST), steps)
    return max(step, Fraction(1)) if whole else step


def _lattice(low: Fraction, high: Fraction, step: Fraction, *, centred: bool) -> Lattice:
    """floor(x/step) is the same whether x is clipped to the ends given or to the multiples of step below them."""
    bottom, top = low // step, high // step
    return Lattice(bottom * step, top * step, step, (bottom + top) // 2 if centred else 0)


def _ends(limits: Range) -> tuple[Fraction, Fraction]:
    assert limits.low is not None  # noqa: S101  # the rule that asks has refused ranges without ends
    assert limits.high is not None  # noqa: S101  # as above
    return limits.low, limits.high

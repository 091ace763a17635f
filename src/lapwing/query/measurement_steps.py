"""The lattice of a measurement: values become whole numbers of steps before anything is added.

The one idea: steps are powers of two and the ends of a range are moved out to multiples of the step, so that the
engine's floating-point clip and rounding give exactly the whole numbers that the sensitivity is computed from. Values
go to the nearest multiple, so that what they lose on the way cancels; all moments of a column are on one lattice.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.query.ranges import Range

#: Steps in the range of a real number, at most: with weights as many as let the sum of 2^25 rows fit 61 bits.
STEPS, STEPS_WEIGHTED = 2**26, 2**20
#: Whole numbers are left whole up to this size; with weights only as far as the sum of 2^25 rows fits 61 bits.
LARGEST_WHOLE = 2**24
LARGEST_WEIGHTED = 2**36
#: A lattice far from 0 is made coarser, so that its points and their halves are exact floating-point numbers.
_EXACT = 2**51


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


def fine_step(low: Fraction, high: Fraction, steps: int) -> Fraction:
    """A power of two of which about so many make the range, and all of whose multiples there are exact as floats."""
    return power_of_two_step(max(high - low, max(abs(low), abs(high)) * steps / _EXACT), steps)


def around_zero(limits: Range, *, whole: bool, weight_steps: int) -> Lattice:
    """The lattice of a sum: its noise follows the largest value, so the step does."""
    low, high = _ends(limits)
    size = max(abs(low), abs(high))
    return _lattice(low, high, _step(size, size, whole=whole, weight_steps=weight_steps), centred=False)


def around_middle(limits: Range, *, whole: bool, weight_steps: int) -> Lattice:
    """The lattice of a mean: deviations from the middle of the range are at most half of it."""
    low, high = _ends(limits)
    size = max(abs(low), abs(high))
    return _lattice(low, high, _step(high - low, size, whole=whole, weight_steps=weight_steps), centred=True)


def shift_of(points: Lattice, weight_steps: int) -> int:
    """By how many halvings the squares of a lattice are made small enough to be added; the values stay as they are."""
    largest = max(abs(end / points.step - points.centre) for end in (points.low, points.high)) ** 2
    room = STEPS if weight_steps == 1 else STEPS_WEIGHTED
    return max(0, int(largest).bit_length() - room.bit_length())


def _step(width: Fraction, size: Fraction, *, whole: bool, weight_steps: int) -> Fraction:
    if whole and size <= LARGEST_WHOLE and width * weight_steps <= LARGEST_WEIGHTED:
        return Fraction(1)
    steps = STEPS if weight_steps == 1 else STEPS_WEIGHTED
    step = power_of_two_step(max(width, size * steps / _EXACT), steps)
    return max(step, Fraction(1)) if whole else step


def _lattice(low: Fraction, high: Fraction, step: Fraction, *, centred: bool) -> Lattice:
    """Every value of the range has a nearest multiple between the ends."""
    bottom, top = low // step, -(-high // step)
    return Lattice(bottom * step, top * step, step, (bottom + top) // 2 if centred else 0)


def _ends(limits: Range) -> tuple[Fraction, Fraction]:
    assert limits.low is not None  # noqa: S101  # the rule that asks has refused ranges without ends
    assert limits.high is not None  # noqa: S101  # as above
    return limits.low, limits.high

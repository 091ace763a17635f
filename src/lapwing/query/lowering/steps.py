"""Values as whole numbers of steps: what is added up is an integer in a fixed range, whatever the data hold.

The one idea: floor is monotone, so flooring to the lattice and then clipping to the floors of the ends is the same as
clipping first; only the last clip, on whole numbers, has to be trusted.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.sql import Typed, binary
from lapwing.query.plan import Measurement

#: Lattice points beyond this have no room to be added.
_FARTHEST = 2**62


def steps(value: Typed, step: Fraction, low: int, high: int, centre: int = 0) -> Typed:
    """clip(floor(value/step), low, high) - centre as a BIGINT, NULL for NULL.

    In [low - centre, high - centre] because the CASE returns only its ends or a number it compared with them. Exact for
    INTEGER values with a whole step or a step that divides 1, and for REAL values with a power of two.
    """
    if low > high or max(abs(low), abs(high), abs(centre)) >= _FARTHEST:
        raise sql.refused("a range of values that has no lattice of 64 bits", "Choose a larger step or a smaller range")
    value = sql.number(value)
    points = _whole_steps(value, step, low, high) if value.kind is Kind.INTEGER else None
    if points is None:
        points = _real_steps(sql.cast(value, Kind.REAL), step, low, high)
    moved = binary(exp.Sub, points, sql.whole(centre)) if centre else points
    return Typed(moved, Kind.INTEGER, low - centre, high - centre)


def _whole_steps(value: Typed, step: Fraction, low: int, high: int) -> exp.Expr | None:
    """The lattice point of an INTEGER, or None where 64 bits are too few or the step is odd."""
    if step.denominator == 1:
        size = step.numerator
        bottom, top = low * size, high * size + size - 1
        if max(abs(bottom), abs(top)) >= _FARTHEST:
            return None
        kept = sql.clipped(value.sql, sql.whole(bottom), sql.whole(top))
        if size == 1:
            return kept
        # Not negative after the shift, so that the engine's division towards 0 is a floor.
        above = binary(exp.IntDiv, binary(exp.Sub, kept, sql.whole(bottom)), sql.whole(size))
        return binary(exp.Add, above, sql.whole(low))
    if step.numerator == 1:
        each = step.denominator
        bottom, top = low // each, -(-high // each)
        if max(abs(bottom), abs(top)) * each >= _FARTHEST:
            return None
        many = binary(exp.Mul, sql.clipped(value.sql, sql.whole(bottom), sql.whole(top)), sql.whole(each))
        return sql.clipped(many, sql.whole(low), sql.whole(high))
    return None


def _real_steps(value: Typed, step: Fraction, low: int, high: int) -> exp.Expr:
    """The lattice point of a REAL; infinities are clipped, and no cast can fail between the two ends."""
    scaled = binary(exp.Div, value.sql, sql.real(step))
    if step.denominator == 1 and step > 1:
        # The floor of the floor is the same, and keeps tiny numbers from becoming 0 in the division.
        scaled = binary(exp.Div, exp.Floor(this=value.sql), sql.real(step))
    inside = sql.try_cast(exp.Floor(this=scaled), "BIGINT")
    below = binary(exp.LT, scaled, sql.real(_double_from(low)))
    above = binary(exp.GT, scaled, sql.real(_double_to(high)))
    return sql.case(((below, sql.whole(low)), (above, sql.whole(high))), inside)


def _double_from(number: int) -> float:
    """The smallest double that is not below a whole number."""
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def _double_to(number: int) -> float:
    """The largest double that is not above a whole number."""
    nearest = float(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def measured(value: Typed, measurement: Measurement) -> Typed:
    """X of a measurement: floor(clip(value, low, high)/step) - centre."""
    low, high = _ends(measurement)
    step = measurement.step
    return steps(value, step, math.floor(low / step), math.floor(high / step), measurement.centre)


def bucket(value: Typed, measurement: Measurement) -> Typed:
    """Which of the equal buckets of [low, high] the value is in, from 0; the upper end is in the last."""
    low, high = _ends(measurement)
    last = measurement.buckets - 1
    if last < 0:
        raise sql.refused("a quantile without buckets", "Give it at least one")
    if low == high:
        return steps(value, Fraction(1), 0, 0)
    width = (high - low) / measurement.buckets
    first = low / width
    if first.denominator == 1 and abs(first) + last < _FARTHEST:
        return steps(value, width, int(first), int(first) + last, int(first))
    moved = binary(exp.Sub, sql.cast(sql.number(value), Kind.REAL).sql, sql.real(low))
    return steps(Typed(sql.without_nan(moved), Kind.REAL), width, 0, last)


def _ends(measurement: Measurement) -> tuple[Fraction, Fraction]:
    if measurement.low is None or measurement.high is None:
        raise sql.refused(f"the measurement {measurement.name!r} has no range", "Give it both ends")
    return measurement.low, measurement.high

"""Values as whole numbers of steps: what is added up is an integer in a fixed range, whatever the data hold.

The one idea: rounding is monotone, so rounding to the lattice and then clipping to its ends is the same as clipping
first; only the last clip, on whole numbers, has to be trusted. The nearest point is floor((floor(2·x/step) + 1)/2),
in whole numbers: a half added to a floating-point number could be lost.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Kind
from lapwing.kernel.evidence.plan import Measurement
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.naming import Names
from lapwing.query.lowering.sql import Typed, binary

#: Lattice points beyond this have no room to be added.
_FARTHEST = 2**62


def nearest(value: Typed, step: Fraction, low: int, high: int, dialect: Dialect, centre: int = 0) -> Typed:
    """clip(floor(value/step + 1/2), low, high) - centre as a BIGINT, NULL for NULL."""
    if value.kind is Kind.INTEGER and step.numerator == 1:
        return steps(value, step, low, high, dialect, centre)  # whole numbers are on the lattice already
    bottom = 2 * low
    halves = steps(value, step / 2, bottom, 2 * high, dialect, bottom)
    # not negative, so that the engine's division towards 0 is a floor
    points = dialect.divided(binary(exp.Add, halves.sql, sql.whole(1)), sql.whole(2))
    return Typed(binary(exp.Add, points, sql.whole(low - centre)), Kind.INTEGER, low - centre, high - centre)


def steps(value: Typed, step: Fraction, low: int, high: int, dialect: Dialect, centre: int = 0) -> Typed:
    """clip(floor(value/step), low, high) - centre as a BIGINT, NULL for NULL.

    In [low - centre, high - centre] because the CASE returns only its ends or a number it compared with them. Exact for
    INTEGER values with a whole step or a step that divides 1, and for REAL values with a power of two.
    """
    if low > high or max(abs(low), abs(high), abs(centre)) >= _FARTHEST:
        raise sql.refused("a range of values that has no lattice of 64 bits", "Choose a larger step or a smaller range")
    value = dialect.number(value)
    points = _whole_steps(value, step, low, high, dialect) if value.kind is Kind.INTEGER else None
    if points is None:
        points = dialect.points(dialect.cast(value, Kind.REAL).sql, step, low, high)
    moved = binary(exp.Sub, points, sql.whole(centre)) if centre else points
    return Typed(moved, Kind.INTEGER, low - centre, high - centre)


def _whole_steps(value: Typed, step: Fraction, low: int, high: int, dialect: Dialect) -> exp.Expr | None:
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
        above = dialect.divided(binary(exp.Sub, kept, sql.whole(bottom)), sql.whole(size))
        return binary(exp.Add, above, sql.whole(low))
    if step.numerator == 1:
        each = step.denominator
        bottom, top = low // each, -(-high // each)
        if max(abs(bottom), abs(top)) * each >= _FARTHEST:
            return None
        many = binary(exp.Mul, sql.clipped(value.sql, sql.whole(bottom), sql.whole(top)), sql.whole(each))
        return sql.clipped(many, sql.whole(low), sql.whole(high))
    return None


def measured(value: Typed, measurement: Measurement, dialect: Dialect) -> Typed:
    """X of a measurement: the nearest multiple of its step within the range, less its centre."""
    low, high = _ends(measurement)
    step, points = measurement.step, dialect.number(value)
    return nearest(points, step, math.floor(low / step), math.floor(high / step), dialect, measurement.centre)


def bucket(value: Typed, measurement: Measurement, names: Names) -> Typed:
    """Which of the equal buckets of [low, high] the value is in, from 0; the upper end is in the last."""
    low, high = _ends(measurement)
    last = measurement.buckets - 1
    if last < 0:
        raise sql.refused("a quantile without buckets", "Give it at least one")
    if low == high:
        return steps(value, Fraction(1), 0, 0, names.dialect)
    width = (high - low) / measurement.buckets
    first = low / width
    if first.denominator == 1 and abs(first) + last < _FARTHEST:
        return steps(value, width, int(first), int(first) + last, names.dialect, int(first))
    moved = names.real(exp.Sub, names.cast(names.number(value), Kind.REAL).sql, sql.real(low))
    away = names.once(Typed(sql.without_nan(moved), Kind.REAL))
    return steps(away, width, 0, last, names.dialect)


def _ends(measurement: Measurement) -> tuple[Fraction, Fraction]:
    if measurement.low is None or measurement.high is None:
        raise sql.refused(f"the measurement {measurement.name!r} has no range", "Give it both ends")
    return measurement.low, measurement.high

"""What the rows of a group add up to: whole numbers, in so much room that no sum can overflow.

The one idea: Σ weight · X is Σ S · X over all rows, plus Σ (weight - S) · X over the rows of people above their limit,
where S is the weight 1 in steps. Both are exact, so their sum is the one that weights alone would give.
"""

from __future__ import annotations

from sqlglot import exp

from lapwing.kernel.evidence.plan import Bounding, Function, Measurement
from lapwing.query.lowering import bounding, sql
from lapwing.query.lowering.bounding import Weight
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.sql import Typed, binary

#: Sums are clamped to this, so that noise has room in 64 bits.
LIMIT = 2**61
#: Largest size of one summand: 2^36 rows of it are still far from the 127 bits they are added in.
_SUMMAND = 2**90
#: A weight's steps, at most: 2^40 rows of full weight still fit 64 bits, and one weight 32.
_STEPS = 2**20


def full(measurement: Measurement, x: Typed | None, dialect: Dialect) -> exp.Expr:
    """Σ S · X over rows that all count in full; ``x`` is the column of X, None where it is 1 in every row."""
    steps = measurement.weight_steps
    if not 1 <= steps <= _STEPS or not 1 <= measurement.rows_per_unit < 2**40:
        raise sql.refused(f"the measurement {measurement.name!r} has no possible weights", "Choose smaller limits")
    match measurement.function:
        case Function.DISTINCT:
            if measurement.bounding is Bounding.WEIGHTS or x is None:
                raise sql.refused("different values cannot be counted by weights", "Bound them by a sample")
            return _times(exp.Count(this=exp.Distinct(expressions=[x.sql])), steps)
        case Function.TOTAL | Function.SQUARES | Function.SHARE:
            x = _summand(measurement, x)
            added = dialect.summed(x.sql, _size(measurement, x))
            if _turned(measurement):
                added = _rest(exp.Count(this=x.sql), x, added, dialect)
            return _times(added, steps)
        case Function.QUANTILE:
            return _times(exp.Count(this=exp.Star()), steps)  # of the rows in one bucket
        case _:
            return _times(exp.Count(this=exp.Star() if x is None else x.sql), steps)


def less_than_full(measurement: Measurement, x: Typed | None, weights: list[Weight], dialect: Dialect) -> exp.Expr:
    """Σ (weight - S) · X over rows of people above their limit: what ``full`` added too much."""
    if measurement.bounding is not Bounding.WEIGHTS:
        return sql.whole(0)
    less = bounding.less_of(weights.index(Weight(measurement.rows_per_unit, measurement.weight_steps)))
    return _weighed(less, measurement, x, dialect)


def weighed(measurement: Measurement, x: Typed | None, dialect: Dialect) -> exp.Expr:
    """Σ weight · X over rows that know how many their person has."""
    if measurement.bounding is not Bounding.WEIGHTS:
        return full(measurement, x, dialect)
    full(measurement, x, dialect)  # for what it refuses
    weight = Weight(measurement.rows_per_unit, measurement.weight_steps)
    return _weighed(bounding.weight_of(weight, dialect), measurement, x, dialect)


def _weighed(weight: exp.Expr, measurement: Measurement, x: Typed | None, dialect: Dialect) -> exp.Expr:
    match measurement.function:
        case Function.TOTAL | Function.SQUARES | Function.SHARE:
            x = _summand(measurement, x)
            size = _size(measurement, x)
            value = sql.sure_cast(x.sql, "BIGINT" if size < 2**62 else dialect.wide)
            added = dialect.summed(binary(exp.Mul, weight, value), size)
            if not _turned(measurement):
                return added
            rows = dialect.summed(sql.case([(sql.is_known(x.sql), weight.copy())]), _STEPS)
            return _rest(rows, x, added, dialect)
        case Function.QUANTILE:
            return dialect.summed(weight, _STEPS)
        case _:
            return dialect.summed(weight if x is None else sql.case([(sql.is_known(x.sql), weight)]), _STEPS)


def _turned(measurement: Measurement) -> bool:
    """Whether a row counts N - X, and its X is that of the measurement beside it."""
    return measurement.function is Function.SHARE and measurement.degree == 1 and measurement.place == 0


def _rest(rows: exp.Expr, x: Typed, added: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Σ w·(N - X) as N·Σw - Σ w·X: exact, and both sums are there already."""
    return binary(exp.Sub, binary(exp.Mul, dialect.widened(rows), sql.whole(x.high)), added)


def clamped(value: exp.Expr) -> exp.Expr:
    """The sum in ±LIMIT as a BIGINT; 0 where nothing was added."""
    known = exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
    return sql.sure_cast(sql.least(sql.greatest(known, sql.whole(-LIMIT)), sql.whole(LIMIT)), "BIGINT")


def _summand(measurement: Measurement, x: Typed | None) -> Typed:
    if x is None:
        raise sql.refused(f"the measurement {measurement.name!r} has nothing to add", "Give it an argument")
    if _size(measurement, x) >= _SUMMAND:
        raise sql.refused(f"the steps of {measurement.name!r} are too fine to be added", "Use larger steps")
    return x


def _size(measurement: Measurement, x: Typed) -> int:
    return max(abs(x.low), abs(x.high)) * measurement.weight_steps


def _times(value: exp.Expr, steps: int) -> exp.Expr:
    return value if steps == 1 else binary(exp.Mul, value, exp.Literal.number(steps))

"""What the rows of a group add up to: whole numbers, in so much room that no sum can overflow.

The one idea: Σ weight · X is Σ S · X over all rows, plus Σ (weight - S) · X over the rows of people above their limit,
where S is the weight 1 in steps. Both are exact, so their sum is the one that weights alone would give.
"""

from __future__ import annotations

from sqlglot import exp

from lapwing.query.lowering import bounding, sql
from lapwing.query.lowering.bounding import Weight
from lapwing.query.lowering.sql import Typed, binary
from lapwing.query.plan import Bounding, Function, Measurement

#: Sums are clamped to this, so that noise has room in 64 bits.
LIMIT = 2**61
#: Largest size of one summand: 2^36 rows of it are still far from the 127 bits they are added in.
_SUMMAND = 2**90
#: A weight's steps, at most: 2^40 rows of full weight still fit 64 bits, and one weight 32.
_STEPS = 2**20


def full(measurement: Measurement, x: Typed | None) -> exp.Expr:
    """Σ S · X over rows that all count in full; ``x`` is the column of X, None where it is 1 in every row."""
    steps = measurement.weight_steps
    if not 1 <= steps <= _STEPS or not 1 <= measurement.rows_per_unit < 2**40:
        raise sql.refused(f"the measurement {measurement.name!r} has no possible weights", "Choose smaller limits")
    match measurement.function:
        case Function.DISTINCT:
            if measurement.bounding is Bounding.WEIGHTS or x is None:
                raise sql.refused("different values cannot be counted by weights", "Bound them by a sample")
            return _times(exp.Count(this=exp.Distinct(expressions=[x.sql])), steps)
        case Function.TOTAL | Function.SQUARES:
            return _times(exp.Sum(this=_summand(measurement, x).sql), steps)
        case Function.QUANTILE:
            return _times(exp.Count(this=exp.Star()), steps)  # of the rows in one bucket
        case _:
            return _times(exp.Count(this=exp.Star() if x is None else x.sql), steps)


def less_than_full(measurement: Measurement, x: Typed | None, weights: list[Weight]) -> exp.Expr:
    """Σ (weight - S) · X over rows of people above their limit: what ``full`` added too much."""
    if measurement.bounding is not Bounding.WEIGHTS:
        return sql.whole(0)
    less = bounding.less_of(weights.index(Weight(measurement.rows_per_unit, measurement.weight_steps)))
    match measurement.function:
        case Function.TOTAL | Function.SQUARES:
            x = _summand(measurement, x)
            wide = sql.sure_cast(x.sql, "BIGINT" if _size(measurement, x) < 2**62 else sql.WIDE)
            return exp.Sum(this=binary(exp.Mul, less, wide))
        case Function.QUANTILE:
            return exp.Sum(this=less)
        case _:
            return exp.Sum(this=less if x is None else sql.case([(sql.is_known(x.sql), less)]))


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

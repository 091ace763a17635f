"""MEDIAN, QUANTILE(x, p), and MIN and MAX as quantiles near the ends."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from fractions import Fraction

from lapwing.query.described import described
from lapwing.query.expressions import Column, Kind, Literal
from lapwing.query.measurement_steps import fine_step
from lapwing.query.plan import Statistic
from lapwing.query.refusals import Refuses, quoted
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.bounding import quantile_of
from lapwing.query.rules.dates import days_between
from lapwing.query.rules.total import bounded
from lapwing.query.typed import Typed, literal
from lapwing.query.types import ColumnType

#: A range is divided into at most this many equal buckets: so fine that a wide range does not hurt.
MOST_BUCKETS = 2**30
#: The quantiles that stand for the smallest and the largest value, which no private answer can give.
SMALLEST, LARGEST = Fraction(1, 100), Fraction(99, 100)
#: A person moves a score by the denominator of p, so it is kept small.
MOST_PARTS = 10_000


def quantile(requests: Requests, grouping: Grouping, argument: Typed, fraction: Fraction, place: Refuses) -> Request:
    """The bucket of the range below which this fraction of the rows lies, chosen with noise among all buckets.

    Which bucket a row is in depends on that row alone, and the buckets on nothing private.
    """
    if not 0 < fraction < 1 or fraction.denominator > MOST_PARTS:
        raise place.invalid(
            "Q124",
            "the fraction of a quantile is not a number above 0 and below 1 of at most 4 digits",
            "Write one such as 0.5",
        )
    value = bounded(argument, "quantile", place)
    low, high = value.range.low, value.range.high
    assert low is not None  # noqa: S101  # seen by bounded
    assert high is not None  # noqa: S101  # as above
    if value.kind is Kind.INTEGER:  # buckets of whole numbers, one number each where they are few enough
        low, values = Fraction(math.floor(low)), math.floor(high) - math.floor(low) + 1
        step = Fraction(-(-values // MOST_BUCKETS))
        buckets = -(-values // int(step))
    else:
        step = fine_step(low, high, MOST_BUCKETS)
        low = low // step * step
        buckets = max(1, math.ceil((high - low) / step))
    part = quantile_of(grouping, value.expression, fraction, low, step, buckets)
    return requests.ask(Statistic.QUANTILE, value, (part,), ColumnType(value.kind, nullable=True, low=low, high=high))


def day_quantile(
    requests: Requests, grouping: Grouping, argument: Typed, fraction: Fraction, place: Refuses
) -> Request:
    """The same of days: counted from the first one of the range, and told as a day again."""
    low, high = argument.type.low, argument.type.high
    if low is None or high is None:
        name = argument.expression.name if isinstance(argument.expression, Column) else "day"
        raise place.unbounded(
            "Q104",
            f"unbounded quantile: nothing says between which days {quoted(described(argument.expression))} lies",
            f"Protect it with --bounds {name}=2020-01-01:2024-12-31, or write WHERE {name} BETWEEN two dates",
        )
    start = datetime.date.fromordinal(int(low)).isoformat()
    days = days_between(literal(Literal(start, Kind.DATE)), argument, place)
    found = quantile(requests, grouping, days, fraction, place)
    return replace(found, since=start)

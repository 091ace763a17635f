"""AVG(x): a sum of deviations from the middle of the range, over a count."""

from __future__ import annotations

from lapwing.query import measurement_steps
from lapwing.query.expressions import Kind
from lapwing.query.plan import Function, Statistic
from lapwing.query.refusals import Refuses
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.bounding import bounding, weight_steps
from lapwing.query.rules.count import rows_with
from lapwing.query.rules.total import bounded
from lapwing.query.typed import Typed
from lapwing.query.types import ColumnType


def mean(requests: Requests, grouping: Grouping, argument: Typed, place: Refuses) -> Request:
    """The mean of clipped values, from (total, rows). Deviations from the middle are at most half the range."""
    value = bounded(argument, "mean", place)
    whole = value.kind is Kind.INTEGER
    points = measurement_steps.around_middle(value.range, whole=whole, weight_steps=weight_steps(grouping))
    parts = (bounding(grouping, Function.TOTAL, value.expression, points), rows_with(grouping, value))
    known = ColumnType(Kind.REAL, nullable=True, low=value.range.low, high=value.range.high)
    return requests.ask(Statistic.MEAN, value, parts, known)

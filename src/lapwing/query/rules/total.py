"""SUM(x): one row counts its value, clipped to a range."""

from __future__ import annotations

from lapwing.query import measurement_steps
from lapwing.query.described import described
from lapwing.query.expressions import Kind
from lapwing.query.plan import Function, Statistic
from lapwing.query.refusals import Refuses, quoted
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.bounding import bounding, weight_steps
from lapwing.query.typed import Typed, numeric
from lapwing.query.types import ColumnType

_WRITTEN = {
    "sum": "SUM({})",
    "mean": "AVG({})",
    "variance": "VARIANCE({})",
    "quantile": "{}",
    "histogram": "HISTOGRAM({}, 20)",
}


def total(requests: Requests, grouping: Grouping, argument: Typed, place: Refuses) -> Request:
    """The sum of clipped values. Sensitivity: a person's weight times the largest size of a value."""
    value = bounded(argument, "sum", place)
    whole = value.kind is Kind.INTEGER
    points = measurement_steps.around_zero(value.range, whole=whole, weight_steps=weight_steps(grouping))
    part = bounding(grouping, Function.TOTAL, value.expression, points)
    return requests.ask(Statistic.SUM, value, (part,), ColumnType(Kind.REAL, nullable=False))


def bounded(argument: Typed, what: str, place: Refuses) -> Typed:
    """A number whose range is known at both ends; refused otherwise."""
    value = numeric(argument, place)
    if not value.range.bounded:
        shown = described(value.expression)
        clipped = f"CLIP({shown if len(shown) <= 40 else 'x'}, 0, 200000)"
        raise place.unbounded(
            "Q104",
            f"unbounded {what}: nothing bounds {quoted(shown)}",
            f"Declare it in the policy, or write {_WRITTEN[what].format(clipped)}",
        )
    return value

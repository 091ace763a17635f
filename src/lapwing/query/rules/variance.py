"""VARIANCE(x) and STDDEV(x): squared deviations from the middle of the range, deviations, and a count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

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


def variance(requests: Requests, grouping: Grouping, argument: Typed, statistic: Statistic, place: Refuses) -> Request:
    """The variance of clipped values or its root, from (squares, total, rows).

    Both sums are of the same whole numbers: what values lose on the lattice is the same in both, and cancels.
    """
    value = bounded(argument, "variance", place)
    weights = weight_steps(grouping)
    points = measurement_steps.around_middle(value.range, whole=value.kind is Kind.INTEGER, weight_steps=weights)
    squares = bounding(grouping, Function.SQUARES, value.expression, points)
    parts = (
        replace(squares, shift=measurement_steps.shift_of(points, weights)),
        bounding(grouping, Function.TOTAL, value.expression, points),
        rows_with(grouping, value),
    )
    known = ColumnType(Kind.REAL, nullable=True, low=Fraction(0))
    return requests.ask(statistic, value, parts, known)

"""VARIANCE(x) and STDDEV(x): squared deviations from the middle of the range, deviations, and a count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lapwing.query import lattice
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

    Both sums are of deviations from one number, on both lattices: the coarse step is a multiple of the fine one.
    """
    value = bounded(argument, "variance", place)
    whole = value.kind is Kind.INTEGER
    coarse = lattice.of_squares(value.range, whole=whole)
    fine = lattice.around_middle(value.range, whole=whole, weight_steps=weight_steps(grouping))
    centre = Fraction(coarse.centre) * coarse.step / fine.step
    parts = (
        bounding(grouping, Function.SQUARES, value.expression, coarse),
        bounding(grouping, Function.TOTAL, value.expression, replace(fine, centre=int(centre))),
        rows_with(grouping, value),
    )
    known = ColumnType(Kind.REAL, nullable=True, low=Fraction(0))
    return requests.ask(statistic, value, parts, known)

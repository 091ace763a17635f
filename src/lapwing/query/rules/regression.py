"""CORR, COVAR and REGR_*: six sums over the rows in which both values are there, centred."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lapwing.query import measurement_steps
from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.measurement_steps import Lattice
from lapwing.query.parsing.constants import NULL
from lapwing.query.plan import Function, Measurement, Statistic
from lapwing.query.refusals import Refuses
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.rules.bounding import bounding, weight_steps
from lapwing.query.rules.case import case
from lapwing.query.rules.clipping import limits
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.count import rows_with
from lapwing.query.rules.total import bounded
from lapwing.query.typed import Typed, literal
from lapwing.query.types import ColumnType

#: What each is made of, besides the product, the two sums and the count: squares of x, and of y.
_SQUARES = {
    Statistic.COVARIANCE: (False, False),
    Statistic.SLOPE: (True, False),
    Statistic.INTERCEPT: (True, False),
    Statistic.CORRELATION: (True, True),
    Statistic.DETERMINATION: (True, True),
}
_ENDS = {Statistic.CORRELATION: (-1, 1), Statistic.DETERMINATION: (0, 1)}


def regression(
    requests: Requests, grouping: Grouping, dependent: Typed, independent: Typed, statistic: Statistic, place: Refuses
) -> Request:
    """A statistic of two columns, from (product, total of y, total of x, rows, squares of x, squares of y).

    Values are clipped to their ranges and counted from the middle of these: a row adds at most half the range to a sum,
    its square to squares, and the product of both halves to the product. Each sum has noise of its own.
    """
    y, x = (bounded(each, "variance", place) for each in (dependent, independent))
    y, x = _beside(y, x, place), _beside(x, y, place)
    weights = weight_steps(grouping)
    points = [
        measurement_steps.around_middle(each.range, whole=each.kind is Kind.INTEGER, weight_steps=weights)
        for each in (y, x)
    ]
    parts = [
        _product(grouping, (y, x), points, place),
        *(bounding(grouping, Function.TOTAL, each.expression, on) for each, on in zip((y, x), points, strict=True)),
        rows_with(grouping, x),
    ]
    for wanted, each, on in zip(_SQUARES[statistic], (x, y), reversed(points), strict=True):
        if wanted:
            squares = bounding(grouping, Function.SQUARES, each.expression, on)
            parts.append(replace(squares, shift=measurement_steps.shift_of(on, weights)))
    low, high = (None if end is None else Fraction(end) for end in _ENDS.get(statistic, (None, None)))
    known = ColumnType(Kind.REAL, nullable=True, low=low, high=high)
    pair = Typed(parts[0].argument or literal(NULL).expression, known)
    return requests.ask(statistic, pair, tuple(parts), known)


def _beside(value: Typed, other: Typed, place: Refuses) -> Typed:
    """The value where the other one is there, too."""
    if not other.type.nullable:
        return value
    there = comparison(Word.NOT, (comparison(Word.IS_NULL, (other,), place),), place)
    return case((there, value, literal(NULL)), place)


def _product(grouping: Grouping, both: tuple[Typed, Typed], points: list[Lattice], place: Refuses) -> Measurement:
    """Σ(x - c)(y - d), each clipped first, with the same middles as the sums have."""
    deviations = []
    for each, on in zip(both, points, strict=True):
        middle = literal(Literal(on.centre * on.step, Kind.REAL))
        deviation = arithmetic(Word.SUBTRACT, (_clipped(each, on, place), middle), place)
        deviations.append(deviation)
    product = arithmetic(Word.MULTIPLY, (deviations[0], deviations[1]), place)
    on = measurement_steps.around_zero(product.range, whole=False, weight_steps=weight_steps(grouping))
    return bounding(grouping, Function.TOTAL, product.expression, on)


def _clipped(value: Typed, on: Lattice, place: Refuses) -> Typed:
    ends = (literal(Literal(end, Kind.REAL)) for end in (on.low, on.high))
    return limits(Word.CLIP, (value, *ends), place)

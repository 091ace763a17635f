"""Aggregates of people, each handed to the rule that types it."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.parsing.aggregates import Name, Wanted, wanted
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.words import refuse_function
from lapwing.query.plan import Statistic
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.case import case
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.count import count
from lapwing.query.rules.count_distinct import count_distinct
from lapwing.query.rules.mean import mean
from lapwing.query.rules.quantile import LARGEST, SMALLEST, day_quantile, quantile
from lapwing.query.rules.regression import regression
from lapwing.query.rules.total import total
from lapwing.query.rules.variance import variance
from lapwing.query.scalars import Scalars
from lapwing.query.typed import DAYS, Typed, condition, literal

_ONE = literal(Literal(1, Kind.INTEGER))
_NOTHING = literal(NULL)
_HALF = Fraction(1, 2)
_OF_TWO = {
    Name.COVARIANCE: Statistic.COVARIANCE,
    Name.CORRELATION: Statistic.CORRELATION,
    Name.SLOPE: Statistic.SLOPE,
    Name.INTERCEPT: Statistic.INTERCEPT,
    Name.DETERMINATION: Statistic.DETERMINATION,
}


def measured(requests: Requests, grouping: Grouping, scalars: Scalars, node: exp.Expr) -> Request:
    """The statistic that an aggregate stands for, asked for with the rule that types it."""
    asked = wanted(scalars.text, node)
    place = Spot(scalars.text, node)
    value = None if asked.argument is None else scalars.read(asked.argument)
    if asked.name is Name.COUNT_IF:
        assert value is not None  # noqa: S101  # the parser gives COUNT_IF its argument
        value = case((condition(value, place), _ONE, _NOTHING), place)
    value = filtered(scalars, asked, value) if asked.filter is not None or value is not None else None
    if value is None or asked.name in (Name.COUNT, Name.COUNT_IF):
        return count(requests, grouping, value)
    place = Spot(scalars.text, asked.argument or node)
    match asked.name:
        case Name.COUNT_DISTINCT:
            return count_distinct(requests, grouping, value)
        case Name.SUM:
            return total(requests, grouping, value, place)
        case Name.MEAN:
            return mean(requests, grouping, value, place)
        case Name.VARIANCE | Name.STDDEV:
            statistic = Statistic.VARIANCE if asked.name is Name.VARIANCE else Statistic.STDDEV
            return variance(requests, grouping, value, statistic, place)
        case Name.MIN | Name.MAX | Name.QUANTILE if value.kind in DAYS and not value.is_null:
            fraction = {Name.MIN: SMALLEST, Name.MAX: LARGEST}.get(asked.name) or _fraction(asked, scalars, place)
            return day_quantile(requests, grouping, value, fraction, place)
        case Name.MIN | Name.MAX:
            return quantile(requests, grouping, value, SMALLEST if asked.name is Name.MIN else LARGEST, place)
        case Name.FIRST | Name.SOME:
            raise refuse_function(Spot(scalars.text, node), "FIRST")
        case Name.ANY | Name.EVERY:
            raise place.invalid(
                "Q136",
                "whether any row, or every row, is so is one person's to decide",
                "Use COUNT_IF(c), or BOOL_OR for each person in a sub-query",
            )
        case _ if asked.name in _OF_TWO and asked.setting is not None:
            return regression(requests, grouping, value, scalars.read(asked.setting), _OF_TWO[asked.name], place)
        case Name.PAIRS if asked.setting is not None:
            there = comparison(Word.NOT, (comparison(Word.IS_NULL, (scalars.read(asked.setting),), place),), place)
            return count(requests, grouping, case((there, value, _NOTHING), place))
        case Name.QUANTILE:
            return quantile(requests, grouping, value, _fraction(asked, scalars, place), place)
        case _:
            raise place.invalid("Q129", "something is computed from a HISTOGRAM", "Ask for it as a column by itself")


def _fraction(asked: Wanted, scalars: Scalars, place: Spot) -> Fraction:
    fraction = _HALF if asked.setting is None else scalars.read(asked.setting).number
    if fraction is None:
        raise place.invalid("Q124", "the fraction of a quantile is not a constant", "Write one such as 0.5")
    return fraction


def filtered(scalars: Scalars, asked: Wanted, value: Typed | None) -> Typed:
    """FILTER (WHERE c): a row of which c is not true has no value."""
    inner = _ONE if value is None else value
    if asked.filter is None:
        return inner
    place = Spot(scalars.text, asked.filter)
    return case((condition(scalars.read(asked.filter), place), inner, _NOTHING), place)

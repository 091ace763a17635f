"""COUNT(DISTINCT x): different people, or different values."""

from __future__ import annotations

from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.query.plan import Function, Statistic
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.bounding import bounding
from lapwing.query.rules.count import COUNTED
from lapwing.query.typed import Typed

_ONE = Literal(1, Kind.INTEGER)


def count_distinct(requests: Requests, grouping: Grouping, argument: Typed) -> Request:
    """How many different values.

    Of the unit these are people: a person is one, in each group they are in. Of anything else, each kept row of a
    person adds at most one value.
    """
    unit = grouping.source.type.unit
    match argument.expression:
        case Column(name) if name == unit:
            return _people(requests, grouping, None)
        case Call(Word.CASE, (condition, Column(name), Literal(None))) if name == unit:  # COUNT(DISTINCT unit) FILTER
            return _people(requests, grouping, Call(Word.CASE, (condition, _ONE, Literal(None, None))))
    return requests.ask(
        Statistic.COUNT, argument, (bounding(grouping, Function.DISTINCT, argument.expression),), COUNTED
    )


def _people(requests: Requests, grouping: Grouping, condition: Expression | None) -> Request:
    return requests.ask(Statistic.COUNT, None, (bounding(grouping, Function.UNITS, condition),), COUNTED)

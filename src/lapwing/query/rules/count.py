"""COUNT(*), COUNT(x), COUNT_IF(condition): one row counts one."""

from __future__ import annotations

from lapwing.query.expressions import Call, Kind, Word
from lapwing.query.plan import Function, Measurement, Statistic
from lapwing.query.requests import Grouping, Request, Requests
from lapwing.query.rules.bounding import bounding
from lapwing.query.typed import Typed
from lapwing.query.types import ColumnType

_AS_NULL_AS_ITS_ARGUMENT = {Word.CLIP, Word.ABS, Word.NEGATE, Word.FLOOR, Word.CEIL, Word.ROUND}
COUNTED = ColumnType(Kind.REAL, nullable=False)


def count(requests: Requests, grouping: Grouping, argument: Typed | None) -> Request:
    """How many rows there are, or how many have a value. Sensitivity: a person's weight, at most k."""
    return requests.ask(Statistic.COUNT, argument, (rows_with(grouping, argument),), COUNTED)


def rows_with(grouping: Grouping, argument: Typed | None) -> Measurement:
    """The rows with a value: all where every row has one, and CLIP(x, a, b) where x does, so that counts are shared."""
    if argument is None or not argument.type.nullable:
        return bounding(grouping, Function.ROWS, None)
    wanted = argument.expression
    while isinstance(wanted, Call) and wanted.word in _AS_NULL_AS_ITS_ARGUMENT:
        wanted = wanted.arguments[0]
    return bounding(grouping, Function.ROWS, wanted)

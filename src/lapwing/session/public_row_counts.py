"""How many rows there are, where one person is changed: the same before and after, so it is told for nothing.

The one idea: where each row is a person and neighbours differ in one that is changed, the number of all rows of a table
is the same in both. Then a mean has the whole price for its sum: rows with a value are all rows less those without, and
a row without a value adds nothing to the sum, so that the two share one price as filters that exclude each other do.
"""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.expressions import Call, Expression, Kind, Literal, Word
from lapwing.kernel.release.plans import has_everybody
from lapwing.query.plan import Bounding, Function, Measurement, Query

_ONE, _NOTHING = Literal(1, Kind.INTEGER), Literal(None, None)


def is_known(query: Query, neighbours: Neighbours) -> bool:
    """Whether the number of all rows of a query is no secret."""
    whole = not query.aggregate.keys and has_everybody(query.aggregate.source)
    return whole and neighbours is Neighbours.REPLACED


def all_rows(measured: Sequence[Measurement], name: str) -> Measurement:
    """The count of all rows: the one that is asked for, or a further one."""
    asked = next((each for each in measured if each.function is Function.ROWS and each.argument is None), None)
    return asked or Measurement(name, Function.ROWS, None, Bounding.NONE, 1, 1)


def without(value: Expression, name: str) -> Measurement:
    """The rows in which this has no value."""
    absent = Call(Word.CASE, (Call(Word.IS_NULL, (value,)), _ONE, _NOTHING))
    return Measurement(name, Function.ROWS, absent, Bounding.NONE, 1, 1)

"""FIRST(x ORDER BY day), LAST, ARG_MIN and ARG_MAX for each person: the value in the row that comes first."""

from __future__ import annotations

import functools

from sqlglot import exp

from lapwing.query.expressions import Column, Word
from lapwing.query.names import fresh
from lapwing.query.parsing.aggregates import Wanted
from lapwing.query.parsing.places import Spot
from lapwing.query.plan import Relation
from lapwing.query.refusals import Text
from lapwing.query.rowsets import Rows
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.foremost import foremost
from lapwing.query.rules.project import project
from lapwing.query.rules.unit_join import MOST_UNIT_JOINS, unit_join, unit_joins
from lapwing.query.rules.where import where
from lapwing.query.scalars import Scalars
from lapwing.query.typed import Typed, condition


def first_of(text: Text, node: exp.Expr, asked: Wanted, rows: Rows, source: Relation) -> tuple[Relation, Typed]:
    """The rows with the first value of each person beside them; rows without what orders them do not come first."""
    place, reader = Spot(text, node), Scalars(text, rows.scope)
    unit = source.type.unit
    assert unit is not None  # noqa: S101  # the rows are grouped by it
    assert asked.argument is not None  # noqa: S101  # the parser gives FIRST its argument
    if unit_joins(source) >= MOST_UNIT_JOINS:
        raise place.invalid(
            "Q105",
            f"rows of a person meet others of the same person more than {MOST_UNIT_JOINS} times",
            "Aggregate each person in one sub-query, or ask in several queries",
        )
    value, order = reader.read(asked.argument), [reader.read(each.this) for each in asked.order]
    needed = [_known(each, place) for each in (*order, *((value,) if asked.known else ()))]
    if asked.filter is not None:
        needed.append(condition(reader.read(asked.filter), place))
    within = where(source, functools.reduce(lambda a, b: comparison(Word.AND, (a, b), place), needed))
    taken = [*source.type.columns]
    for _ in range(len(order) + 1):
        taken.append(fresh("first", taken))
    name, *by = taken[len(source.type.columns) :]
    owner = (unit, Typed(Column(unit), source.type.columns[unit]))
    carried = project(within, [owner, (name, value), *zip(by, order, strict=True)])
    down = tuple((each, bool(one.args.get("desc"))) for each, one in zip(by, asked.order, strict=True))
    first = foremost(carried, 1, (), down, place)
    only = project(first, [owner, (name, Typed(Column(name), value.type))])
    joined = unit_join(source, only, [], left=True)
    found = next(result for result, inner in joined.columns if inner == name)
    return joined, Typed(Column(found), joined.type.columns[found])


def _known(value: Typed, place: Spot) -> Typed:
    return comparison(Word.NOT, (comparison(Word.IS_NULL, (value,), place),), place)

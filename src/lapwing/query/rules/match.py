"""Rows that meet others by comparisons: range joins, LEFT JOIN with a condition, EXISTS and IN (SELECT ...)."""

from __future__ import annotations

from dataclasses import replace

from lapwing.query.expressions import Kind, Word
from lapwing.query.names import fresh
from lapwing.query.plan import Match, Meeting, Relation
from lapwing.query.types import ColumnType, RelationType

MARKED = ColumnType(Kind.BOOLEAN, nullable=False, keys=(False, True))


def match(source: Relation, other: Relation, on: list[tuple[str, Word, str]], how: Meeting, *, public: bool) -> Match:
    """Each row with those of another relation that compare with it: public ones, or the same person's.

    Public rows are the same on neighbouring tables, and a person's own are theirs alone, so what a row becomes depends
    on its person. Public rows can be many; a person with m and n rows has at most m·max(n, 1) pairs. A mark says of a
    row whether it meets any, and keeps their number.
    """
    here, there = source.type, other.type
    types = dict(here.columns)
    if how is Meeting.MARK:
        name = fresh("mark 1", types)
        types[name] = MARKED
        marked = RelationType(types, here.unit, here.rows_per_unit)
        return Match(source, other, tuple(on), (), how, name, public, marked)
    columns = []
    for inner, known in there.columns.items():
        result = fresh(inner, types)
        types[result] = replace(known, nullable=True) if how is Meeting.LEFT else known
        columns.append((result, inner))
    rows = None
    if not public and here.rows_per_unit is not None and there.rows_per_unit is not None:
        rows = here.rows_per_unit * max(there.rows_per_unit, 1)
    return Match(source, other, tuple(on), tuple(columns), how, None, public, RelationType(types, here.unit, rows))

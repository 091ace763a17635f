"""Joining two private relations: only rows of the same person meet."""

from __future__ import annotations

from dataclasses import replace

from lapwing.query.names import fresh
from lapwing.query.plan import Match, Meeting, Relation, Scan, UnitJoin
from lapwing.query.types import RelationType

#: Private relations meet at most so often in a query: with m rows a person has up to m^3 then, and the clock shows it.
MOST_UNIT_JOINS = 2
#: Rows are marked by rows of the same person at most so often.
MOST_MARKS = 4


def unit_join(first: Relation, second: Relation, on: list[tuple[str, str]], *, left: bool) -> UnitJoin:
    """Pairs of rows that belong to one person.

    Since the units are equal, a pair belongs to one person and depends on that person's rows alone. A person with at
    most m and n rows has at most m·n pairs (with LEFT, a row without a partner stays: still at most m·max(n, 1)).
    """
    types = dict(first.type.columns)
    columns = []
    for name, known in second.type.columns.items():
        result = fresh(name, types)
        types[result] = replace(known, nullable=True) if left else known
        columns.append((result, name))
    rows = None
    if first.type.rows_per_unit is not None and second.type.rows_per_unit is not None:
        rows = first.type.rows_per_unit * max(second.type.rows_per_unit, 1)
    return UnitJoin(first, second, tuple(on), tuple(columns), left, RelationType(types, first.type.unit, rows))


def unit_joins(node: Relation) -> int:
    """How often private relations meet below a node."""
    match node:
        case Scan():
            return 0
        case UnitJoin():
            return 1 + unit_joins(node.first) + unit_joins(node.second)
        case Match():
            own = not node.public and node.how is not Meeting.MARK
            return own + unit_joins(node.source) + (0 if node.public else unit_joins(node.other))
        case _:
            return unit_joins(node.source)


def marks(node: Relation) -> int:
    """How often rows are marked by others of the same person below a node."""
    match node:
        case Scan():
            return 0
        case UnitJoin():
            return marks(node.first) + marks(node.second)
        case Match():
            own = not node.public and node.how is Meeting.MARK
            return own + marks(node.source) + (0 if node.public else marks(node.other))
        case _:
            return marks(node.source)

"""Queries inside one part of a table: every look at the table sees the rows of that part only."""

from __future__ import annotations

from dataclasses import replace

from lapwing.errors import InvalidInput
from lapwing.ledger import Part
from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.query.plan import Query, Relation, Sampled, Scan, UnitJoin, Where


def within(query: Query, part: Part) -> Query:
    """The same query about the rows of the part; refuses other private tables, which the split says nothing about."""
    source = _restricted(query.aggregate.source, part)
    return replace(query, aggregate=replace(query.aggregate, source=source))


def _restricted(relation: Relation, part: Part) -> Relation:
    match relation:
        case Scan(table):
            if any(step.table != table for step in part.path()):
                raise InvalidInput(
                    "S138",
                    f"the session is about a part of {part.table!r}, and the query reads {table!r}",
                    "Ask it in the session of the whole table",
                )
            return _part_of(relation, part)
        case UnitJoin(first, second):
            return replace(relation, first=_restricted(first, part), second=_restricted(second, part))
        case _:
            return replace(relation, source=_restricted(relation.source, part))


def _part_of(scan: Scan, part: Part) -> Relation:
    """The rows of the part. A person's rows are first kept to the limit, so that few parts have any of them."""
    rows: Relation = scan
    if scan.type.unit is not None:
        most = part.path()[0].multiplicity
        rows = Sampled(scan, most, replace(scan.type, rows_per_unit=most))
    for step in part.path():
        rows = Where(rows, _is_in(step), rows.type)
    return rows


def _is_in(part: Part) -> Expression:
    kind = Kind.BOOLEAN if isinstance(part.key, bool) else Kind.INTEGER if isinstance(part.key, int) else Kind.TEXT
    return Call(Word.EQUAL, (Column(part.column), Literal(part.key, kind)))

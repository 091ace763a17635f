"""A query inside a part of a table. What is made here is not believed: the road looks at every scan of the plan."""

from __future__ import annotations

from dataclasses import replace

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.plan import Match, Relation, Scan, UnitJoin
from lapwing.ledger import Part
from lapwing.query.plan import Query
from lapwing.session.partition import part_of


def within(query: Query, part: Part) -> Query:
    """The same query about the rows of the part; refuses other private tables, which the split says nothing about."""
    source = _restricted(query.aggregate.source, part)
    beside = tuple(within(each, part) for each in query.beside)
    return replace(query, aggregate=replace(query.aggregate, source=source), beside=beside)


def _restricted(relation: Relation, part: Part) -> Relation:
    match relation:
        case Scan(table):
            if any(step.table != table for step in part.path()):
                raise InvalidInput(
                    "S138",
                    f"the session is about a part of {part.table!r}, and the query reads {table!r}",
                    "Ask it in the session of the whole table",
                )
            return part_of(relation, part)
        case UnitJoin(first, second):
            return replace(relation, first=_restricted(first, part), second=_restricted(second, part))
        case Match(source, other) if not relation.public:
            return replace(relation, source=_restricted(source, part), other=_restricted(other, part))
        case _:
            return replace(relation, source=_restricted(relation.source, part))

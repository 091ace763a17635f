"""The SELECT list of a sub-query: the same rows with other columns."""

from __future__ import annotations

from lapwing.query.expressions import Column
from lapwing.query.names import fresh
from lapwing.query.plan import Project, Relation
from lapwing.query.typed import Typed
from lapwing.query.types import RelationType


def project(source: Relation, columns: list[tuple[str, Typed]]) -> Project:
    """Each row becomes one row of the same person: stability 1.

    Whose row it is goes along always, under a name that nothing else has when the query does not select it.
    """
    chosen = [(name, value.expression) for name, value in columns]
    types = {name: value.type for name, value in columns}
    unit = source.type.unit
    kept = None
    if unit is not None:
        kept = next((name for name, expression in chosen if expression == Column(unit)), None)
        if kept is None:
            kept = fresh(unit, types)
            chosen.append((kept, Column(unit)))
            types[kept] = source.type.columns[unit]
    return Project(source, tuple(chosen), RelationType(types, kept, source.type.rows_per_unit))

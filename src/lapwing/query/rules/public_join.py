"""Joining rows of people with a public table."""

from __future__ import annotations

from dataclasses import replace

from lapwing.policy import Table
from lapwing.query.names import fresh
from lapwing.query.plan import PublicJoin, Relation
from lapwing.query.rules.scan import column_type
from lapwing.query.types import RelationType


def public_join(source: Relation, table: Table, on: list[tuple[str, str]], *, left: bool) -> PublicJoin:
    """Each row with the public rows that match it.

    A public table is the same on neighbouring tables, so what a row becomes depends on that row alone. A row may become
    many: with a unit they all stay that person's, and nothing bounds how many they are (the aggregate will); without
    one a person is one row, so the engine must see that the public key is unique before it answers.
    """
    types = dict(source.type.columns)
    columns = []
    for column in table.columns:
        name = fresh(column.name, types)
        types[name] = column_type(column)
        columns.append((name, column.name))
    if not left:  # a row that matched has both values, and they are equal
        public = {column.name: column_type(column) for column in table.columns}
        for mine, theirs in on:
            keys = public[theirs].keys if public[theirs].kind is types[mine].kind else None
            types[mine] = replace(types[mine], nullable=False, keys=types[mine].keys or keys)
    alone = source.type.unit is None
    return PublicJoin(
        source,
        table.name,
        tuple(on),
        tuple(columns),
        left,
        unique=alone,
        type=RelationType(types, source.type.unit, source.type.rows_per_unit if alone else None),
    )

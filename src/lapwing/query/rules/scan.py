"""The rows of a private table."""

from __future__ import annotations

from lapwing.policy import Column as PolicyColumn
from lapwing.policy import Table
from lapwing.query.expressions import Kind
from lapwing.query.plan import Scan
from lapwing.query.types import ColumnType, RelationType


def scan(table: Table) -> Scan:
    """All rows of a private table.

    With a unit nothing bounds a person's rows: the limit of the policy is held where rows are aggregated, because
    tables do not keep promises. Without one each row is a person, who has exactly one.
    """
    columns = {column.name: column_type(column) for column in table.columns}
    if table.unit is None:
        return Scan(table.name, RelationType(columns, None, 1))
    unit = next(name for name in columns if name.lower() == table.unit.lower())
    known = columns[unit]
    # the engine drops rows that are nobody's
    columns[unit] = ColumnType(known.kind, nullable=False, low=known.low, high=known.high, keys=known.keys)
    return Scan(table.name, RelationType(columns, unit, None))


def column_type(column: PolicyColumn) -> ColumnType:
    """What the policy says of a column; any may hold NULLs."""
    return ColumnType(Kind(column.kind), nullable=True, low=column.low, high=column.high, keys=column.keys)

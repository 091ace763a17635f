"""A rehearsal: the whole road of a question on made-up rows of the same policy. Nothing is charged, nothing is read.

The one idea: an analyst sees the columns, the groups and the size of the ± that the real answer will have. The rows
follow from the policy alone, so neither the numbers nor a failure tell anything about anybody.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from fractions import Fraction

import pyarrow as pa

from lapwing.engines import DuckDB
from lapwing.ledger import Receipt, Remaining
from lapwing.policy import Column, Policy, Table
from lapwing.query.lowering import lower
from lapwing.query.plan import Query
from lapwing.session.groups import Fetched

#: So many people are made up, or rows of a public table.
PEOPLE = 1000
NOTE = "A rehearsal on made-up rows: nothing was charged, and the numbers mean nothing."
_TYPES = {
    "integer": pa.int64(),
    "real": pa.float64(),
    "text": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
#: The golden ratio: its multiples lie evenly between 0 and 1, without any randomness.
_EVENLY = 0.6180339887498949


def rehearsed(policy: Policy, query: Query, analyst: str, remaining: Remaining) -> list[Fetched]:
    """What the statements of a question find in the made-up rows."""
    with made_up(policy) as engine:
        statements = lower(query.aggregate, engine.dialect, 0).statements
        found = engine.fetch(_receipt(analyst, remaining), [each.sql for each in statements])
    return [Fetched(statement, table) for statement, table in zip(statements, found, strict=True)]


def made_up(policy: Policy) -> DuckDB:
    """An engine over tables as the policy describes them."""
    tables = {table.name: _table(table) for table in policy.tables}
    return DuckDB.over(tables, public=[table.name for table in policy.tables if table.role == "public"])


def _receipt(analyst: str, remaining: Remaining) -> Receipt:
    """A receipt that no ledger gave: it opens nothing but made-up rows."""
    return Receipt(0, "", analyst, (), "rehearsal", "made up", None, remaining, "")


def _table(table: Table) -> pa.Table:
    each = min(table.rows_per_unit or 1, 10) if table.unit is not None else 1
    columns: Mapping[str, pa.Array] = {
        column.name: pa.array(
            [
                _unit(column, i // each) if column.name == table.unit else _cell(column, i, at)
                for i in range(PEOPLE * each)
            ],
            _TYPES[column.kind],
        )
        for at, column in enumerate(table.columns, start=1)
    }
    return pa.table(columns) if columns else pa.table({"one": [1] * PEOPLE})


def _unit(column: Column, person: int) -> object:
    return {"text": f"person {person}", "boolean": bool(person % 2)}.get(
        column.kind, _of_kind(column.kind, Fraction(person))
    )


def _cell(column: Column, row: int, at: int) -> object:
    place = (row * at * _EVENLY) % 1
    if column.keys is not None:
        key = column.keys[int(place * len(column.keys))]
        return datetime.date.fromisoformat(str(key)) if column.kind == "date" else key
    if column.kind == "boolean":
        return place < 0.5
    if column.kind == "text":
        return f"text {int(place * 10)}"
    low = column.low if column.low is not None else Fraction(737_000 if column.kind in ("date", "timestamp") else 0)
    high = column.high if column.high is not None else max(low, Fraction(100)) + (365 if low > 700_000 else 0)
    return _of_kind(column.kind, low + Fraction(place) * (high - low))


def _of_kind(kind: str, value: Fraction) -> object:
    match kind:
        case "integer":
            return max(-(2**62), min(2**62, int(value)))
        case "date":
            return datetime.date.fromordinal(max(1, min(3_652_059, int(value) or 1)))
        case "timestamp":
            return datetime.datetime.fromordinal(max(1, min(3_652_059, int(value) or 1)))
        case _:
            return float(value)

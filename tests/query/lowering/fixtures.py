"""Every accepted query of ``corpus/sql``, and random tables of the policies they speak about, with awkward cells."""

from __future__ import annotations

import datetime
import math

import pyarrow as pa

from lapwing.query.prepare import prepare
from tests.query.tables import POLICIES
from tests.query.test_fixtures import blocks

_TYPES = {
    "integer": pa.int64(),
    "real": pa.float64(),
    "text": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
_CELLS = {
    "integer": (0, 1, 2, 3, 7, 30, 31, 65, 119, 1000, -5, 2**63 - 1, -(2**63)),
    "real": (0.0, -0.0, 0.5, 31.25, 99.75, 1000.0, 150_000.0, 1e308, -1e308, math.inf, -math.inf, math.nan, 5e-324),
    "text": ("f", "m", "a", "b", "c", "Oslo", "Rome", "north", "12", "", "it's"),
    "boolean": (True, False),
    "date": (datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), datetime.date(2000, 12, 31)),
    "timestamp": (datetime.datetime(1970, 1, 1, 5), datetime.datetime(2024, 2, 29, 23, 59)),
}


def accepted():
    """(name, policy, plan) of every accepted query."""
    for block in blocks():
        policy, verdict, _, text = block.values
        if verdict == "accepted":
            yield block.id, POLICIES[policy], prepare(text, POLICIES[policy])


def rows_of(r, table, person, most):
    """Some rows of a table, all of one person where it has a unit."""
    made = []
    for _ in range(r.randint(0, most)):
        row = {column.name: r.choice([*_CELLS[column.kind], *(column.keys or ()), None]) for column in table.columns}
        made.append(row | ({table.unit: person} if table.unit else {}))
    return made


def private(policy):
    """The tables with people in them."""
    return [table for table in policy.tables if table.role == "private"]


def public_rows(r, policy):
    """The rows of the public tables."""
    return {table.name: rows_of(r, table, None, 8) for table in policy.tables if table.role == "public"}


def person(r, policy, name, most=4):
    """The rows of one person; without a unit a person is one row."""
    return {t.name: rows_of(r, t, name, most) if t.unit else rows_of(r, t, name, 1) for t in private(policy)}


def gathered(r, policy, people):
    """The rows of all people in any order."""
    tables = {table.name: [row for each in people for row in each[table.name]] for table in private(policy)}
    for rows in tables.values():
        r.shuffle(rows)
    return tables


def arrow(policy, tables):
    """The tables in Arrow."""
    made = {}
    for table in policy.tables:
        rows = tables[table.name]
        made[table.name] = pa.table(
            {c.name: pa.array([row[c.name] for row in rows], _TYPES[c.kind], from_pandas=False) for c in table.columns}
        )
    return made

"""From SQL to the engine: every accepted fixture, on neighbouring tables with the worst values there are.

Nothing fails whatever the data hold, and what comes before noise differs by no more than ``change`` says.
"""

import datetime
import math
import random
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.query import sources
from lapwing.query.lowering import lower
from lapwing.query.plan import Function, Scan
from lapwing.query.prepare import prepare
from lapwing.query.rules.scan import scan
from lapwing.query.sensitivity import change
from tests.query.tables import POLICIES
from tests.query.test_fixtures import blocks

ACCEPTED = [(policy, sql) for policy, verdict, _, sql in (block.values for block in blocks()) if verdict == "accepted"]
TYPES = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "boolean": pa.bool_()}
TYPES |= {"date": pa.date32(), "timestamp": pa.timestamp("us")}
VALUES = {
    "integer": [*range(0, 121, 7), -7, 200, 2**62, -(2**63), 2**63 - 1],
    "real": [0.0, 1.5, -3.25, 99.9, 1000.0, 0.1, 123456.7, 1e308, -1e308, math.inf, -math.inf, math.nan],
    "text": ["x", "12", "a", "F", "", "Oslo"],
    "boolean": [True, False],
    "date": [datetime.date(2000, 2, 29), datetime.date(1955, 1, 1), datetime.date(1994, 12, 31)],
    "timestamp": [datetime.datetime(2000, 2, 29, 1, 2), datetime.datetime(1955, 1, 1)],
}


def rows_of(table, rng, most=14):
    """Random rows: NULLs, extremes and duplicates included; four people own them, or nobody."""
    rows = []
    for _ in range(rng.randrange(most)):
        values = [rng.choice([*VALUES[each.kind], *(each.keys or ())]) for each in table.columns]
        rows.append([None if rng.random() < 0.1 else value for value in values])
    for row in rows:
        if table.unit is not None:
            row[0] = rng.choice([0, 1, 2, 3, None])  # the unit is the first column of the tables here
    return list({row[0]: row for row in rows}.values()) if table.role == "public" else rows


def without(policy, data, who):
    """The tables without one person."""
    private = {table.name for table in policy.tables if table.role == "private"}
    if policy.name == "census":
        return data | {"people": [row for place, row in enumerate(data["people"]) if place != who]}
    return {name: [row for row in rows if name not in private or row[0] != who] for name, rows in data.items()}


def changed(policy, data, who, rng):
    """The tables with one person's data replaced."""
    others = without(policy, data, who)
    for table in policy.tables:
        if table.role == "private" and table.unit is None:
            others[table.name] = [*others[table.name], *rows_of(table, rng, 4)[:1]]
        elif table.role == "private":
            others[table.name] = [*others[table.name], *([who, *row[1:]] for row in rows_of(table, rng))]
    return others


def aggregated(connection, policy, data, lowered):
    """What the engine returns: for each measurement its groups, and in a quantile its buckets."""
    for table in policy.tables:
        columns = list(zip(*data[table.name], strict=True)) or [()] * len(table.columns)
        arrays = [pa.array(list(v), TYPES[c.kind]) for v, c in zip(columns, table.columns, strict=True)]
        connection.register(table.name, pa.table(arrays, names=[column.name for column in table.columns]))
    found = {}
    for statement in lowered.statements:
        width = len(statement.keys)
        for row in connection.execute(statement.sql).fetchall():
            values = row[width + statement.bucketed :]
            for name, value in zip(statement.values, values, strict=True):
                bucket = row[width] if statement.bucketed else 0
                found.setdefault(name, {}).setdefault(row[:width], {})[bucket] = value
    return found


def distance(measurement, first, second):
    moves = []
    for key in {*first, *second}:
        sides = [side.get(key, {}) for side in (first, second)]
        # between two buckets with rows, of either side, all have one score
        tried = sorted({0, *(near for side in sides for bucket in side for near in (bucket, bucket + 1))})
        a, b = (scores(measurement, side, tried) for side in sides)
        moves.append(max(abs(x - y) for x, y in zip(a, b, strict=True)))
    return sum(moves), sum(move**2 for move in moves)


def scores(measurement, buckets, tried):
    if measurement.function is not Function.QUANTILE:
        return [buckets.get(0, 0)]
    num, den = measurement.fraction.numerator, measurement.fraction.denominator
    everyone = sum(buckets.values())
    below = [sum(weight for bucket, weight in buckets.items() if bucket < at) for at in tried]
    return [-abs(den * each - num * everyone) for each in below]


def violations(cases, seed, pairs):
    """How many bounds are broken, of how many, over random neighbours of every query; and how many moved at all."""
    rng, broken, seen, moved = random.Random(seed), 0, 0, 0
    connection = duckdb.connect()
    for name, sql in cases:
        policy = POLICIES[name]
        query = prepare(sql, policy)
        lowered = lower(query.aggregate, "duckdb", 7)
        selection = query.aggregate.selection
        measured = [*query.aggregate.measurements, *([selection] if selection else [])]
        for _ in range(pairs):
            data = {table.name: rows_of(table, rng) for table in policy.tables}
            who = rng.randrange(4)
            full = aggregated(connection, policy, data, lowered)
            fewer = aggregated(connection, policy, without(policy, data, who), lowered)
            other = aggregated(connection, policy, changed(policy, data, who, rng), lowered)
            for notion, neighbour in ((Neighbours.ADDED, fewer), (Neighbours.REPLACED, other)):
                for each in measured:
                    l1, l2 = distance(each, full.get(each.name, {}), neighbour.get(each.name, {}))
                    bound = change(each, bool(query.aggregate.keys), notion)
                    seen += 1
                    moved += l1 > 0
                    broken += l1 > bound.l1 or l2 > bound.l2_squared
    return broken, seen, moved


@pytest.mark.parametrize("part", range(3))
def test_no_query_moves_further_than_it_was_typed(part):
    broken, seen, moved = violations(ACCEPTED[part::3], seed=part, pairs=1)
    assert seen > 100
    assert moved > 50
    assert broken == 0


def test_a_table_that_does_not_keep_its_promise_would_be_found(monkeypatch):
    """If the rows per person that the policy states were believed, this search would see that they are more."""

    def believing(table):
        relation = scan(table)
        return Scan(relation.table, replace(relation.type, rows_per_unit=1))

    monkeypatch.setattr(sources, "scan", believing)
    clinic = [case for case in ACCEPTED if case[0] == "clinic"]
    broken, *_ = violations(clinic, seed=5, pairs=1)
    assert broken > 0

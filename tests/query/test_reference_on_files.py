"""Real files against the reference interpreter: the same whole numbers from every kind of file, parts included.

The same tables are stored as Parquet with and without statistics, as CSV and as a DuckDB table; columns are called what
statements call things inside. One person more or fewer moves the numbers by at most what the plan says.
"""

import csv
import datetime
import math
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.ledger import Part
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.lowering import lower
from lapwing.query.plan import Bounding
from lapwing.query.prepare import prepare
from lapwing.query.sensitivity import change
from lapwing.session.restricting import within
from tests.query.lowering.evaluator import measure
from tests.query.lowering.plans import receipt

KEY = 2**40 + 3
COLUMNS = (
    Column("unit", "text"),
    Column("place", "integer", 0, 9),
    Column("let_0", "real", -4, 100),
    Column("key_0", "text", keys=("a", "b", "it's")),
    Column("x_0", "date", "2020-01-01", "2020-12-31"),
)
CELLS = {
    "place": (0, 1, 5, 9, -3, 12, 2**63 - 1, -(2**63), None),
    "let_0": (0.0, -0.0, 0.5, 17.25, 99.75, 1e308, -1e308, math.inf, -math.inf, math.nan, 5e-324, None),
    "key_0": ("a", "b", "it's", "z", 'quo"te', "new\nline", None),
    "x_0": (datetime.date(2020, 2, 29), datetime.date(2020, 12, 31), datetime.date(1999, 1, 1), None),
}
TYPES = {"unit": pa.string(), "place": pa.int64(), "let_0": pa.float64(), "key_0": pa.string(), "x_0": pa.date32()}
QUESTIONS = (
    "SELECT COUNT(*), SUM(place), AVG(let_0), VARIANCE(let_0) FROM t",
    "SELECT key_0, COUNT(*), SUM(CLIP(let_0 * place, -10, 50)) FROM t GROUP BY key_0",
    "SELECT CASE WHEN place > 2 THEN 'y' END AS k, COUNT(*) FROM t GROUP BY 1",
    "SELECT DATE_TRUNC('month', x_0) AS m, COUNT(DISTINCT unit) FROM t GROUP BY 1",
    "SELECT MONTH(x_0) AS m, SUM(place) FROM t WHERE place BETWEEN 0 AND 9 OR let_0 IS NULL GROUP BY 1",
    "SELECT MEDIAN(let_0) FROM t",
    "SELECT SUM(CLIP(s, 0, 30)) FROM (SELECT unit, SUM(CLIP(let_0, 0, 7)) AS s, COUNT(*) AS n FROM t GROUP BY unit)",
    "SELECT SUM(LEAST(place, place, place)), COUNT(NULLIF(place, 5)) FROM t WHERE key_0 ILIKE 'A' OR TRIM(key_0) = 'b'",
)


def policy(path, relation=None, role="private"):
    table = Table("t", path, role, "unit", 2, COLUMNS, relation)
    return Policy("t", (table,), Budget(1), Neighbours.ADDED, ())


def person(r, name):
    return [{"unit": name, **{c: r.choice(cells) for c, cells in CELLS.items()}} for _ in range(r.randint(1, 5))]


def stored(rows, folder, how):
    """The table on disk, opened."""
    table = pa.table(
        {name: pa.array([row[name] for row in rows], kind, from_pandas=False) for name, kind in TYPES.items()}
    )
    match how:
        case "csv":
            with (folder / "t.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(TYPES)
                writer.writerows([["" if row[name] is None else row[name] for name in TYPES] for row in rows])
            return DuckDB(policy("t.csv"), folder)
        case "database":
            with duckdb.connect(str(folder / "t.duckdb")) as made:
                made.register("given", table)
                made.execute("CREATE TABLE t AS FROM given")
            return DuckDB(policy("t.duckdb", "t"), folder)
        case _:
            pq.write_table(table, folder / "t.parquet", write_statistics=how == "stated", row_group_size=7)
            return DuckDB(policy("t.parquet"), folder)


def found(engine, query):
    """{measurement: {keys: value}} before noise."""
    statements = lower(query.aggregate, "duckdb", KEY).statements
    results = engine.fetch(receipt(), [statement.sql for statement in statements])
    numbers = {}
    for statement, result in zip(statements, results, strict=True):
        columns = [column.to_pylist() for column in result.columns]
        width = len(statement.keys) + statement.bucketed
        for at, name in enumerate(statement.values, start=width):
            numbers[name] = {tuple(row[:width]): row[at] for row in zip(*columns, strict=True)}
    return numbers


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["stated", "silent", "csv", "database"])
def test_every_kind_of_file_gives_the_numbers_of_the_reference(tmp_path, how, seed):
    r = random.Random(seed)
    people = {name: person(r, name) for name in ("ann", "bob", "cy", "7", "007")}
    rows = [row for theirs in people.values() for row in theirs]
    fewer = [row for row in rows if row["unit"] != "ann"]
    for folder in ("all", "fewer"):
        (tmp_path / folder).mkdir()
    known = policy("t.parquet")
    parts = [None, *(Part("t", "key_0", key, 2) for key in ("a", "it's"))]
    moved = 0
    with stored(rows, tmp_path / "all", how) as engine, stored(fewer, tmp_path / "fewer", how) as smaller:
        for text in QUESTIONS:
            for part in parts:
                query = prepare(text, known) if part is None else within(prepare(text, known), part)
                here, there = found(engine, query), found(smaller, query)
                for measurement in query.aggregate.measurements:
                    numbers = here[measurement.name]
                    if measurement.bounding is not Bounding.SAMPLE:
                        expected = measure(query.aggregate, measurement, {"t": rows}, KEY)
                        assert numbers == expected, (text, measurement.name, part)
                    if measurement.fraction is None:
                        groups = numbers.keys() | there[measurement.name].keys()
                        move = sum(abs(numbers.get(g, 0) - there[measurement.name].get(g, 0)) for g in groups)
                        grouped = bool(query.aggregate.keys)
                        assert move <= change(measurement, grouped, Neighbours.ADDED).l1, (text, measurement.name)
                        moved += move > 0
    assert moved > 10

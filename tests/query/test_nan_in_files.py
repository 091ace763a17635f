"""Whether NaN is NULL must not depend on anybody else: a Parquet file's own statistics leave NaN out.

One person with a number beside a thousand with NaN once decided, through these, whether the thousand were counted.
"""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.prepare import prepare
from lapwing.query.sensitivity import change
from tests.query.test_neighbouring_tables import distance, measured

COLUMNS = (Column("uid", "integer"), Column("y", "real", 0, 10), Column("c", "text", keys=("a", "b")))
NANS = 200


def policy(file):
    table = Table("t", file, "private", "uid", 1, COLUMNS)
    return Policy("t", (table,), Budget(1, "1e-6"), Neighbours.ADDED, (Analyst("x", 1, "1e-6"),))


@pytest.fixture(scope="module", params=[pa.float32(), pa.float64()], ids=str)
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    for name, values in (("without", [math.nan] * NANS), ("with", [*[math.nan] * NANS, 1.0])):
        y = pa.array(values, request.param, from_pandas=False)
        table = pa.table({"uid": range(len(values)), "y": y, "c": ["a"] * len(values)})
        pq.write_table(table, place / f"{name}.parquet")
    return place


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COUNT(y) FROM t",
        "SELECT COUNT(*) FROM t WHERE y IS NULL",
        "SELECT COUNT(*) FROM t WHERE y > 5",
        "SELECT COUNT(*) FROM t WHERE y < 5",
        "SELECT COUNT(*) FROM t WHERE ABS(y) > 5",
        "SELECT SUM(y) FROM t",
        "SELECT AVG(y), VARIANCE(y) FROM t",
        "SELECT COUNT(DISTINCT y) FROM t",
        "SELECT SUM(CASE WHEN y IS NULL THEN 0 ELSE 1 END) FROM t",
        "SELECT c, MEDIAN(y) FROM t GROUP BY c",
        "SELECT SUM(CLIP(y * 2, 0, 20)) FROM t",
        "SELECT SUM(CLIP(COALESCE(y, 7), 0, 10)) FROM t",
    ],
)
def test_one_number_moves_no_nan(folder, question):
    found = {}
    for name in ("with", "without"):
        known = policy(f"{name}.parquet")
        query = prepare(question, known)
        with DuckDB(known, folder) as engine:
            found[name] = measured(engine, query)
    for each in query.aggregate.measurements:
        moved, _ = distance(each, found["with"][each.name], found["without"][each.name])
        assert moved <= change(each, bool(query.aggregate.keys), Neighbours.ADDED).l1

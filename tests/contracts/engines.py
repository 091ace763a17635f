"""The engines that the contract of ``test_engines`` is held against, and how each is given tables.

An entry opens an engine over a policy whose private table ``people`` has the columns of ``ROWS`` (unit ``person``) and
whose public table ``towns`` names towns, some twice.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB, Engine
from lapwing.ledger import Receipt
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from tests.contracts import postgresql, spark

ROWS = pa.table(
    {
        "person": pa.array([1, 1, 1, 2, 2, 3, None], pa.int64()),
        "town": pa.array(["a", "a", "b", "b", "b", None, "a"], pa.string()),
        "pay": pa.array([1.5, float("nan"), float("inf"), -1e308, 2.0, None, 3.0], pa.float64()),
    }
)
TOWNS = pa.table({"name": ["a", "b", "b"], "code": [1, 2, 3]})


def policy(people: str, towns: str, unit: str = "integer", schema: str | None = None) -> Policy:
    """A policy over the two tables; people in text files are known by their text."""
    columns = (Column("person", unit), Column("town", "text"), Column("pay", "real"))
    public = (Column("name", "text"), Column("code", "integer"))
    tables = (
        Table("people", people, "private", "person", 2, columns, schema and f"{schema}.people"),
        Table("towns", towns, "public", None, None, public, schema and f"{schema}.towns"),
    )
    return Policy("people", tables, Budget(1), Neighbours.ADDED, (Analyst("ana", 1),))


def receipt() -> Receipt:
    """A receipt, so that an engine runs; sessions get theirs from a ledger."""
    return Receipt(1, "now", "ana", (), "query", "snapshot", None, None, "hash")  # type: ignore[arg-type]  # not read


def _parquet(folder: Path) -> Engine:
    pq.write_table(ROWS, folder / "people.parquet")
    pq.write_table(TOWNS, folder / "towns.parquet")
    return DuckDB(policy("people.parquet", "towns.parquet"), folder)


def _parts(folder: Path) -> Engine:
    (folder / "people").mkdir()
    pq.write_table(ROWS.slice(0, 4), folder / "people" / "part1.parquet")
    pq.write_table(ROWS.slice(4), folder / "people" / "part2.parquet")
    pa.csv.write_csv(TOWNS, folder / "towns.csv")
    return DuckDB(policy("people", "towns.csv"), folder)


def _csv(folder: Path) -> Engine:
    pa.csv.write_csv(ROWS, folder / "people.csv")
    pa.csv.write_csv(TOWNS, folder / "towns.csv")
    return DuckDB(policy("people.csv", "towns.csv", "text"), folder)


def _memory(_: Path) -> Engine:
    return DuckDB.over({"people": ROWS, "towns": TOWNS}, public=["towns"])


def _postgresql(_: Path) -> Engine:
    from lapwing.engines.postgresql import PostgreSQL

    database = postgresql.Database()
    database.load("clinic", people=ROWS, towns=TOWNS)
    return PostgreSQL(policy(database.url, database.url, schema="clinic"))


def _spark(folder: Path) -> Engine:
    spark.server()
    from lapwing.engines.spark import Spark

    spark.write(folder, people=ROWS, towns=TOWNS)
    return Spark(policy(spark.address(folder / "people"), spark.address(folder / "towns")))


ENGINES: dict[str, Callable[[Path], Engine]] = {
    "duckdb-parquet": _parquet,
    "duckdb-parts": _parts,
    "duckdb-csv": _csv,
    "duckdb-memory": _memory,
    "postgresql": _postgresql,
    "spark": _spark,
}

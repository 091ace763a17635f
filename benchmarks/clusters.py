"""Private aggregates before noise on Spark, beside the plain query and the textbook window on the same server.

The questions of ``databases``, over a folder of Parquet: processor seconds of the server, one of our own on two cores.
``LAPWING_BENCH_ROWS`` asks for another number of rows; growth is measured from a fifth of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.databases import CLIP, COUNT, GROWTH_TARGET, LIMIT, MEAN, PART, PLAIN, ROWS, people, policy
from benchmarks.queries import Row
from lapwing.algebra.measures import PureDP
from lapwing.ledger import Ledger
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare

WINDOW = (
    f"SELECT region, count(*), sum({CLIP}) FROM (SELECT *, row_number() OVER (PARTITION BY person"  # noqa: S608  # ours
    f" ORDER BY md5(CAST(person AS STRING) || '|' || CAST(income AS STRING))) AS place FROM {{0}}) AS p"
    f" WHERE place <= {LIMIT} GROUP BY region"
)
PLAIN_TARGET, ROUNDS, PARTS = 13, 3, 8
SETTINGS = {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "8"}


def ours(address: str, question: str) -> Callable[[], object]:
    """The question through a typed plan and the engine, charged once: everything but noise."""
    from lapwing.engines.spark import Spark

    known = policy(address, None)
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger.create(Path(place) / "people.lapwing.ledger", known)
        receipt = ledger.charge("bench", PureDP(1), query="q", snapshot="s", text=question)
    engine = Spark(known)
    statements = [
        statement.sql for statement in lower(prepare(question, known).aggregate, engine.dialect, 1).statements
    ]
    return lambda: engine.fetch(receipt, statements)


def main() -> bool:
    """Print the table; whether every target was met."""
    from tests.contracts import spark

    missing = spark.lacking()
    if missing:
        print(f"skipped: Spark cannot run here ({missing}); run: {spark.BRINGS}")
        return True
    with tempfile.TemporaryDirectory(prefix="lapwing-bench-") as place:
        return _measured(Path(place), spark.start(Path(place), SETTINGS))


def _measured(place: Path, port: int) -> bool:
    from lapwing.engines.spark.connection import SparkSession

    for name, rows in (("many", ROWS), ("few", ROWS // PART)):
        (place / name).mkdir()
        table = people(rows)
        for part in range(PARTS):  # as a cluster would have it: several files, each person's rows in all of them
            share = table.slice(part * rows // PARTS, (part + 1) * rows // PARTS - part * rows // PARTS)
            pq.write_table(share, place / name / f"{part}.parquet")
    session = SparkSession.builder.remote(f"sc://localhost:{port}").create()
    session.read.parquet(str(place / "many")).createOrReplaceTempView("many")
    seconds = _seconds(port)

    def plain(statement: str) -> Callable[[], object]:
        return lambda: session.sql(statement).toArrow()

    rows = []
    window = seconds(plain(WINDOW.format("many")))
    for name, question in (("count", COUNT), ("count and mean", MEAN)):
        exact = seconds(plain(PLAIN[question].format("many")))
        here = seconds(ours(f"spark://localhost:{port}/parquet:{place / 'many'}", question))
        fewer = seconds(ours(f"spark://localhost:{port}/parquet:{place / 'few'}", question))
        figures = f"{here:.2f} s and {exact:.2f} s"
        rows.append(Row(f"{name}, {ROWS:,} rows, to the plain query", figures, here / exact, PLAIN_TARGET))
        rows.append(Row(f"{name}, to the window", f"{here:.2f} s and {window:.2f} s", window / here, 1, least=True))
        growth = here / fewer / PART
        rows.append(Row(f"{name}, growth from a {PART}th", f"{fewer:.2f} s, {here:.2f} s", growth, GROWTH_TARGET))
    session.stop()
    for row in rows:
        print(row)
    return all(row.met for row in rows)


def _seconds(port: int) -> Callable[[Callable[[], object]], float]:
    """Processor seconds of the server for a job, in its best round: the first ones also compile it."""
    import psutil

    server = next(
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if process.info["name"] == "java" and any(f"port={port}" in word for word in process.info["cmdline"] or ())
    )

    def spent(job: Callable[[], object]) -> float:
        before = server.cpu_times()
        job()
        after = server.cpu_times()
        return (after.user + after.system) - (before.user + before.system)

    return lambda job: min(spent(job) for _ in range(ROUNDS))

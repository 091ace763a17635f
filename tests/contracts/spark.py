"""A Spark for the tests: a Connect server of our own where Java and PySpark are found, one for all workers of a run.

``LAPWING_TEST_SPARK`` names another one as ``host:port``, which must see this machine's files; the same contract then
runs there.
"""

from __future__ import annotations

import fcntl
import functools
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest

#: For tables of a few rows, each asked once: compiling Java to its best would take longer than what it saves.
SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
#: What an administrator may have chosen for everybody. A session of ours means the same whatever that is.
CHOSEN = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "true",
    "spark.sql.legacy.literal.pickMinimumPrecision": "false",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.NullPropagation",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
}
BRINGS = "make spark, with Java 17 or later (apt-get install openjdk-17-jre-headless)"


@functools.cache
def server() -> str:
    """``host:port`` of a running server; skips the test where there is none and none can be started."""
    given = os.environ.get("LAPWING_TEST_SPARK")
    if given:
        return given
    missing = lacking()
    if missing:
        pytest.skip(f"Spark cannot run here ({missing}): {BRINGS}")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"lapwing-spark-{os.getuid()}-{run}"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whichever worker comes first starts it
        place = folder / "port"
        if not place.exists():
            place.write_text(str(start(folder, SMALL | CHOSEN)))
    return f"localhost:{place.read_text()}"


def lacking() -> str | None:
    """What this machine lacks to run a server; None where it has all."""
    found = importlib.util.find_spec("pyspark")
    if found is None or not (Path(found.submodule_search_locations[0]) / "jars").is_dir():
        return "no PySpark with a server in it"
    if shutil.which("java") is None:
        return "no Java"
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S607  # the machine's own
    version = re.search(r'version "(\d+)', said)
    return None if version and int(version[1]) >= 17 else "Java older than 17"


def start(folder: Path, settings: Mapping[str, str]) -> int:
    """Starts a server that ends with this process, or with the run that it is a worker of; returns its port."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    watched = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    with (folder / "log").open("w") as log:
        subprocess.Popen(
            [sys.executable, "-m", "tests.contracts.spark_server", str(folder), str(port), str(watched)]
            + [f"{name}={value}" for name, value in settings.items()],
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=Path(__file__).parents[2],
        )
    for _ in range(1200):
        try:
            with socket.create_connection(("localhost", port), 1):
                return port
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the Connect server did not start: see {folder / 'log'}")


def write(folder: Path, **tables) -> None:
    """Arrow tables as folders of Parquet, each of two parts."""
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        half = table.num_rows // 2
        pq.write_table(table.slice(0, half), folder / name / "part1.parquet")
        pq.write_table(table.slice(half), folder / name / "part2.parquet")


def address(folder: Path) -> str:
    """The address of a folder."""
    return f"spark://{server()}/parquet:{folder}"

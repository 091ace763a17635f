import datetime
import decimal
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB, describe
from lapwing.errors import LapwingError
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import dialect_named
from tests.contracts.engines import ROWS, receipt

PERSON = (Column("person", "integer"),)

DUCKDB = dialect_named("duckdb")


def one_table(path, columns=PERSON, relation=None, unit="person"):
    table = Table("people", path, "private", unit, 2 if unit else None, columns, relation)
    return Policy("people", (table,), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),))


@pytest.fixture
def folder(tmp_path):
    pq.write_table(ROWS, tmp_path / "people.parquet")
    (tmp_path / "other.csv").write_text("secret\nx\n")
    return tmp_path


@pytest.fixture
def engine(folder):
    with DuckDB(one_table("people.parquet"), folder) as opened:
        yield opened


def code(call, *arguments):
    with pytest.raises(LapwingError) as refused:
        call(*arguments)
    assert "\n" not in str(refused.value)
    return refused.value.code


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('{folder}/other.csv')",
        "SELECT * FROM '{folder}/other.csv'",
        "SELECT * FROM read_csv_auto('{folder}/other.csv')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM python_variable",
        "COPY (SELECT 1) TO '{folder}/stolen.csv'",
        "COPY (SELECT 1) TO '{folder}/people.parquet' (USE_TMP_FILE false)",
        "ATTACH '{folder}/new.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "RESET lock_configuration",
        "PRAGMA threads = 1",
        "CALL pragma_database_size()",
        "EXPORT DATABASE '{folder}/all'",
        "CREATE SECRET s (TYPE s3)",
    ],
)
def test_no_statement_reaches_beyond_the_tables(engine, folder, statement):
    python_variable = pa.table({"x": [1]})  # noqa: F841  # what the statement must not find
    before = (folder / "people.parquet").read_bytes()
    assert code(engine.fetch, receipt(), [statement.format(folder=folder)]) in ("E106", "E107")
    # and the connection itself refuses, were a statement of another kind ever let through
    if not statement.startswith(("COPY (SELECT 1) TO '{folder}/people", "CALL")):
        with pytest.raises(duckdb.Error):
            engine._connection.execute(statement.format(folder=folder)).fetchall()
    assert (folder / "people.parquet").read_bytes() == before
    assert sorted(os.listdir(folder)) == ["other.csv", "people.parquet"]


def test_a_database_table_is_read_and_not_written(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as made:
        made.execute("CREATE SCHEMA inner_one")
        made.execute("CREATE TABLE inner_one.people AS SELECT range AS person FROM range(5)")
        made.execute("CREATE TABLE hidden AS SELECT 1 AS person")
    policy = one_table("shop.duckdb", relation="inner_one.people")
    with DuckDB(policy, tmp_path) as engine:
        (found,) = engine.fetch(receipt(), ["SELECT count(*) AS n FROM people"])
        assert found.to_pylist() == [{"n": 5}]
        with pytest.raises(duckdb.Error):
            engine._connection.execute("DELETE FROM source_0.inner_one.people")
    assert [c.name for c in describe(tmp_path / "shop.duckdb", "hidden")] == ["person"]
    assert code(describe, tmp_path / "shop.duckdb", "missing") == "E103"
    assert code(describe, tmp_path / "shop.duckdb") == "E103"


def test_broken_cells_of_a_text_file_are_null_never_an_error(tmp_path):
    text = 'person,pay\n1,2.5\n2,abc\nx,3\n4\n5,6,7\n,9\n8,"un""quoted"\n9,nan\n10,1e999\n'
    (tmp_path / "people.csv").write_bytes(text.encode() + b"11,\xff\xfe\n12,1\n")
    policy = one_table("people.csv", (Column("person", "integer"), Column("pay", "real")), unit=None)
    with DuckDB(policy, tmp_path) as engine:
        person, pay = DUCKDB.read(sql.column("person"), Kind.INTEGER), DUCKDB.read(sql.column("pay"), Kind.REAL)
        statement = f"SELECT {person.sql('duckdb')} AS person, {pay.sql('duckdb')} AS pay FROM people"
        (found,) = engine.fetch(receipt(), [statement])
    cells = [(row["person"], row["pay"]) for row in found.to_pylist()]
    assert cells[:3] == [(1, 2.5), (2, None), (None, 3.0)]
    assert (12, 1.0) in cells
    assert (9, None) in cells
    assert not any(person == 5 for person, _ in cells)  # a line with too many cells is no row


@pytest.mark.parametrize("stored", ["people.parquet", "people.duckdb"])
def test_cells_of_another_kind_are_null_and_their_rows_stay(tmp_path, stored):
    table = pa.table({"person": ["1", "abc", "3", None], "pay": [1e300, float("nan"), 2.5, None]})
    pq.write_table(table, tmp_path / "people.parquet")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as made:
        made.execute(f"CREATE TABLE people AS FROM '{tmp_path}/people.parquet'")
    relation = "people" if stored.endswith("duckdb") else None
    policy = one_table(stored, (*PERSON, Column("pay", "integer")), relation, unit=None)
    person, pay = (DUCKDB.read(sql.column(name), Kind.INTEGER).sql("duckdb") for name in ("person", "pay"))
    with DuckDB(policy, tmp_path) as engine:
        (rows, few) = engine.fetch(
            receipt(),
            [
                f"SELECT {person} AS person, {pay} AS pay FROM people",
                f"SELECT count(*) AS n FROM people WHERE {pay} IS NULL OR {person} IS NULL",
            ],
        )
    assert [(row["person"], row["pay"]) for row in rows.to_pylist()] == [(1, None), (None, None), (3, 2), (None, None)]
    assert few.to_pylist() == [{"n": 3}]


def test_every_column_type_has_a_kind_or_is_left_out(tmp_path):
    day = datetime.datetime(2024, 5, 6, 7, 8, tzinfo=datetime.UTC)
    columns = {
        **{f"int{bits}": (pa.array([1], f"int{bits}"), "integer") for bits in (8, 16, 32, 64)},
        **{f"uint{bits}": (pa.array([1], f"uint{bits}"), "integer") for bits in (8, 16, 32)},
        "uint64": (pa.array([2**64 - 1], "uint64"), "text"),
        "decimal": (pa.array([decimal.Decimal("1.25")], pa.decimal128(10, 2)), "real"),
        "whole_decimal": (pa.array([decimal.Decimal(7)], pa.decimal128(10, 0)), "integer"),
        "wide_decimal": (pa.array([decimal.Decimal(7)], pa.decimal128(30, 0)), "text"),
        "single": (pa.array([1.5], "float32"), "real"),
        "double": (pa.array([1.5], "float64"), "real"),
        "truth": (pa.array([True]), "boolean"),
        "word": (pa.array(["x"]), "text"),
        "category": (pa.array(["x"]).dictionary_encode(), "text"),
        "day": (pa.array([day.date()]), "date"),
        "moment": (pa.array([day.replace(tzinfo=None)]), "timestamp"),
        "zoned": (pa.array([day], pa.timestamp("us", tz="Europe/Rome")), "timestamp"),
        "nanos": (pa.array([day.replace(tzinfo=None)], pa.timestamp("ns")), "timestamp"),
        "raw": (pa.array([b"x"]), None),
        "list": (pa.array([[1]]), None),
        "structure": (pa.array([{"a": 1}]), None),
        "clock": (pa.array([datetime.time(1, 2)]), None),
    }
    pq.write_table(pa.table({name: array for name, (array, _) in columns.items()}), tmp_path / "people.parquet")
    found = {column.name: column.kind for column in describe(tmp_path / "people.parquet")}
    assert found == {name: kind for name, (_, kind) in columns.items() if kind is not None}
    policy = one_table("people.parquet", tuple(Column(n, k) for n, k in found.items()), unit=None)
    with DuckDB(policy, tmp_path) as engine:
        reads = ", ".join(
            f"{DUCKDB.read(sql.column(name), Kind(kind)).sql('duckdb')} AS {name}" for name, kind in found.items()
        )
        (row,) = engine.fetch(receipt(), [f"SELECT {reads} FROM people"])[0].to_pylist()
    assert None not in row.values()
    assert row["uint64"] == str(2**64 - 1)
    assert row["zoned"] == day.replace(tzinfo=None)
    assert row["decimal"] == 1.25


@pytest.mark.parametrize(
    ("path", "columns", "expected"),
    [
        ("missing.parquet", PERSON, "E101"),
        ("notes.txt", PERSON, "E102"),
        ("mixed", PERSON, "E102"),
        ("empty", PERSON, "E102"),
        ("broken.parquet", PERSON, "E103"),
        ("headless.csv", PERSON, "E103"),
        ("people.parquet", (Column("person", "integer"), Column("absent", "text")), "E104"),
        ("people.parquet", (Column("person", "date"),), "E104"),
    ],
)
def test_a_source_that_does_not_fit_is_refused(folder, path, columns, expected):
    (folder / "notes.txt").write_text("x")
    (folder / "broken.parquet").write_text("PAR1 no")
    (folder / "headless.csv").write_text("a,,a\n1,2,3\n")
    (folder / "empty").mkdir()
    (folder / "mixed").mkdir()
    (folder / "mixed" / "a.csv").write_text("person\n1\n")
    (folder / "mixed" / "b.parquet").write_bytes((folder / "people.parquet").read_bytes())
    assert code(DuckDB, one_table(path, columns), folder) == expected


def test_changed_data_are_noticed_before_and_after_a_look(engine, folder):
    known = engine.fingerprint(b"secret")
    os.utime(folder / "people.parquet", ns=(1, 1))
    assert code(engine.fetch, receipt(), ["SELECT 1"]) == "E109"
    assert code(engine.fingerprint, b"secret", known) == "E109"  # before anything is charged
    with DuckDB(one_table("people.parquet"), folder) as again:
        assert again.fetch(receipt(), ["SELECT 1 AS one"])[0].num_rows == 1
        assert again.fingerprint(b"secret", known) == known
    pq.write_table(ROWS.slice(1), folder / "people.parquet")
    assert engine.fingerprint(b"secret", known).partition(".")[0] != known.partition(".")[0]
    assert code(engine.fetch, receipt(), ["SELECT 1"]) == "E109"
    (folder / "people.parquet").unlink()
    assert code(engine.fetch, receipt(), ["SELECT 1"]) == "E101"
    assert code(engine.fingerprint, b"secret", known) == "E101"


def test_an_untouched_file_is_not_read_for_its_fingerprint(engine, monkeypatch):
    known = engine.fingerprint(b"secret")
    monkeypatch.setattr("lapwing.engines.files.content", lambda *_: pytest.fail("the file was read"))
    assert engine.fingerprint(b"secret", known) == known


LONG = "SELECT count(*) AS n FROM range(3000000000) AS a(x) WHERE hash(x) % 1000 = 0"


def test_progress_is_told_and_an_error_in_it_ends_the_query(engine):
    seen = []

    class Enough(Exception):
        pass

    def watch(fraction):
        seen.append(fraction)
        if len(seen) >= 3:
            raise Enough

    start = time.monotonic()
    with pytest.raises(Enough):
        engine.fetch(receipt(), [LONG], watch)
    assert time.monotonic() - start < 10
    assert all(0 <= fraction <= 1 for fraction in seen)
    assert not any(thread.name == "lapwing-duckdb" for thread in threading.enumerate())
    assert engine.fetch(receipt(), ["SELECT 1 AS one"])[0].num_rows == 1


def test_control_c_ends_a_long_query():
    program = f"""
import pyarrow as pa
from lapwing.engines import DuckDB
from tests.contracts.engines import receipt
engine = DuckDB.over({{"t": pa.table({{"x": [1]}})}})
try:
    engine.fetch(receipt(), [{LONG!r}], lambda fraction: print("running", flush=True))
except KeyboardInterrupt:
    print("stopped", engine.fetch(receipt(), ["SELECT 7 AS seven"])[0].to_pylist())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "running\n"
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[0]
    assert said.splitlines()[-1] == "stopped [{'seven': 7}]"


def test_spilled_rows_go_to_a_private_folder_that_is_removed(folder):
    engine = DuckDB(one_table("people.parquet"), folder)
    place = engine._temporary.name
    assert os.stat(place).st_mode & 0o077 == 0
    assert engine._connection.execute("SELECT current_setting('temp_directory')").fetchone() == (place,)
    engine.close()
    assert not os.path.exists(place)


def test_a_statement_that_takes_longer_than_the_policy_allows_ends(folder):
    policy = replace(one_table("people.parquet"), timeout=1)
    with DuckDB(policy, folder) as engine:
        start = time.monotonic()
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), ["SELECT sum(sqrt(i)) AS n FROM range(1000000000000) AS t(i)"])
        assert failed.value.code == "E106"
        assert time.monotonic() - start < 30
        assert engine.fetch(receipt(), ["SELECT count(*) AS n FROM people"])[0].to_pylist() == [{"n": 7}]

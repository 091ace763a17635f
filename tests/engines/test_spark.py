"""Spark: what is refused, one state of the files under writers, time-outs and lost connections, odd values."""

import _thread
import contextlib
import datetime
import shutil
import socket
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import describe, kinds, open_engine, public_keys
from lapwing.errors import LapwingError
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.expressions import Kind
from tests.contracts import spark
from tests.contracts.engines import receipt
from tests.engines.test_logs import WAYS, laid_out
from tests.engines.test_parquet_checks import FAR, lying

ROWS = pa.table({"person": pa.array([1, 1, 2, 3], pa.int64()), "town": ["secretville", "a", "b", "a"]})
COLUMNS = (Column("person", "integer"), Column("town", "text"))
COUNT = "SELECT count(*) AS n FROM `people`"
FOREVER = "SELECT max(hash(a.id + b.id)) AS n FROM range(10000000) AS a CROSS JOIN range(10000000) AS b"


@pytest.fixture(scope="module")
def admin():
    """A session of the cluster's owner, to prepare what a test needs."""
    place = spark.server()
    from lapwing.engines.spark.connection import SparkSession

    session = SparkSession.builder.remote(f"sc://{place}").create()
    yield session
    session.stop()


@pytest.fixture
def folder(tmp_path):
    """The table people as a folder of two parts."""
    spark.server()
    spark.write(tmp_path, people=ROWS)
    return tmp_path / "people"


def policy(folder, data="fixed", timeout=60, columns=COLUMNS, unit="person", relation=None, others=()):
    path = f"spark://{spark.server()}" if relation else spark.address(folder)
    table = Table("people", path, "private", unit, 2 if unit else None, columns, relation)
    return Policy("people", (table, *others), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), data, timeout)


def opened(folder, **options):
    return open_engine(policy(folder, **options), ".")


def count(engine):
    return engine.fetch(receipt(), [COUNT])[0].to_pylist()[0]["n"]


def refusal(folder, **options):
    with pytest.raises(LapwingError) as refused:
        opened(folder, **options).close()
    assert refused.value.__cause__ is None
    return refused.value.code


# --- what is refused ---------------------------------------------------------------------------------------


def test_what_is_no_table_is_refused(folder, tmp_path):
    assert refusal(tmp_path / "nothing") == "E103"
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "a.parquet").write_text("no Parquet")
    assert refusal(tmp_path / "words") == "E103"
    assert refusal(folder, columns=(*COLUMNS, Column("pay", "real"))) == "E104"
    pq.write_table(pa.table({"person": ["1"], "town": ["a"]}), folder / "part3.parquet")
    assert refusal(folder) == "E103"  # one column, two types


def test_parts_whose_names_are_patterns_are_refused(folder):
    (folder / "part1.parquet").rename(folder / "part[12].parquet")
    assert refusal(folder) in ("E102", "E103")


def test_views_and_tables_without_a_snapshot_are_refused(admin, folder):
    for name in ("seen", "texts", "kept"):
        admin.sql(f"DROP {'VIEW' if name == 'seen' else 'TABLE'} IF EXISTS {name}").toArrow()
    admin.sql("CREATE TABLE texts (person BIGINT, town STRING) USING csv").toArrow()
    admin.sql("CREATE TABLE kept (person BIGINT, town STRING) USING parquet PARTITIONED BY (town)").toArrow()
    admin.sql("INSERT INTO kept VALUES (1, 'a'), (2, 'a'), (3, 'x/y'), (4, NULL)").toArrow()
    admin.sql("CREATE VIEW seen AS SELECT * FROM kept").toArrow()
    assert refusal(folder, relation="spark_catalog.default.seen") == "E122"
    assert refusal(folder, relation="spark_catalog.default.texts") == "E128"
    assert refusal(folder, relation="spark_catalog.default.nobody") == "E103"
    assert describe(f"spark://{spark.server()}", "spark_catalog.default.kept", "person") == COLUMNS
    with opened(folder, relation="spark_catalog.default.kept") as engine:
        before = engine.fingerprint(b"secret")
        (found,) = engine.fetch(receipt(), ["SELECT `person integer` AS p, `town text` AS t FROM people ORDER BY p"])
        assert found.to_pydict() == {"p": [1, 2, 3, 4], "t": ["a", "a", "x/y", None]}
        admin.sql("INSERT INTO kept VALUES (5, 'a')").toArrow()
        with pytest.raises(LapwingError, match="E109"):
            count(engine)
        assert engine.fingerprint(b"secret", before) != before


@pytest.mark.parametrize("way", ["Iceberg of a catalogue", "Hudi in parts", "Delta", "stream", "Paimon"])
def test_folders_some_of_whose_rows_do_not_count_are_refused(folder, way):
    whole = folder.parent / "warehouse" / "people"
    listed, data = WAYS[way]
    laid_out(whole, listed, data)
    for place in (whole.parent, whole / data, whole / data / "one.parquet"):
        assert refusal(place) == "E128"
    log = listed[0].partition("/")[0]
    (whole / log).rename(folder.parent / f"elsewhere {log}")
    opened(whole / data, columns=COLUMNS[:1]).close()


def test_a_table_over_the_files_of_another_one_is_refused(folder, admin):
    (folder / "_delta_log").mkdir()
    admin.sql("DROP TABLE IF EXISTS over").toArrow()
    admin.sql(f"CREATE TABLE over (person BIGINT, town STRING) USING parquet LOCATION '{folder}'").toArrow()
    assert refusal(folder, relation="spark_catalog.default.over") == "E128"


def test_what_programs_leave_beside_plain_parts_is_not_read(folder):
    (folder / "_temporary").mkdir()
    for name in ("_SUCCESS", "_begun.parquet", ".hidden.parquet", ".part1.parquet.crc", "_temporary/two.parquet"):
        (folder / name).write_text("nothing to read")
    (folder / ".part1.parquet.crc").unlink()  # Spark believes a checksum that it finds
    with opened(folder) as engine:
        assert count(engine) == 4
    (folder / "part1.parquet").rename(folder / "ducklake-0191.parquet")
    assert refusal(folder) == "E128"


def test_what_a_file_says_of_its_own_values_is_not_believed(folder):
    values = pa.table({"person": pa.array([1, 2, FAR], pa.int64()), "town": ["a", "b", "c"]})
    for part in folder.iterdir():
        part.unlink()
    lying(folder / "part1.parquet", values, 9)
    with opened(folder) as engine:
        above = "SELECT count(*) AS n FROM people WHERE `person integer` > 100"
        assert engine.fetch(receipt(), [above])[0].to_pylist() == [{"n": 1}]
        most = "SELECT max(`person integer`) AS n FROM people"
        assert engine.fetch(receipt(), [most])[0].to_pylist() == [{"n": FAR}]


def test_a_table_without_rows_or_files_is_empty(admin, folder):
    admin.sql("DROP TABLE IF EXISTS bare").toArrow()
    admin.sql("CREATE TABLE bare (person BIGINT, town STRING) USING parquet").toArrow()
    with opened(folder, relation="spark_catalog.default.bare", data="live") as engine:
        assert count(engine) == 0
        admin.sql("INSERT INTO bare VALUES (1, 'a')").toArrow()
        assert count(engine) == 1


@pytest.mark.parametrize(
    ("kind", "declared"), [(pa.binary(), "text"), (pa.float64(), "text"), (pa.timestamp("us"), "text")]
)
def test_units_of_which_two_can_be_one_are_refused(folder, kind, declared):
    shutil.rmtree(folder)
    spark.write(folder.parent, people=pa.table({"person": pa.array([None, None], kind), "town": ["a", "b"]}))
    assert refusal(folder, columns=(Column("person", declared), COLUMNS[1])) in ("E104", "E110")


def test_one_unit_of_two_types_is_refused(folder, tmp_path):
    spark.write(tmp_path, visits=pa.table({"person": ["1"], "place": ["a"]}))
    other = Table("visits", spark.address(tmp_path / "visits"), "private", "person", 2, (Column("person", "text"),))
    text = (Column("person", "text"), COLUMNS[1])
    assert refusal(folder, columns=text, others=(other,)) == "E111"


def test_a_public_table_that_is_the_private_one_is_refused(folder):
    for path in (folder, folder / "part1.parquet", folder.parent):
        other = Table("other", spark.address(path), "public", None, None, COLUMNS)
        assert refusal(folder, others=(other,)) == "E112"
    (folder.parent / "link").symlink_to(folder)
    shutil.copytree(folder, folder.parent / "copied")
    for name in ("link", "copied"):
        other = Table("other", spark.address(folder.parent / name), "public", None, None, COLUMNS)
        assert refusal(folder, others=(other,)) == "E112"


def test_tables_in_two_places_are_refused(folder):
    for path in ("towns.parquet", "spark://another:15002/parquet:/towns", "postgresql://reader@host/database"):
        other = Table("towns", path, "public", None, None, (Column("name", "text"),))
        assert refusal(folder, others=(other,)) == "E124"


def test_a_cluster_that_is_not_there_is_one_line():
    spark.server()
    with socket.create_server(("localhost", 0)) as mute:
        closed = mute.getsockname()[1]
    with pytest.raises(LapwingError, match=r"^E127 ") as refused:
        describe(f"spark://localhost:{closed}", "a.b.c")
    assert "\n" not in str(refused.value)


def test_what_speaks_another_language_is_no_cluster():
    spark.server()

    def answer(listener):
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line:
                line.sendall(b"220 this is no Spark\r\n")

    with socket.create_server(("localhost", 0)) as other:
        threading.Thread(target=answer, args=(other,), daemon=True).start()
        with pytest.raises(LapwingError, match=r"^E127 "):
            describe(f"spark://localhost:{other.getsockname()[1]}", "a.b.c")


# --- kinds and values --------------------------------------------------------------------------------------


def test_every_stored_type_is_read_whatever_it_holds(folder, tmp_path):
    far = datetime.date(9999, 12, 31)
    table = pa.table(
        {
            "person": pa.array([1, 2, None], pa.int32()),
            "small": pa.array([-128, 127, None], pa.int8()),
            "exact": pa.array(["1.25", "-3.00", None]).cast(pa.decimal128(9, 2)),
            "whole": pa.array(["99999999999999999999", "7", None]).cast(pa.decimal128(20, 0)),
            "real4": pa.array([float("nan"), float("-inf"), 1e-45], pa.float32()),
            "zone": pa.array([0, -(2**62), 2**62], pa.timestamp("us", "Europe/Rome")),
            "moment": pa.array([0, -(2**62), 2**62], pa.timestamp("us")),
            "day": pa.array([far, datetime.date(1, 1, 1), None], pa.date32()),
            "distant": pa.array([-(2**31), 2**31 - 1, 0], pa.int32()).cast(pa.date32()),
            "text": pa.array([b"a\\", b"\xff\xfe", b"${spark.app.name}"]).cast(pa.string(), safe=False),
            "list": pa.array([[1], [], None], pa.list_(pa.int64())),
            "raw": pa.array([b"a", b"", None], pa.binary()),
            "flag": pa.array([True, False, None]),
        }
    )
    spark.write(tmp_path, types=table)
    address = spark.address(tmp_path / "types")
    found = kinds(address)
    assert found["list"] is found["raw"] is None
    assert found["exact"] is found["real4"] is Kind.REAL
    assert found["whole"] is found["text"] is Kind.TEXT
    assert found["zone"] is found["moment"] is Kind.TIMESTAMP
    columns = describe(address, None, "person")
    with opened(tmp_path / "types", columns=columns) as engine:
        engine.examine()
        plain = [column for column in columns if column.kind not in ("date", "timestamp")]
        chosen = ", ".join(f"`{column.name} {column.kind}` AS `{column.name}`" for column in plain)
        (rows,) = engine.fetch(receipt(), [f"SELECT {chosen} FROM people ORDER BY person NULLS LAST"])
    assert rows.column("whole").to_pylist() == ["99999999999999999999", "7", None]
    assert rows.column("text").to_pylist() == ["a\\", None, "${spark.app.name}"]  # what is no UTF-8 is no text
    assert rows.column("exact").to_pylist() == [1.25, -3.0, None]
    # as all kinds, where a query reads them so: no day or moment, however far, makes a statement fail
    public = Table("other", address, "public", None, None, tuple(c for c in columns if c.name != "person"))
    with opened(folder, others=(public,)) as engine:
        as_all = [
            f"COUNT(`{column.name} {kind.value}`) AS `{column.name} {kind.value}`"
            for column in public.columns
            for kind in Kind
            if column.kind != "real" or kind not in (Kind.TEXT, Kind.DATE, Kind.TIMESTAMP)  # a real has no text
        ]
        (known,) = engine.fetch(receipt(), [f"SELECT {', '.join(as_all)} FROM other"])
        assert all(0 <= count <= 3 for count in known.to_pylist()[0].values())


def test_constants_are_what_was_written(folder):
    from lapwing.query.lowering.dialects import dialect_named

    said = dialect_named("spark")
    texts = ["'", "\\", "x' OR '1'='1", "\\'", "${spark.app.name}", "${env:HOME}", "%s", "?", ":a", "a\nb\r\t", "\x1f7"]
    texts += ['"', "`", "{1}", "$$", "E'\\x27'", "\\n", "\\u0041", "\\101", "é\u0301", "--", "/*"]
    printed = ", ".join(f"{said.printed(said.text(text))} AS `{at}`" for at, text in enumerate(texts))
    with opened(folder) as engine:
        (found,) = engine.fetch(receipt(), [f"SELECT {printed}"])
        assert list(found.to_pylist()[0].values()) == texts
        for text in texts:  # and a pattern of any of them is found in itself
            like = said.printed(said.like(said.text(text), said.text(text)))
            assert engine.fetch(receipt(), [f"SELECT {like} AS found"])[0].to_pylist() == [{"found": True}]


def test_what_an_administrator_chose_changes_nothing(folder):
    """The server of the tests has other defaults, ``spark.CHOSEN``; one that somebody else started may not."""
    half = "CAST(90000000000000000000000000 AS DECIMAL(38, 0)) / CAST(2 AS DECIMAL(38, 0))"
    with opened(folder) as engine:
        said = f"SELECT CAST(CAST({half} AS DECIMAL(38, 0)) AS STRING) AS half, current_timezone() AS zone"
        said += ", typeof(1e3) AS real"
        (found,) = engine.fetch(receipt(), [said])
        assert found.to_pylist() == [{"half": "45000000000000000000000000", "zone": "UTC", "real": "double"}]
        with pytest.raises(LapwingError, match="E106"):
            engine.fetch(receipt(), ["SELECT CAST('x' AS BIGINT) AS n"])


def test_the_keys_of_a_public_table_are_its_values(folder):
    columns = (*COLUMNS, Column("none", "real"))
    assert public_keys(spark.address(folder), None, columns[:2]) == {
        "person": (1, 2, 3),
        "town": ("a", "b", "secretville"),
    }


# --- one state of the files --------------------------------------------------------------------------------


def in_between(monkeypatch, engine, work):
    """Has the work done when the first statement of a fetch was answered, and the second was not asked."""
    asked = engine._run

    def run(statement, otherwise):
        found = asked(statement, otherwise)
        monkeypatch.undo()
        work()
        return found

    monkeypatch.setattr(engine, "_run", run)


def test_statements_of_one_fetch_see_one_state(folder, monkeypatch):
    with opened(folder, data="live") as engine:
        in_between(monkeypatch, engine, lambda: pq.write_table(ROWS, folder / "part3.parquet"))
        found = engine.fetch(receipt(), [COUNT, COUNT])
        assert [table.to_pylist()[0]["n"] for table in found] == [4, 4]
        assert count(engine) == 8


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_file_that_changes_meanwhile_is_not_answered_from(folder, how, monkeypatch):
    def write():
        if how == "removed":
            (folder / "part2.parquet").unlink()
        else:
            pq.write_table(ROWS.slice(0, 1), folder / "part2.parquet")

    with opened(folder, data="live") as engine:
        in_between(monkeypatch, engine, write)
        with pytest.raises(LapwingError) as refused:
            engine.fetch(receipt(), [COUNT, COUNT])
        assert refused.value.code in ("E106", "E109")
        assert count(engine) == (2 if how == "removed" else 3)


def test_fixed_data_that_change_before_the_look_are_not_answered_from(folder):
    with opened(folder) as engine:
        engine.fingerprint(b"secret")
        assert count(engine) == 4
        pq.write_table(ROWS.slice(0, 1), folder / "part3.parquet")
        with pytest.raises(LapwingError) as refused:
            count(engine)
        assert refused.value.code == "E109"


def test_the_fingerprint_follows_the_content(folder):
    with opened(folder) as engine:
        first = engine.fingerprint(b"secret")
        pq.write_table(ROWS.slice(0, 1), folder / "part3.parquet")  # a row that is there already
        second = engine.fingerprint(b"secret", first)
        assert second.partition(".")[0] != first.partition(".")[0]
        (folder / "part3.parquet").unlink()
        assert engine.fingerprint(b"secret", first) == first
        swapped = pa.table({"person": pa.array([1, None], pa.int64()), "town": pa.array([None, "a"])})
        other = pa.table({"person": pa.array([None, 1], pa.int64()), "town": pa.array([None, "a"])})
        found = set()
        for rows in (swapped, other):
            pq.write_table(rows, folder / "part3.parquet")
            found.add(engine.fingerprint(b"secret").partition(".")[0])
        assert len(found) == 2  # where the NULLs are counts


def test_of_live_data_only_the_moment_counts(folder):
    with opened(folder, data="live") as engine:
        first = engine.fingerprint(b"secret")
        assert engine.fingerprint(b"secret") == first
        pq.write_table(ROWS, folder / "part3.parquet")
        assert engine.fingerprint(b"secret") != first


# --- ends --------------------------------------------------------------------------------------------------


def test_a_statement_that_takes_too_long_ends_and_the_engine_goes_on(folder):
    with opened(folder, timeout=2) as engine:
        start = time.monotonic()
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [FOREVER])
        assert failed.value.code == "E106"
        assert time.monotonic() - start < 60
    with opened(folder) as engine:
        assert count(engine) == 4


def test_ctrl_c_ends_what_the_cluster_does(folder):
    with opened(folder, timeout=600) as engine:
        threading.Timer(2, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            engine.fetch(receipt(), [FOREVER])
        assert count(engine) == 4


class Proxy:
    """A line to the cluster that can be cut."""

    def __init__(self, port=0):
        host, _, at = spark.server().rpartition(":")
        self._to = host, int(at)
        self._lines = []
        self._door = socket.create_server(("localhost", port))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                near, _ = self._door.accept()
                far = socket.create_connection(self._to)
            except OSError:
                return
            self._lines += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)

    def cut(self):
        self._door.shutdown(socket.SHUT_RDWR)  # a close alone would let in whoever comes next
        self._door.close()
        for line in self._lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()


def test_a_lost_connection_is_one_error_and_the_next_question_is_answered(folder, capfd):
    proxy = Proxy()
    path = f"spark://localhost:{proxy.port}/parquet:{folder}"
    table = Table("people", path, "private", "person", 2, COLUMNS)
    engine = open_engine(Policy("p", (table,), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), "fixed", 120), ".")
    with engine:
        first = engine.fingerprint(b"secret")
        threading.Timer(1, proxy.cut).start()
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [FOREVER])
        assert failed.value.code == "E106"
        assert failed.value.__context__ is None
        again = Proxy(proxy.port)
        assert engine.fingerprint(b"secret", first) == first  # what a session does before it charges
        start = time.monotonic()
        assert count(engine) == 4
        assert time.monotonic() - start < 100  # what was lost does not go on beside it
        again.cut()
    assert capfd.readouterr().err == ""


def test_errors_hold_no_cell(folder, caplog, capfd):
    with opened(folder) as engine, pytest.raises(LapwingError) as failed:
        engine.fetch(receipt(), ["SELECT CAST(`town text` AS BIGINT) FROM people"])
    told = f"{failed.value!s}{failed.value!r}{failed.value.__cause__!r}{failed.value.__context__!r}{caplog.text}"
    seen = capfd.readouterr()
    assert "secretville" not in told + seen.out + seen.err
    assert "secretville" not in repr(engine)


# --- names that somebody else gave --------------------------------------------------------------------------


def test_tables_of_others_are_never_read_in_place_of_ours(admin, folder):
    admin.sql("DROP TABLE IF EXISTS people").toArrow()
    admin.sql("CREATE TABLE people (person BIGINT) USING parquet").toArrow()
    try:
        with opened(folder) as engine:
            assert count(engine) == 4
    finally:
        admin.sql("DROP TABLE people").toArrow()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1) AS x; DROP TABLE people; --",
        "SELECT 1 AS a; SELECT 2 AS a",
        "INSERT INTO kept VALUES (1, 'a')",
        "SELECT * FROM parquet.`/etc`",
        "SET spark.sql.ansi.enabled = false",
        "CACHE TABLE people",
    ],
)
def test_a_statement_can_only_read(folder, statement):
    with opened(folder) as engine:
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [statement])
        assert failed.value.code == "E106"
        assert count(engine) == 4

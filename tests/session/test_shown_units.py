"""However people are identified, one person more moves what is measured by at most what was typed."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.engines import DuckDB, describe
from lapwing.errors import LapwingError
from lapwing.policy import read_policy
from lapwing.query.lowering import lower
from lapwing.query.sensitivity import change
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect
from tests.contracts.engines import receipt

QUERY = "SELECT g, COUNT(*) FROM t GROUP BY g"
KEYS = {"g": ["a", "b"]}
MANY = 30

STORED = [
    ("12345678901234567890.0001", "12345678901234567890.0002", "DECIMAL(38,4)", "text"),
    ("100000000000000.01", "100000000000000.02", "DECIMAL(18,2)", "text"),
    ("'2024-01-01 00:00:00.000000001'", "'2024-01-01 00:00:00.000000002'", "TIMESTAMP_NS", "text"),
    ("'2024-01-01 00:00:00+00'", "'2024-01-01 00:00:00.000001+00'", "TIMESTAMPTZ", "text"),
    ("9007199254740993", "9007199254740992", "BIGINT", "integer"),
    ("18446744073709551615", "18446744073709551614", "UBIGINT", "text"),
    ("7", "8", "UTINYINT", "integer"),
    ("1.5", "1.25", "FLOAT", "real"),
    ("9007199254740993", "9007199254740990", "DOUBLE", "real"),
    ("'2024-01-01'", "'2024-01-02'", "DATE", "date"),
    ("'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "TIMESTAMP", "timestamp"),
    ("'A'", "'a'", "VARCHAR", "text"),
    ("'1'", "'01'", "VARCHAR", "text"),
]
CELLS = [
    ("007", "7"),
    ("123456789012345678901", "123456789012345678902"),
    ("100000000000000001.5", "100000000000000002.5"),
    ("2024-01-01", "2024-1-1"),
    ("1e3", "1000"),
    ("+5", "5"),
    ("2024-01-01 00:00:00.0000001", "2024-01-01 00:00:00.0000002"),
    ("2024-01-01 00:00:00+00", "2024-01-01 01:00:00+01"),
    ("true", "TRUE"),
    ("1.4", "0.9"),
]


def code(call, *arguments):
    with pytest.raises(LapwingError) as refused:
        call(*arguments)
    assert "\n" not in str(refused.value)
    return refused.value.code


def measured(source, query=QUERY):
    """What is measured before noise, by group, how far one person may move it, and the kind of the unit."""
    with open_session(source) as session:
        prepared = session._prepared(query)
        (statement,) = lower(prepared.aggregate, "duckdb", 7).statements
        (found,) = session.engine.fetch(receipt(), [statement.sql])
        columns = [column.to_pylist() for column in found.columns]
        (measurement,) = prepared.aggregate.measurements
        bound = change(measurement, grouped=True, neighbours=session.policy.neighbours).l1
        return dict(zip(*columns, strict=True)), bound, session.policy.tables[0].column("pid").kind


def moved(one, other):
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other})


def protected(source):
    protect(source, Wishes(unit="pid", epsilon=100, rows_per_unit=1, keys=KEYS))
    return measured(source)


def check(with_both, alone, kind):
    (both, bound, declared), (one, _, _) = with_both, alone
    assert declared == kind
    assert one == {"a": 1 * bound}
    assert 0 < moved(both, one) <= bound


def folders(tmp_path):
    for name in ("both", "alone"):
        (tmp_path / name).mkdir()
        yield tmp_path / name, MANY if name == "both" else 0


@pytest.mark.parametrize(("first", "second", "stored", "kind"), STORED)
def test_people_of_every_stored_type_stay_apart(tmp_path, first, second, stored, kind):
    found = []
    for folder, times in folders(tmp_path):
        listed = [f"({first}::{stored}, 'a')", *[f"({second}::{stored}, 'b')"] * times]
        with duckdb.connect() as made:
            made.execute(f"COPY (FROM (VALUES {', '.join(listed)}) t(pid, g)) TO '{folder}/t.parquet' (FORMAT parquet)")
        found.append(protected(folder / "t.parquet"))
    check(*found, kind)


@pytest.mark.parametrize(("first", "second", "extra"), [*((*pair, 0) for pair in CELLS), ("1.4", "0.9", 25_000)])
def test_people_of_a_text_file_are_their_text(tmp_path, first, second, extra):
    # with many whole numbers before them, a reader that guesses takes 1.4 and 0.9 for integers
    found = []
    for folder, times in folders(tmp_path):
        lines = ["pid,g", *(f"{i + 100},c" for i in range(extra)), f"{first},a", *[f"{second},b"] * times]
        (folder / "t.csv").write_text("\n".join(lines) + "\n")
        found.append(protected(folder / "t.csv"))
    check(*found, "text")


def test_whole_numbers_of_more_than_64_bits_are_their_text(tmp_path):
    found = []
    for folder, times in folders(tmp_path):
        with duckdb.connect(str(folder / "d.duckdb")) as made:
            made.execute("CREATE TABLE t (pid HUGEINT, g VARCHAR)")
            made.executemany("INSERT INTO t VALUES (?, ?)", [(2**100 + 1, "a"), *[(2**100, "b")] * times])
        found.append(protected(f"{folder}/d.duckdb::t"))
    check(*found, "text")


def test_rows_of_a_text_file_without_a_unit_are_nobodys(tmp_path):
    (tmp_path / "t.csv").write_text('pid,g\n1,a\n,a\n"",a\n,b\n')
    found, bound, _ = protected(tmp_path / "t.csv")
    assert found == {"a": bound}


@pytest.mark.parametrize("relation", ["people", "shown"])
def test_a_database_that_takes_two_names_for_one_does_not_merge_people_or_keys(tmp_path, relation):
    found = []
    for folder, times in folders(tmp_path):
        with duckdb.connect(str(folder / "t.duckdb")) as made:
            made.execute("CREATE TABLE people (pid VARCHAR COLLATE NOCASE, g VARCHAR COLLATE NOCASE)")
            made.execute("CREATE VIEW shown AS FROM people")
            rows = [("Ann", "a"), ("Bo", "A"), ("BO", "A"), *[("ann", "b")] * times]
            made.executemany("INSERT INTO people VALUES (?, ?)", rows)
        source = f"{folder}/t.duckdb::{relation}"
        protect(source, Wishes(unit="pid", epsilon=100, rows_per_unit=1, keys={"g": ["a", "b", "A"]}, trusted=True))
        found.append(measured(source, QUERY.replace(" t ", f" {relation} ")))
    (both, bound, _), (one, _, _) = found
    assert one == {"a": bound, "A": 2 * bound}
    assert set(both) == {"a", "b", "A"}
    assert 0 < moved(both, one) <= bound


def test_parts_that_store_people_as_different_types_are_refused(tmp_path):
    parts = tmp_path / "t"
    parts.mkdir()
    pq.write_table(pa.table({"pid": [2**53 + 1], "g": ["a"]}), parts / "1.parquet")
    pq.write_table(pa.table({"pid": pa.array([7], pa.int16()), "g": ["a"]}), parts / "2.parquet")
    wishes = Wishes(unit="pid", epsilon=1, rows_per_unit=1)
    protect(parts, wishes)
    for file in tmp_path.glob("t.*"):
        file.unlink()
    pq.write_table(pa.table({"pid": [2.0**53], "g": ["b"]}), parts / "3.parquet")
    assert code(protect, parts, wishes) == "E110"
    assert not list(tmp_path.glob("t.*"))


@pytest.mark.parametrize(
    ("stored", "declared"),
    [
        (pa.array(["1", "01"]), "integer"),
        (pa.array([2**53, 2**53 + 1]), "real"),
        (pa.array([1.4, 0.9]), "integer"),
        (pa.array([0, 1], pa.timestamp("ns")), "timestamp"),
        (pa.array([0, 1], pa.timestamp("us")), "date"),
        (pa.array(["2024-01-01", "2024-1-1"]), "date"),
        (pa.array([1, 2]), "boolean"),
    ],
)
def test_a_policy_that_would_merge_people_is_not_opened(tmp_path, stored, declared):
    source = tmp_path / "t.parquet"
    pq.write_table(pa.table({"pid": stored, "g": ["a", "b"]}), source)
    protect(source, Wishes(unit="pid", epsilon=1, rows_per_unit=1))
    file = tmp_path / "t.lapwing.toml"
    policy = read_policy(file)
    kind = policy.tables[0].column("pid").kind
    file.write_text(file.read_text().replace(f'pid = {{ kind = "{kind}"', f'pid = {{ kind = "{declared}"'))
    policy = read_policy(file)
    assert policy.tables[0].column("pid").kind == declared
    assert code(DuckDB, policy, tmp_path) == "E110"


def test_whole_numbers_meet_the_same_people_in_a_text_file(tmp_path):
    pq.write_table(pa.table({"pid": [1, 2, 3], "g": ["a", "a", "b"]}), tmp_path / "t.parquet")
    (tmp_path / "u.csv").write_text("pid,h\n1,x\n3,x\n4,x\n")
    protect(
        tmp_path / "t.parquet",
        Wishes(unit="pid", epsilon=1, rows_per_unit=1, keys=KEYS, private={str(tmp_path / "u.csv"): ("pid", 1)}),
    )
    found, bound, kind = measured(
        tmp_path / "t.parquet", "SELECT g, COUNT(*) FROM t JOIN u ON t.pid = u.pid GROUP BY g"
    )
    assert (found, kind) == ({"a": bound, "b": bound}, "text")


def test_one_number_with_two_texts_is_not_two_people(tmp_path):
    with duckdb.connect() as made:
        made.execute(f"COPY (SELECT 7::DECIMAL(10,2) AS pid) TO '{tmp_path}/t.parquet' (FORMAT parquet)")
        made.execute(f"COPY (SELECT 7::DECIMAL(10,4) AS pid) TO '{tmp_path}/u.parquet' (FORMAT parquet)")
    other = {str(tmp_path / "u.parquet"): ("pid", 1)}
    wishes = Wishes(unit="pid", epsilon=1, rows_per_unit=1, private=other)
    assert code(protect, tmp_path / "t.parquet", wishes) == "E111"


def test_the_columns_of_a_text_file_are_text(tmp_path):
    (tmp_path / "t.csv").write_text("pid,age\n1,2\n")
    found = {column.name: column.kind for column in describe(tmp_path / "t.csv", unit="PID")}
    assert found == {"pid": "text", "age": "text"}

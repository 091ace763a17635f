"""Files and relations whose names, kinds or values misled: each gave a wrong answer, or a leak, before."""

import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.errors import InvalidInput
from lapwing.policy import read_policy
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect
from tests.session.test_shown_units import code


def counted(source, name="t"):
    with open_session(source) as session:
        return session.sql(f"SELECT COUNT(*) AS n FROM {name}", epsilon=100).table["n"][0].as_py()


@pytest.mark.parametrize("folder", ["run[12]", "run?", "run*"])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_folder_whose_name_is_a_pattern_is_that_folder(tmp_path, folder, suffix):
    for name, rows in ((folder, 3), ("run1", 50)):
        os.makedirs(tmp_path / name)
        if suffix == "parquet":
            pq.write_table(pa.table({"x": list(range(rows))}), tmp_path / name / "t.parquet")
        else:
            (tmp_path / name / "t.csv").write_text("x,y\n" + "1,2\n" * rows)
    source = tmp_path / folder / f"t.{suffix}"
    protect(source, Wishes(None, 1000))
    assert counted(source) == 3


@pytest.mark.parametrize(("name", "sign"), [("t.csv", ";"), ("t.csv", "\t"), ("t.csv", "|"), ("t.tsv", ",")])
def test_columns_that_are_told_apart_otherwise_are_no_single_column(tmp_path, name, sign):
    (tmp_path / name).write_text(f"age{sign}city\n30{sign}Oslo\n")
    with pytest.raises(InvalidInput) as refusal:
        protect(tmp_path / name, Wishes(None, 1))
    assert refusal.value.code == "S129"
    assert "Oslo" not in str(refusal.value)


def test_a_single_column_is_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("age\n30\n40\n")
    protect(tmp_path / "t.csv", Wishes(None, 1000))
    assert counted(tmp_path / "t.csv") == 2


def test_a_long_text_does_not_make_a_file_unreadable(tmp_path):
    pq.write_table(pa.table({"x": [1, 2], "t": ["a", "x" * 5000]}), tmp_path / "t.parquet")
    protect(tmp_path / "t.parquet", Wishes(None, 1000))
    assert counted(tmp_path / "t.parquet") == 2


@pytest.mark.parametrize("cell", ["31", "n/a", "31.5", "", "2020-01-01", "9" * 400])
def test_no_cell_of_a_text_file_decides_what_is_public(tmp_path, cell):
    """The kinds of the policy are what every analyst sees."""
    (tmp_path / "t.csv").write_text(f"age,city\n30,Oslo\n40,Rome\n{cell},Oslo\n")
    policy, _ = protect(tmp_path / "t.csv", Wishes(None, 1000, kinds={"age": "integer"}))
    assert {column.name: column.kind for column in policy.tables[0].columns} == {"age": "integer", "city": "text"}
    with open_session(tmp_path / "t.csv") as session:
        found = session.sql("SELECT COUNT(age) AS n, SUM(CLIP(age, 0, 100)) AS s FROM t", epsilon=400)
    assert found.table["n"][0].as_py() == (3 if cell in ("31", "31.5") else 2)


def test_ranges_say_what_a_text_file_holds(tmp_path):
    (tmp_path / "t.csv").write_text("pay,day\n30.5,2020-01-02\nx,y\n")
    bounds = {"pay": (0, 100), "day": ("2020-01-01", "2020-12-31")}
    policy, path = protect(tmp_path / "t.csv", Wishes(None, 1000, bounds=bounds))
    assert [column.kind for column in policy.tables[0].columns] == ["real", "date"]
    assert read_policy(path) == policy


@pytest.mark.parametrize(
    "relation",
    [
        "CREATE VIEW seen AS SELECT person, random() AS x FROM people",
        "CREATE VIEW seen AS SELECT person, row_number() OVER () AS x FROM people",
        "CREATE TABLE seen (person INT, x DOUBLE GENERATED ALWAYS AS (random()))",
    ],
)
def test_what_is_computed_when_it_is_read_is_refused_unless_trusted(tmp_path, relation):
    source = f"{tmp_path}/d.duckdb::seen"
    with duckdb.connect(f"{tmp_path}/d.duckdb") as made:
        made.execute("CREATE TABLE people AS SELECT i // 10 AS person FROM range(100) r(i)")
        made.execute(relation)
        if "GENERATED" in relation:
            made.execute("INSERT INTO seen (person) SELECT person FROM people")
    assert code(protect, source, Wishes("person", 1000, rows_per_unit=1)) == "E116"
    protect(source, Wishes("person", 1000, rows_per_unit=1, trusted=True))
    with open_session(source) as session:
        found = session.sql("SELECT COUNT(*) AS n FROM seen WHERE x >= 0.5", epsilon=500).table["n"][0].as_py()
    assert found <= 10  # ten people, each of whom counts once


class Frame:
    """Shows its rows when it is written out, as data frames do."""

    def __repr__(self):
        return "person 0 bob"

    __str__ = __repr__


def test_no_row_of_a_frame_is_in_an_error():
    for given in (Frame(), [Frame()], {"secret": "bob"}, 7):
        with pytest.raises(InvalidInput) as refusal:
            open_session(given)
        assert refusal.value.code == "S120"
        assert "bob" not in str(refusal.value)


def test_null_keys_are_in_no_group_whatever_a_file_says_of_its_values(tmp_path):
    """With statistics DuckDB let rows with a NULL key through, and they used up a person's limit."""
    table = pa.table({"person": [1, 1, 1, 2, 2], "c": [1, 2, 5, 5, 5]})
    for name, statistics in (("stated", True), ("silent", False)):
        pq.write_table(table, tmp_path / f"{name}.parquet", write_statistics=statistics)
        protect(tmp_path / f"{name}.parquet", Wishes("person", 1000, rows_per_unit=1))
        with open_session(tmp_path / f"{name}.parquet") as session:
            text = f"SELECT CASE WHEN c > 2 THEN 'y' END AS k, COUNT(*) AS n FROM {name} GROUP BY 1"
            assert session.sql(text, epsilon=400).table["n"].to_pylist() == [2]

"""``lapwing protect``: every kind of source, what the policy then says, and what bad input gets."""

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing.policy import read_policy
from lapwing.session import open_session
from tests.cli.invoke import lapwing, objects
from tests.cli.tables import COUNT, ROWS, charges, people, protected, refused, unprotected


def count(source, name):
    """A count so well paid for that the noise is gone."""
    run = lapwing("run", source, f"SELECT COUNT(*) AS n FROM {name}", "--epsilon", 40, "--json")
    assert run.exit_code == 0, run.stderr
    return objects(run)[0]["rows"][0]["n"]


def parquet_file(folder):
    return unprotected(folder), "people"


def csv_file(folder):
    path = folder / "people.csv"
    path.write_text("person,age,region\n" + "".join(f"{i},{i % 100},north\n" for i in range(ROWS)))
    return path, "people"


def tsv_file(folder):
    path = folder / "people.tsv"
    path.write_text("person\tage\n" + "".join(f"{i}\t{i % 100}\n" for i in range(ROWS)))
    return path, "people"


def parquet_folder(folder):
    parts = folder / "parts"
    parts.mkdir()
    for i in range(2):
        pa.parquet.write_table(people().slice(i * ROWS // 2, ROWS // 2), parts / f"{i}.parquet")
    return parts, "parts"


def csv_folder(folder):
    parts = folder / "parts"
    parts.mkdir()
    for i in range(2):
        lines = [f"{j},{j % 100}\n" for j in range(i * ROWS // 2, (i + 1) * ROWS // 2)]
        (parts / f"{i}.csv").write_text("person,age\n" + "".join(lines))
    return parts, "parts"


def database(folder):
    path = folder / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE visits AS SELECT range AS person, range % 100 AS age FROM range({ROWS})")
    return f"{path}::visits", "visits"


def database_with_schemas(folder):
    path = folder / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA ward")
        connection.execute(f"CREATE TABLE ward.stays AS SELECT range AS person, 1 AS age FROM range({ROWS})")
    return f"{path}::ward.stays", "stays"


@pytest.mark.parametrize(
    "make", [parquet_file, csv_file, tsv_file, parquet_folder, csv_folder, database, database_with_schemas]
)
def test_every_kind_of_source_goes_by_its_own_name(tmp_path, make):
    source, name = make(tmp_path)
    done = lapwing("protect", source, "--unit", "person", "--epsilon", 50, "--bounds", "age=0:100", "--json")
    [found] = objects(done)
    assert found["name"] == name
    assert (tmp_path / f"{name}.lapwing.toml").is_file()
    assert (tmp_path / f"{name}.lapwing.ledger").is_file()
    assert abs(count(source, name) - ROWS) <= 2


def test_the_policy_says_what_the_flags_said(tmp_path):
    path = unprotected(tmp_path)
    done = lapwing(
        *("protect", path, "--unit", "person", "--epsilon", "1.5", "--delta", "1e-9", "--neighbours", "replaced"),
        *("--bounds", "age=-0:1e2", "--keys", "region=north, south", "--rows-per-unit", 3),
        *("--analyst", "ana=1", "--analyst", "bo"),
    )
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    policy = read_policy(tmp_path / "people.lapwing.toml")
    [table] = policy.tables
    assert (table.unit, table.rows_per_unit, policy.neighbours.value) == ("person", 3, "replaced")
    assert (str(policy.budget.epsilon), str(policy.budget.delta)) == ("3/2", "1/1000000000")
    assert {each.name: str(each.epsilon) for each in policy.analysts} == {"ana": "1", "bo": "3/2"}
    assert (table.column("age").low, table.column("age").high) == (0, 100)
    assert table.column("region").keys == ("north", "south")


def test_json_on_stdout_people_on_stderr(tmp_path):
    done = lapwing("protect", unprotected(tmp_path), "--epsilon", 1, "--json")
    [found] = objects(done)
    assert found["budget"] == {"epsilon": "1", "delta": "0"}
    assert found["analysts"] == ["analyst"]
    assert found["tables"][0]["columns"] == ["person", "age", "region"]
    assert "protected people" in done.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], "F021"),
        (["--epsilon", "x"], "S105"),
        (["--epsilon", "nan"], "S105"),
        (["--epsilon", "1/0"], "S105"),
        (["--epsilon", "0"], "S114"),
        (["--epsilon", "-1"], "S114"),
        (["--epsilon", "1", "--delta", "1"], "S114"),
        (["--epsilon", "1", "--delta", "x"], "S105"),
        (["--epsilon", "1", "--unit", "persn"], "S124"),
        (["--epsilon", "1", "--unit", ""], "S124"),
        (["--epsilon", "1", "--rows-per-unit", "2"], "S116"),
        (["--epsilon", "1", "--unit", "person", "--unit", "region"], "F021"),
        (["--epsilon", "1", "--epsilon", "2"], "F021"),
        (["--epsilon", "1", "--delta", "0", "--delta", "1e-9"], "F021"),
        (["--epsilon", "1e400"], "F021"),
        (["--epsilon", "1001"], "F021"),
        (["--epsilon", "1", "--bounds", "age"], "F021"),
        (["--epsilon", "1", "--bounds", "age=1"], "F021"),
        (["--epsilon", "1", "--bounds", "=0:1"], "F021"),
        (["--epsilon", "1", "--bounds", "age=1:0"], "S112"),
        (["--epsilon", "1", "--bounds", "age=0:inf"], "S105"),
        (["--epsilon", "1", "--bounds", "age=a:b"], "S105"),
        (["--epsilon", "1", "--bounds", "age=0:1/2"], "S112"),
        (["--epsilon", "1", "--bounds", "region=0:1"], "S112"),
        (["--epsilon", "1", "--bounds", "wages=0:1"], "S124"),
        (["--epsilon", "1", "--bounds", "age=0:1", "--bounds", "age=0:2"], "F021"),
        (["--epsilon", "1", "--keys", "region"], "F021"),
        (["--epsilon", "1", "--keys", "region="], "F021"),
        (["--epsilon", "1", "--keys", "region=north,"], "F021"),
        (["--epsilon", "1", "--keys", 'region="north'], "F021"),
        (["--epsilon", "1", "--keys", "region=north,north"], "S113"),
        (["--epsilon", "1", "--keys", "age=1,x"], "S125"),
        (["--epsilon", "1", "--keys", "age=1,1.5"], "S125"),
        (["--epsilon", "1", "--analyst", "ana=x"], "S105"),
        (["--epsilon", "1", "--analyst", "=1"], "S110"),
        (["--epsilon", "1", "--analyst", "ana", "--analyst", "ana=1"], "F021"),
        (["--epsilon", "1", "--also", "x"], "F021"),
        (["--epsilon", "1", "--public", "nowhere.parquet"], "E101"),
        (["--renew"], "S121"),
        (["--renew", "--epsilon", "2"], "F021"),
    ],
)
def test_bad_flags_are_refused_and_nothing_is_written(tmp_path, options, code):
    path = unprotected(tmp_path)
    assert refused(lapwing("protect", path, *options), code)
    assert [file.name for file in tmp_path.iterdir()] == ["people.parquet"]


def no_file(folder):
    return folder / "people.parquet"


def broken_parquet(folder):
    (folder / "people.parquet").write_bytes(b"PAR1 and nothing else")
    return folder / "people.parquet"


def empty_csv(folder):
    (folder / "people.csv").write_text("")
    return folder / "people.csv"


def csv_with_one_name_twice(folder):
    (folder / "people.csv").write_text("age,Age\n1,2\n")
    return folder / "people.csv"


def empty_folder(folder):
    (folder / "people").mkdir()
    return folder / "people"


def mixed_folder(folder):
    parts = empty_folder(folder)
    unprotected(parts)
    csv_file(parts)
    return parts


def another_format(folder):
    (folder / "people.txt").write_text("hello")
    return folder / "people.txt"


def database_without_a_table(folder):
    return database(folder)[0].partition("::")[0]


def table_that_is_not_there(folder):
    return f"{database_without_a_table(folder)}::people"


def table_of_a_file(folder):
    return f"{unprotected(folder)}::people"


def name_that_is_none_in_sql(folder):
    return unprotected(folder).rename(folder / "my-people.parquet")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (no_file, "E101"),
        (broken_parquet, "E103"),
        (empty_csv, "E103"),
        (csv_with_one_name_twice, "E103"),
        (empty_folder, "E102"),
        (mixed_folder, "E102"),
        (another_format, "E102"),
        (database_without_a_table, "S120"),
        (table_that_is_not_there, "E103"),
        (table_of_a_file, "S120"),
        (name_that_is_none_in_sql, "S110"),
    ],
)
def test_a_source_that_is_no_table_is_refused(tmp_path, make, code):
    source = make(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert refused(lapwing("protect", source, "--epsilon", 1), code)
    assert sorted(tmp_path.iterdir()) == before


def test_a_table_is_protected_once(tmp_path):
    path = protected(tmp_path)
    policy = (tmp_path / "people.lapwing.toml").read_bytes()
    assert refused(lapwing("protect", path, "--epsilon", 1000), "S123")
    (tmp_path / "people.lapwing.toml").unlink()
    # the ledger alone keeps a spent budget from being made anew
    assert refused(lapwing("protect", path, "--epsilon", 1000), "S123")
    (tmp_path / "people.lapwing.toml").write_bytes(policy)
    with open_session(path) as session:
        assert session.remaining.epsilon == 10


def test_columns_without_single_values_or_a_printable_name_are_left_out_and_this_is_said(tmp_path):
    odd = {"marital-status": ["a"], "größe": [1.0], "two words": [1], "tags": [[1]], "select": [5], "two\nlines": [1]}
    path = unprotected(tmp_path, pa.table({"person": [1], **odd}))
    done = lapwing("protect", path, "--unit", "person", "--epsilon", 20, "--bounds", "select=0:9", "--json")
    [table] = objects(done)[0]["tables"]
    assert table["columns"] == ["person", "marital-status", "größe", "two words", "select"]
    assert set(table["left_out"]) == {"tags", "two\nlines"}
    assert "left out tags: its type is none that is read" in done.stderr
    assert "rename it with at most 127 printable characters" in done.stderr
    for name in ("select", "marital-status", "two words"):
        assert lapwing("run", path, f'SELECT COUNT("{name}") FROM people', "--epsilon", 1).exit_code == 0
    assert refused(lapwing("run", path, 'SELECT COUNT("tags") FROM people', "--epsilon", 1), "Q114")


def test_a_unit_of_any_name(tmp_path):
    path = unprotected(tmp_path, pa.table({"person-id": [1], "age": [1], "who\n": [1]}))
    run = lapwing("protect", path, "--unit", "who\n", "--epsilon", 1)
    assert refused(run, "S124")
    assert "rename it" in run.stderr
    assert lapwing("protect", path, "--unit", "person-id", "--epsilon", 9).exit_code == 0
    assert lapwing("run", path, 'SELECT COUNT(DISTINCT "person-id") FROM people', "--epsilon", 1).exit_code == 0


def test_names_that_differ_in_capitals_only_are_refused(tmp_path):
    """SQL takes them for one name; which of the two an engine renames is not for an analyst to guess."""
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["age", "AGE"])
    done = lapwing("protect", unprotected(tmp_path, table), "--epsilon", 1)
    assert done.exit_code == 2
    assert "E115" in done.stderr


def test_a_table_of_which_only_rows_can_be_counted(tmp_path):
    path = unprotected(tmp_path, pa.table({"tags": [[1]] * ROWS}))
    assert lapwing("protect", path, "--epsilon", 50).exit_code == 0
    assert abs(count(path, "people") - ROWS) <= 2


@pytest.mark.parametrize("table", [people().slice(0, 0), pa.table({"person": pa.array([], pa.int64())})])
def test_an_empty_table_answers_like_any_other(tmp_path, table):
    path = unprotected(tmp_path, table)
    assert lapwing("protect", path, "--unit", "person", "--epsilon", 50).exit_code == 0
    assert abs(count(path, "people")) <= 2


def test_odd_cells_of_a_text_file_are_null_where_the_curator_says_numbers(tmp_path):
    path = tmp_path / "people.csv"
    odd = ["401,none", "402,NaN", "403,", "404,1e999", "405", "406,1,2"]
    path.write_text("person,age\n" + "".join(f"{i},10\n" for i in range(ROWS)) + "\n".join(odd) + "\n")
    done = lapwing("protect", path, "--unit", "person", "--epsilon", 200, "--bounds", "age=0:100")
    assert done.exit_code == 0, done.stderr
    assert read_policy(tmp_path / "people.lapwing.toml").tables[0].column("age").kind == "real"
    text = "SELECT COUNT(age) AS n, SUM(age) AS s FROM people"
    [found] = objects(lapwing("run", path, text, "--epsilon", 100, "--json"))
    assert abs(found["rows"][0]["n"] - ROWS - 1) <= 2  # 1e999 is infinite, and clipped
    assert abs(found["rows"][0]["s"] - 10 * ROWS - 100) <= 50


def test_the_unnamed_index_of_a_data_frame_is_a_column(tmp_path):
    path = tmp_path / "people.csv"
    people().to_pandas().to_csv(path)
    [found] = objects(lapwing("protect", path, "--unit", "person", "--epsilon", 50, "--json"))
    assert found["tables"][0]["columns"] == ["column0", "person", "age", "region"]
    assert abs(count(path, "people") - ROWS) <= 2


def test_keys_may_hold_commas_quotes_and_any_letters(tmp_path):
    keys = ["Zürich", "Bern, Stadt", 'the "old" town', "東京", "Ðā́ŋ", "O'Neill"]
    path = unprotected(tmp_path, pa.table({"town": [key for key in keys for _ in range(50)]}))
    listed = 'town=Zürich,"Bern, Stadt","the ""old"" town",東京, Ðā́ŋ ,O\'Neill'
    assert lapwing("protect", path, "--epsilon", 50, "--keys", listed).exit_code == 0
    run = lapwing("run", path, "SELECT town, COUNT(*) AS n FROM people GROUP BY town", "--epsilon", 40, "--json")
    [found] = objects(run)
    assert [row["town"] for row in found["rows"]] == keys
    assert all(abs(row["n"] - 50) <= 2 for row in found["rows"])


def test_renewing_accepts_new_data_and_an_edited_budget_and_refunds_nothing(tmp_path):
    path = protected(tmp_path)
    assert lapwing("run", path, COUNT, "--epsilon", 4).exit_code == 0
    unprotected(tmp_path, people().slice(1))
    assert refused(lapwing("run", path, COUNT, "--epsilon", 4), "S134")
    policy = tmp_path / "people.lapwing.toml"
    policy.write_text(policy.read_text().replace('epsilon = "10"', 'epsilon = "5"'))
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "L120")
    assert lapwing("protect", path, "--renew").exit_code == 0
    assert refused(lapwing("run", path, COUNT, "--epsilon", 4), "L113")
    assert lapwing("run", path, COUNT, "--epsilon", 1).exit_code == 0
    assert len(charges(path)) == 2


def test_renewing_does_not_change_whom_the_ledger_protects(tmp_path):
    path = protected(tmp_path)
    policy = tmp_path / "people.lapwing.toml"
    text = policy.read_text()
    for old, new in [("added", "replaced"), ('unit = "person"\nrows_per_unit = 1\n', "")]:
        assert old in text
        policy.write_text(text.replace(old, new))
        assert refused(lapwing("protect", path, "--renew"), "L119")


def test_renewing_a_damaged_ledger_is_refused(tmp_path):
    import sqlite3

    path = protected(tmp_path)
    lapwing("run", path, COUNT, "--epsilon", 4)
    with sqlite3.connect(tmp_path / "people.lapwing.ledger") as db:
        db.execute("DROP TRIGGER no_update")
        db.execute("UPDATE entries SET price = 'epsilon 1/1000' WHERE kind = 'charge'")
    db.close()
    assert refused(lapwing("protect", path, "--renew"), "S142")


def test_a_day_that_no_calendar_has_is_refused_as_a_day(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("person,came\n1,2023-01-05\n")
    run = lapwing("protect", path, "--epsilon", 1, "--bounds", "came=2023-13-01:2023-12-31")
    assert refused(run, "S112")
    assert "is not a day" in run.stderr

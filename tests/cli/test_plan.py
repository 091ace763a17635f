"""``lapwing plan`` and ``lapwing advise``: the table before the price, one charge, files that can be checked."""

import json
import re

import pyarrow.parquet
import pytest

from lapwing.policy import read_policy
from tests.cli.invoke import lapwing, objects
from tests.session.tables import people, visits

WISHES = """
source = "people.parquet"
[[question]]
name = "regions"
sql = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
within = 25
[[question]]
name = "age"
sql = "SELECT AVG(age) AS age FROM people"
within = 2
rows = 2000
expect = { age = 50 }
"""


@pytest.fixture
def desk(tmp_path):
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "wishes.toml").write_text(WISHES)
    words = ["--bounds", "age=0:100", "--keys", "region=north,south,east,west", "--epsilon", "2"]
    assert lapwing("protect", tmp_path / "people.parquet", *words).exit_code == 0
    return tmp_path


def charges(folder, table="people"):
    [found] = objects(lapwing("ledger", folder / f"{table}.parquet", "--json"))
    return found["charges"]


def test_a_plan_is_shown_and_costs_nothing(desk):
    done = lapwing("plan", desk / "wishes.toml")
    assert done.exit_code == 0
    assert re.search(r"regions +ε [\d.]+ +n +± 25", done.stdout)
    assert "nothing is charged yet" in done.stdout
    [found] = objects(lapwing("plan", desk / "wishes.toml", "--json"))
    assert (found["meets"], found["affordable"]) == (True, True)
    assert charges(desk) == []


def test_running_it_is_one_charge_and_files_that_can_be_checked(desk):
    words = ["--epsilon", "1/2", "--run", "--report", desk / "r.html", "--output", desk / "r.json"]
    done = lapwing("plan", desk / "wishes.toml", *words)
    assert done.exit_code == 0, done.output
    assert "in one charge" in done.stdout
    assert len(charges(desk)) == 1
    assert "Private answers" in (desk / "r.html").read_text()
    assert lapwing("check", desk / "r.json", "--source", desk / "people.parquet").exit_code == 0
    for place, release in enumerate(json.loads((desk / "r.json").read_text())["releases"]):
        (desk / f"{place}.json").write_text(json.dumps(release))
        (desk / f"{place}.certificate.json").write_text(json.dumps(release["certificate"]))
        assert lapwing("check", desk / f"{place}.json", "--source", desk / "people.parquet").exit_code == 0
        assert lapwing("check", desk / f"{place}.certificate.json").exit_code == 0
    again = lapwing("plan", desk / "wishes.toml", *words)
    assert "already paid for" in again.stdout
    assert len(charges(desk)) == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--report", "r.html"], "S173"),
        (["--epsilon", "0", "--run"], "S131"),
        (["--epsilon", "50", "--run"], "L113"),
        (["--rho", "1", "--run"], "L112"),
        (["--epsilon", "1", "--rho", "1"], "S130"),
        (["--run", "--report", "people.parquet"], "F019"),
        (["--run", "--output", "nothing/r.json"], "F003"),
        (["--confidence", "2"], None),
    ],
)
def test_what_is_refused_costs_nothing(desk, monkeypatch, words, code):
    monkeypatch.chdir(desk)
    done = lapwing("plan", "wishes.toml", *words)
    assert done.exit_code == 2
    assert code is None or code in done.output
    assert charges(desk) == []


def test_files_without_a_table_or_without_sense(desk):
    (desk / "bad.toml").write_text('[[question]]\nsql = "SELECT COUNT(*) FROM people"\nwithin = 5\n')
    assert "S173" in lapwing("plan", desk / "bad.toml").output
    assert lapwing("plan", desk / "bad.toml", desk / "people.parquet").exit_code == 0
    (desk / "bad.toml").write_text("[[question]]\nsql = 'SELECT AVG(shoes) FROM people'\nwithin = 5\nname = 'shoes'\n")
    done = lapwing("plan", desk / "bad.toml", desk / "people.parquet")
    assert (done.exit_code, "'shoes':" in done.output) == (2, True)
    assert lapwing("plan", desk / "nothing.toml").exit_code == 2


# --- advise ----------------------------------------------------------------------------------------------


@pytest.fixture
def clinic(tmp_path):
    pyarrow.parquet.write_table(visits(), tmp_path / "visits.parquet")
    assert lapwing("protect", tmp_path / "visits.parquet", "--unit", "person", "--epsilon", "4").exit_code == 0
    return tmp_path


def test_advice_is_printed_charged_and_written(clinic):
    done = lapwing("advise", clinic / "visits.parquet", "--epsilon", "2", "--output", clinic / "a.json")
    assert done.exit_code == 0, done.output
    assert re.search(r"use: --bounds cost=\d+:512 --bounds month=0:16 --rows-per-unit \d+", done.stdout)
    assert len(charges(clinic, "visits")) == 1
    assert lapwing("check", clinic / "a.json", "--source", clinic / "visits.parquet").exit_code == 0
    before = read_policy(clinic / "visits.lapwing.toml")
    written = lapwing("advise", clinic / "visits.parquet", "--epsilon", "2", "--write")
    assert "already paid for" in written.stdout
    [table] = read_policy(clinic / "visits.lapwing.toml").tables
    assert table.column("cost").high == 512
    assert before.tables[0].column("cost").high is None
    summed = lapwing("run", clinic / "visits.parquet", "SELECT SUM(cost) AS c FROM visits", "--epsilon", "1")
    assert summed.exit_code == 0, summed.output


def test_advice_on_one_column_as_json(clinic):
    [found] = objects(lapwing("advise", clinic / "visits.parquet", "--epsilon", "1", "--column", "cost", "--json"))
    assert [each["column"] for each in found["advice"]["bounds"]] == ["cost"]
    assert found["advice"]["rows_per_unit"] is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "S130"),
        (["--epsilon", "9"], "L113"),
        (["--epsilon", "1", "--column", "shoes"], "S174"),
        (["--epsilon", "1", "--table", "shoes"], "S174"),
        (["--epsilon", "x"], "A001"),
    ],
)
def test_advice_that_is_refused_costs_nothing(clinic, words, code):
    done = lapwing("advise", clinic / "visits.parquet", *words)
    assert (done.exit_code, code in done.output) == (2, True), done.output
    assert charges(clinic, "visits") == []

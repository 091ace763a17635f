"""A table in PostgreSQL from protecting to checking: fixed and live, with its ledger beside it or in a database."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest
from click.testing import CliRunner

import lapwing
from lapwing.algebra.measures import PureDP
from lapwing.cli import main
from lapwing.errors import LapwingError
from lapwing.ledger import Ledger
from lapwing.policy.addresses import database_address
from lapwing.session.advice import write_advice
from lapwing.session.protecting import Wishes, protect, renew
from tests.contracts import postgresql

VISITS = pa.table(
    {
        "person": pa.array([i % 50 for i in range(400)], pa.int64()),
        "city": [("rome", "oslo", "bern")[i % 3] for i in range(400)],
        "cost": [float(i % 100) for i in range(400)],
    }
)
COUNT = "SELECT COUNT(*) AS n FROM visits"


@pytest.fixture(scope="module")
def database():
    made = postgresql.Database()
    yield made
    made.drop()


@pytest.fixture
def source(database, tmp_path, monkeypatch):
    """The address of a fresh table, in a working folder of its own."""
    database.load("clinic", visits=VISITS, cities=pa.table({"name": ["rome", "oslo"], "country": ["it", "no"]}))
    monkeypatch.chdir(tmp_path)
    return database_address(database.url).with_relation("clinic.visits")


def wishes(data, **more):
    return Wishes(
        "person",
        2,
        rows_per_unit=8,
        keys={"city": ("rome", "oslo", "bern")},
        bounds={"cost": (0, 100)},
        data=data,
        **more,
    )


def code(call, *arguments, **options):
    with pytest.raises(LapwingError) as refused:
        call(*arguments, **options)
    return refused.value.code


def test_a_fixed_table_is_answered_repeated_and_refused_when_it_changed(source, database):
    protect(source, wishes("fixed"))
    with lapwing.open(source) as session:
        first = session.sql(COUNT, epsilon=1)
        assert abs(first.to_arrow().to_pylist()[0]["n"] - 400) < 400
        assert session.sql(COUNT, epsilon=1).repeated
        parts = session.partition("city")
        parts["rome"].sql(COUNT, epsilon="0.01")
        database.run("DELETE FROM clinic.visits WHERE person = 1")
        before = session.ledger.head()
        assert code(session.sql, COUNT, epsilon=1) == "S134"
        assert session.ledger.head() == before  # nothing was charged
    renew(source)
    with lapwing.open(source) as session:
        assert not session.sql(COUNT, epsilon="0.5").repeated


def test_a_live_table_is_answered_as_it_is_and_never_split(source, database):
    protect(source, wishes("live"))
    with lapwing.open(source) as session:
        first = session.sql(COUNT, epsilon="0.1")
        assert any("as of" in note for note in first.notes)
        database.run("INSERT INTO clinic.visits VALUES (999, 'rome', 1)")
        second = session.sql(COUNT, epsilon="0.1")
        assert not second.repeated
        assert session.remaining.epsilon == Fraction(9, 5)
        assert code(session.partition, "city") == "S164"
        assert session.ledger.accounts()[0].charges == 2


def test_plans_and_advice_are_those_of_files(database, source):
    """The same questions on PostgreSQL: where values lie, how many rows people have; and a plan as one charge."""
    many = pa.table(
        {
            "person": pa.array([i // 4 for i in range(8000)], pa.int64()),
            "city": [("rome", "oslo", "bern")[i % 3] for i in range(8000)],
            "cost": [-3.0 + (i % 90) for i in range(8000)],
        }
    )
    database.load("clinic", visits=many)
    protect(source, Wishes("person", 20, data="fixed"))
    with lapwing.open(source) as session:
        found = session.advise(epsilon=6)
        assert found.bounds["cost"] in ((-4, 128), (-4, 64))  # a tenth of the values are above 64
        assert (found.rows_per_unit, found.groups_per_unit) == (4, 3)
        plan = session.plan(
            [{"name": "n", "sql": COUNT, "within": 20}, ("SELECT COUNT(DISTINCT person) AS p FROM visits", 5)]
        )
        report = plan.run()
        assert abs(report[1].table.column("p")[0].as_py() - 2000) < 50
        assert session.ledger.accounts()[0].charges == 2
    write_advice(source, found)
    with lapwing.open(source) as session:
        assert session.policy.tables[0].rows_per_unit == 4
        session.sql("SELECT SUM(cost) AS s FROM visits", epsilon=1)


def test_the_values_of_a_public_table_are_known_keys_unless_they_may_change(source):
    cities = source.replace("clinic.visits", "clinic.cities")
    policy, _ = protect(source, wishes("fixed", public=[cities]))
    assert {column.name: column.keys for column in policy.table("cities").columns} == {
        "name": ("oslo", "rome"),
        "country": ("it", "no"),
    }
    with lapwing.open(source) as session:
        joined = "SELECT country, COUNT(*) AS n FROM visits JOIN cities ON city = name GROUP BY country"
        assert [row["country"] for row in session.sql(joined, epsilon="0.1").to_arrow().to_pylist()] == ["it", "no"]


def test_the_values_of_a_live_public_table_are_not_listed(source):
    policy, _ = protect(source, wishes("live", public=[source.replace("clinic.visits", "clinic.cities")]))
    assert [column.keys for column in policy.table("cities").columns] == [None, None]


def test_a_table_in_a_database_is_fixed_or_live_by_somebodys_word(source):
    assert code(protect, source, wishes(None)) == "S163"


def test_passwords_are_refused_and_never_shown():
    for bad in ("postgresql://ana:hunter2@host/db/s.t", "postgresql://host/db/s.t?password=hunter2"):
        with pytest.raises(LapwingError) as refused:
            protect(bad, wishes("live"))
        assert refused.value.code == "S161"
        assert "hunter2" not in str(refused.value)
    for bad in ("postgresql://host/db", "postgresql:///", "mysql://host/db/t", "postgresql://host/db/a.b.c"):
        assert code(protect, bad, wishes("live")) == "S160"


def test_the_ledger_can_be_in_a_database_of_its_own(source, tmp_path):
    ledgers = postgresql.Database()
    try:
        ledgers.run(f"GRANT CREATE ON DATABASE {ledgers.name} TO {postgresql.READER}")
        policy, path = protect(source, wishes("live", ledger=ledgers.url))
        assert path.name == "visits.lapwing.toml"
        assert not (tmp_path / "visits.lapwing.ledger").exists()
        with lapwing.open(path) as session:
            session.sql(COUNT, epsilon=1)
        assert Ledger.open(policy.ledger).verify().entries == 4
        again = tmp_path / "again"
        again.mkdir()
        assert code(protect, source, wishes("live", ledger=ledgers.url), again) == "L102"  # one budget for one table
    finally:
        ledgers.drop()


def test_what_fails_after_the_charge_says_so(source):
    protect(source, wishes("fixed", timeout=1))
    with lapwing.open(source) as session:
        session.engine._connection._statements.close()  # the line for statements breaks after the check
        session.engine._connection.revive = lambda: None
        with pytest.raises(LapwingError) as failed:
            session.sql(COUNT, epsilon="0.1")
        assert failed.value.code == "E106"
        assert "charged" in str(failed.value)
        assert session.ledger.accounts()[0].charges == 1


def test_words_without_a_meaning_here_are_refused_before_the_charge(source):
    protect(source, wishes("live"))
    with lapwing.open(source) as session:
        assert code(session.sql, "SELECT COUNT(*) AS n FROM visits WHERE cost % 2.5 > 1", epsilon="0.1") == "Q353"
        assert session.ledger.accounts()[0].charges == 0


def test_the_command_line_protects_runs_checks_and_tells(source):
    runner = CliRunner()
    shown = runner.invoke(
        main, ["protect", source, "--unit", "person", "--epsilon", "1", "--live", "--keys", "city=rome,oslo"]
    )
    assert shown.exit_code == 0, shown.output
    query = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
    assert runner.invoke(main, ["run", source, query, "--epsilon", "0.5", "--output", "answer.json"]).exit_code == 0
    checked = runner.invoke(main, ["check", "answer.json", "--source", source])
    assert checked.exit_code == 0, checked.output
    told = runner.invoke(main, ["ledger", source, "--json"])
    assert json.loads(told.stdout)["accounts"][0]["spent"]["epsilon"] == "1/2"


def test_a_ledger_moves_into_a_database_and_back(source, tmp_path):
    ledgers = postgresql.Database()
    runner = CliRunner()
    try:
        ledgers.run(f"GRANT CREATE ON DATABASE {ledgers.name} TO {postgresql.READER}")
        protect(source, wishes("live"))
        with lapwing.open(source) as session:
            session.sql(COUNT, epsilon=1)
        for place in (ledgers.url, "file"):
            moved = runner.invoke(main, ["ledger", source, "--copy", place, "--json"])
            assert moved.exit_code == 0, moved.output
            assert json.loads(moved.stdout)["accounts"][0]["spent"]["epsilon"] == "1"
            assert runner.invoke(main, ["ledger", source, "--copy", place]).exit_code == 2  # it is there already
        with lapwing.open(source) as session:
            session.sql(COUNT, epsilon="0.5")
            assert session.remaining.epsilon == Fraction(1, 2)
        closed = Ledger.open(tmp_path / "visits.lapwing.ledger.closed-1")
        charged = {"query": "q", "snapshot": "s", "text": "t"}
        assert code(closed.charge, "analyst", PureDP(Fraction(1, 8)), **charged) == "L121"
    finally:
        ledgers.drop()

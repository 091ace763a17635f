"""A table on a Spark cluster from protecting to checking, fixed and live; and what is refused there costs nothing."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import lapwing
from lapwing.cli import main
from lapwing.errors import LapwingError
from lapwing.session.protecting import protect, renew
from tests.contracts import spark
from tests.session.test_databases import COUNT, VISITS, code, wishes

CITIES = pa.table({"city": ["rome", "oslo"], "country": ["it", "no"]})


@pytest.fixture
def source(tmp_path, monkeypatch):
    """The address of a fresh folder, in a working folder of its own."""
    spark.server()
    spark.write(tmp_path, visits=VISITS, cities=CITIES)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return spark.address(tmp_path / "visits")


def test_a_fixed_table_is_answered_repeated_and_refused_when_it_changed(source, tmp_path):
    cities = spark.address(tmp_path / "cities")
    policy, _ = protect(source, wishes("fixed", public=[cities]))
    assert policy.table("cities").column("country").keys == ("it", "no")
    with lapwing.open(source) as session:
        first = session.sql(COUNT, epsilon=1)
        assert abs(first.to_arrow().to_pylist()[0]["n"] - 400) < 400
        assert session.sql(COUNT, epsilon=1).repeated
        joined = "SELECT country, COUNT(DISTINCT person) AS n FROM visits JOIN cities USING (city) GROUP BY country"
        assert [row["country"] for row in session.sql(joined, epsilon="0.1").to_arrow().to_pylist()] == ["it", "no"]
        parts = session.partition("city")
        parts["rome"].sql(COUNT, epsilon="0.01")
        (tmp_path / "visits" / "part2.parquet").unlink()
        before = session.ledger.head()
        assert code(session.sql, COUNT, epsilon=1) == "S134"
        assert session.ledger.head() == before  # nothing was charged
    renew(source)
    with lapwing.open(source) as session:
        assert not session.sql(COUNT, epsilon="0.5").repeated


def test_a_live_table_is_answered_as_it_is_and_never_split(source, tmp_path):
    protect(source, wishes("live"))
    with lapwing.open(source) as session:
        assert any("as of" in note for note in session.sql(COUNT, epsilon="0.1").notes)
        others = VISITS.set_column(0, "person", pa.array([100 + i % 50 for i in range(400)], pa.int64()))
        pq.write_table(others, tmp_path / "visits" / "part3.parquet")
        second = session.sql(COUNT, epsilon="0.5")
        assert not second.repeated
        assert second.to_arrow().to_pylist()[0]["n"] > 500
        assert code(session.partition, "city") == "S164"
        assert session.ledger.accounts()[0].charges == 2


def test_on_the_command_line_an_answer_passes_its_check(source):
    def run(*words):
        return CliRunner().invoke(main, list(words))

    protected = run("protect", source, "--unit", "person", "--rows-per-unit", "8", "--epsilon", "2", "--fixed")
    assert protected.exit_code == 0, protected.output
    assert run("quote", "visits.lapwing.toml", COUNT, "--epsilon", "1").exit_code == 0
    asked = run("run", source, COUNT, "--epsilon", "1", "--output", "answer.json")
    assert asked.exit_code == 0, asked.output
    for place in (source, "visits.lapwing.toml"):
        assert run("check", "answer.json", "--source", place).exit_code == 0
    answer = json.loads(Path("answer.json").read_text())
    assert "`" not in json.dumps(answer["certificate"])  # what is proved is the plan, whatever the engine


def test_what_is_refused_leaves_nothing_behind(source, tmp_path):
    for bad in (source.replace("visits", "nothing"), "spark://localhost:1/a.b.c", "spark://ana:hunter2@host/a.b.c"):
        with pytest.raises(LapwingError) as refused:
            protect(bad, wishes("fixed"))
        assert refused.value.code in ("E103", "E127", "S161")
        assert "hunter2" not in str(refused.value)
        assert "\n" not in str(refused.value)
    assert code(protect, source, wishes(None)) == "S163"
    assert code(protect, source, wishes("fixed", ledger=source)) == "S160"
    assert (
        code(protect, source, wishes("fixed", public=[spark.address(tmp_path / "visits" / "part1.parquet")])) == "E112"
    )
    assert list((tmp_path / "here").iterdir()) == []

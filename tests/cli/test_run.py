"""``lapwing run``: the JSON contract, what people see, and what bad input gets (and does not cost)."""

import json
import sqlite3
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.engines import DuckDB
from lapwing.errors import LapwingError
from lapwing.ledger import Ledger
from tests.cli.invoke import lapwing, objects
from tests.cli.tables import BY_REGION, COUNT, ROWS, charges, people, protected, refused, unprotected

KEYS = {"columns", "rows", "margins", "spent", "remaining", "receipt", "certificate"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A table that no test changes, and none can spend from: each says what is refused, or repeats one question."""
    return protected(tmp_path_factory.mktemp("asked"))


def test_json_is_the_contract(tmp_path):
    path = protected(tmp_path)
    run = lapwing("run", path, BY_REGION, "--epsilon", "0.4", "--json")
    [found] = objects(run)
    assert set(found) >= KEYS
    assert found["columns"] == ["region", "n", "age"]
    assert [row["region"] for row in found["rows"]] == ["north", "south", "west"]
    for row, margins in zip(found["rows"], found["margins"], strict=True):
        assert set(row) == set(margins) == set(found["columns"])
        assert margins["region"] is None
        assert margins["n"] > 0
    assert found["spent"] == 0.4
    assert found["remaining"] == 9.6
    [charge] = charges(path)
    assert found["receipt"]["hash"] == charge.hash
    assert "± noise 95%" in run.stderr  # people's table goes to standard error
    written = tmp_path / "release.json"
    written.write_text(run.stdout)
    assert lapwing("check", written).exit_code == 0


def test_people_get_a_table_on_standard_output(tmp_path):
    path = protected(tmp_path)
    run = lapwing("run", path, BY_REGION, "--epsilon", "0.4")
    assert run.exit_code == 0
    assert run.stderr == ""
    assert "west" in run.stdout
    assert "spent ε 0.4; ε 9.6 left" in run.stdout
    again = lapwing("run", path, BY_REGION, "--epsilon", "0.4")
    assert "already paid for; ε 9.6 left" in again.stdout


def test_a_query_from_a_file_and_a_release_to_one(tmp_path):
    path = protected(tmp_path)
    (tmp_path / "query.sql").write_text(f"-- how many\n{COUNT};\n")
    out = tmp_path / "release.json"
    run = lapwing("run", path, f"@{tmp_path / 'query.sql'}", "--epsilon", "5", "--output", out)
    assert run.exit_code == 0, run.stderr
    assert abs(json.loads(out.read_text())["rows"][0]["n"] - ROWS) < 20
    assert lapwing("check", out).exit_code == 0


def test_the_confidence_is_the_one_asked_for_and_is_not_rounded_up_to_certainty(tmp_path):
    path = protected(tmp_path)
    shown = lapwing("run", path, COUNT, "--epsilon", 1, "--confidence", "0.999")
    assert "± noise 99.9%" in shown.stdout
    margins = [
        objects(lapwing("run", path, COUNT, "--epsilon", 1, "--confidence", level, "--json"))[0]["margins"][0]["n"]
        for level in ("0.5", "0.999")
    ]
    assert margins[0] < margins[1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "Q101"),
        ("SELECT '", "Q101"),
        ("\x00", "Q101"),
        ("DROP TABLE people", "Q102"),
        ("[bold]SELECT[/]", "Q102"),
        ("SELECT SUM(person) FROM people", "Q104"),
        ("SELECT COUNT(*) FROM persons", "Q110"),
        ("SELECT AVG(wages) FROM people", "Q114"),
        ("@/nowhere/query.sql", "F020"),
    ],
)
def test_bad_queries_are_refused(asked, text, code):
    assert refused(lapwing("run", asked, text, "--epsilon", 1, "--json"), code)
    assert charges(asked) == []


def test_the_place_is_underlined(asked):
    run = lapwing("run", asked, "SELECT COUNT(*),\n  AVG(wages)\nFROM people", "--epsilon", 1)
    assert refused(run, "Q114")
    _, line, carets = run.stderr.splitlines()
    assert line[carets.index("^") : carets.rindex("^") + 1] == "wages"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], "S130"),
        (["--epsilon", "1", "--rho", "1"], "S130"),
        (["--epsilon", ""], "A001"),
        (["--epsilon", "x"], "A001"),
        (["--epsilon", "nan"], "A001"),
        (["--epsilon", "inf"], "A001"),
        (["--epsilon", "1/0"], "A001"),
        (["--epsilon", "1e1000000000"], "A001"),
        (["--epsilon", "-1"], "A107"),
        (["--epsilon", "0"], "S131"),
        (["--epsilon", "1e-400"], "A001"),
        (["--epsilon", "11"], "L113"),
        (["--epsilon", "1e400"], "A001"),
        (["--rho", "0.1"], "L112"),
        (["--epsilon", "1", "--confidence", "0"], "S137"),
        (["--epsilon", "1", "--confidence", "1"], "S137"),
        (["--epsilon", "1", "--confidence", "95"], "A105"),
        (["--epsilon", "1", "--confidence", "x"], "A001"),
        (["--epsilon", "1", "--delta", "x"], "A001"),
        (["--epsilon", "1", "--delta", "2"], "A105"),
        (["--epsilon", "1", "--analyst", "eve"], "S122"),
        (["--epsilon", "1", "--output", "/nowhere/release.json"], "F003"),
    ],
)
def test_bad_prices_and_options_are_refused(asked, options, code):
    assert refused(lapwing("run", asked, COUNT, *options), code)
    assert charges(asked) == []


def test_a_table_without_a_policy_is_refused(tmp_path):
    assert refused(lapwing("run", unprotected(tmp_path), COUNT, "--epsilon", 1), "S121")
    assert refused(lapwing("run", tmp_path / "no\nwhere.parquet", COUNT, "--epsilon", 1), "S121")


def missing_ledger(path):
    path.unlink()


def another_file(path):
    path.write_bytes(b"not a ledger" * 500)


def empty_file(path):
    path.write_bytes(b"")


def cut_off(path):
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("damage", "code"), [(missing_ledger, "L101"), (another_file, "L103"), (empty_file, "L103"), (cut_off, "L105")]
)
def test_without_a_sound_ledger_nothing_is_answered(tmp_path, damage, code):
    path = protected(tmp_path)
    damage(tmp_path / "people.lapwing.ledger")
    for command in (("run", path, COUNT, "--epsilon", 1), ("quote", path, COUNT), ("explain", path, COUNT)):
        assert refused(lapwing(*command), code)
    assert (tmp_path / "people.lapwing.ledger").exists() == (damage is not missing_ledger)


def test_a_locked_ledger_is_said_to_be_locked(tmp_path, monkeypatch):
    path = protected(tmp_path)
    patient = Ledger.open
    monkeypatch.setattr(Ledger, "open", staticmethod(lambda at: patient(at, patience=0.1)))
    db = sqlite3.connect(tmp_path / "people.lapwing.ledger", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    try:
        assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "L104")
    finally:
        db.execute("ROLLBACK")
        db.close()
    assert lapwing("run", path, COUNT, "--epsilon", 1).exit_code == 0


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda _: "not a policy", "S102"),
        (lambda _: "", "S104"),
        (lambda text: "secret = 1\n" + text, "S103"),
        (lambda text: text.replace('"added"', '"none"'), "S118"),
        (lambda text: text.replace('epsilon = "10"', 'epsilon = "100"'), "L120"),
        (lambda text: text.replace('"added"', '"replaced"'), "L119"),
    ],
)
def test_a_policy_that_cannot_be_read_or_was_edited_is_refused(tmp_path, change, code):
    path = protected(tmp_path)
    policy = tmp_path / "people.lapwing.toml"
    policy.write_text(change(policy.read_text()))
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), code)
    assert charges(path) == []


def test_changed_data_is_refused_before_anything_is_charged(tmp_path):
    path = protected(tmp_path)
    unprotected(tmp_path, people().slice(1))
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "S134")
    unprotected(tmp_path, people().drop_columns(["age"]))
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "E104")
    path.unlink()
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "E101")
    assert charges(path) == []


def test_analysts_spend_their_own_share(tmp_path):
    path = protected(tmp_path, "--analyst", "ana=1", "--analyst", "bo")
    assert refused(lapwing("run", path, COUNT, "--epsilon", 1), "S122")
    assert refused(lapwing("run", path, COUNT, "--epsilon", 2, "--analyst", "ana"), "L113")
    assert lapwing("run", path, COUNT, "--epsilon", 2, "--analyst", "bo").exit_code == 0


def test_the_budget_is_spent_to_its_last_tenth_and_no_further(tmp_path):
    path = protected(tmp_path)
    for i in range(3):
        text = f"SELECT COUNT(*) FROM people WHERE age > {i}"
        assert lapwing("run", path, text, "--epsilon", "3.3").exit_code == 0
    assert refused(lapwing("run", path, COUNT, "--epsilon", "0.1000000001"), "L113")
    assert lapwing("run", path, COUNT, "--epsilon", "0.1").exit_code == 0
    assert sum(Fraction(charge.price.removeprefix("epsilon ")) for charge in charges(path)) == 10


def test_an_engine_that_fails_after_the_charge_says_so(tmp_path, monkeypatch):
    def failing(*_):
        raise LapwingError("E106", "the engine could not finish", "Try again")

    path = protected(tmp_path)
    monkeypatch.setattr(DuckDB, "fetch", failing)
    run = lapwing("run", path, COUNT, "--epsilon", 1)
    assert refused(run, "E106")
    assert "the price was charged" in run.stderr
    assert len(charges(path)) == 1


def test_an_answer_that_cannot_be_written_is_still_shown(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = protected(tmp_path)
    monkeypatch.setattr("lapwing.cli.run.write_whole", full)
    run = lapwing("run", path, COUNT, "--epsilon", 1, "--output", tmp_path / "release.json")
    assert run.exit_code == 2
    assert "spent ε 1" in run.stdout
    assert "F003" in run.stderr
    assert "the price was charged" in run.stderr


def test_a_rehearsal_is_free_and_small_groups_are_refused_before_the_charge(tmp_path):
    """``--rehearse`` asks made-up rows; ``--rows`` says that groups are too small to be shown."""
    source = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"p": list(range(200)), "g": ["a", "b"] * 100}), source)
    assert lapwing("protect", source, "--unit", "p", "--epsilon", "4", "--delta", "1e-5").exit_code == 0
    text = "SELECT g, COUNT(*) AS n FROM t GROUP BY g"
    tried = lapwing("run", source, text, "--epsilon", "1", "--rehearse")
    assert tried.exit_code == 0
    assert "nothing was charged" in tried.stdout
    assert "would cost ε 1" in tried.stdout
    assert "spent" not in tried.stdout
    refused = lapwing("run", source, text, "--epsilon", "1", "--rows", "5")
    assert refused.exit_code == 2
    assert "S153" in refused.stderr
    found = lapwing("run", source, text, "--epsilon", "1", "--rows", "5", "--anyway")
    assert found.exit_code == 0
    assert "people to be shown" in found.stderr
    assert "ε 3" in found.stdout  # the two before cost nothing

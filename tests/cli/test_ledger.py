"""``lapwing ledger``: who spent what, what is left, and whether the record is whole."""

import sqlite3

import pytest

from tests.cli.invoke import lapwing, objects
from tests.cli.tables import BY_REGION, COUNT, protected, refused, unprotected


@pytest.fixture
def spent(tmp_path):
    path = protected(tmp_path, "--analyst", "ana=4", "--analyst", "bo")
    for analyst, text, epsilon in (("ana", COUNT, "1/3"), ("bo", BY_REGION, "2"), ("ana", COUNT, "1")):
        assert lapwing("run", path, text, "--epsilon", epsilon, "--analyst", analyst).exit_code == 0
    return path


def test_json_tells_accounts_charges_and_the_chain(spent):
    run = lapwing("ledger", spent, "--json")
    [found] = objects(run)
    assert found["intact"]
    accounts = {account["analyst"]: account for account in found["accounts"]}
    assert set(accounts) == {None, "ana", "bo"}
    assert accounts[None]["spent"]["epsilon"] == "10/3"
    assert accounts[None]["left"]["epsilon"] == "20/3"
    assert accounts["ana"]["budget"]["epsilon"] == "4"
    assert (accounts["ana"]["spent"]["epsilon"], accounts["ana"]["left"]["epsilon"]) == ("4/3", "8/3")
    assert [charge["price"] for charge in found["charges"]] == ["epsilon 1/3", "epsilon 2", "epsilon 1"]
    assert [charge["analyst"] for charge in found["charges"]] == ["ana", "bo", "ana"]
    assert found["charges"][1]["query"] == BY_REGION
    assert "intact" in run.stderr


def test_people_get_tables(spent):
    run = lapwing("ledger", spent, "--entries", 1)
    assert run.exit_code == 0
    assert run.stderr == ""
    assert run.stdout.count("SELECT") == 1
    assert "the record of" in run.stdout
    assert lapwing("ledger", spent, "--entries", 0).stdout.count("SELECT") == 0


def tampered(path, statement):
    with sqlite3.connect(path.with_name("people.lapwing.ledger")) as db:
        for trigger in ("no_update", "no_delete"):
            db.execute(f"DROP TRIGGER {trigger}")
        changed = db.execute(statement).rowcount
    db.close()
    assert changed


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET price = 'epsilon 1/1000' WHERE sequence = 3",
        "UPDATE entries SET analyst = 'bo' WHERE sequence = 3",
        "DELETE FROM entries WHERE sequence = 3",
        "DELETE FROM entries WHERE sequence = (SELECT max(sequence) FROM entries)",
        "UPDATE entries SET price = 'x' WHERE sequence = (SELECT max(sequence) FROM entries WHERE kind = 'charge')",
        "UPDATE head SET hash = 'x'",
        "UPDATE releases SET body = '{}'",
        "UPDATE secret SET key = x'00'",
    ],
)
def test_an_edited_history_is_a_verdict_not_an_error(spent, statement):
    tampered(spent, statement)
    run = lapwing("ledger", spent, "--json")
    [found] = objects(run)
    assert run.exit_code == 1
    assert not found["intact"]
    assert found["reason"]
    assert "the record was changed" in run.stderr


def test_without_a_ledger_there_is_nothing_to_tell(tmp_path):
    assert refused(lapwing("ledger", unprotected(tmp_path)), "L101")
    (tmp_path / "people.lapwing.ledger").write_bytes(b"x" * 5000)
    assert refused(lapwing("ledger", tmp_path / "people.parquet"), "L103")

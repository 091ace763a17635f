"""A paying question on its way: computed once before its turn, and anew where the table changed while it waited."""

import json
import shutil
from dataclasses import replace

from lapwing.engines.duckdb import DuckDB
from lapwing.errors import LapwingError
from lapwing.server.desks import Desk
from lapwing.session import asking
from tests.server.making import BY_REGION, serving
from tests.server.test_held_back import held_back, in_background


def test_what_reads_no_data_is_computed_once(own_house, monkeypatch):
    seen = []
    prepare = asking.prepare
    monkeypatch.setattr(asking, "prepare", lambda *given: seen.append(given[0]) or prepare(*given))
    for again in (False, True):
        seen.clear()
        found = own_house.run(own_house.bearer("ana"), BY_REGION, epsilon="1/10")
        assert (found.status_code, found.json()["repeated"]) == (200, again)
        assert seen == [BY_REGION]


def test_a_question_that_waited_while_the_policy_changed_goes_by_the_new_one(tmp_path):
    """Made ready under the old policy, it would be charged for, and clipped to, what no longer holds."""
    with held_back(tmp_path) as (house, gate, _):
        answered = in_background(lambda: house.run(house.bearer("bo"), BY_REGION, epsilon="1/10"))
        assert answered(1) is None  # it waits for its turn
        policy = tmp_path / "people.lapwing.toml"
        policy.write_text(policy.read_text().replace('high = "100"', 'high = "50"'))
        gate.open.set()
        found = answered().json()
    assert any("[0, 50]" in note for note in found["notes"]), found["notes"]
    assert "100" not in json.dumps(found["certificate"]["measurements"])


def test_a_question_that_waited_and_lost_its_share_is_refused(tmp_path):
    with held_back(tmp_path) as (house, gate, _):
        answered = in_background(lambda: house.run(house.bearer("bo")))
        assert answered(1) is None
        house.accounts.set_disabled("bo", True, "test")
        gate.open.set()
        found = answered()
        assert (found.status_code, found.json()["code"]) == (403, "D122")
        assert {entry.analyst for entry in house.charges()} == {"ana"}


def test_what_was_paid_for_while_it_waited_is_free(tmp_path):
    """Two of the same question at once: the second finds the answer of the first when its turn comes."""
    with serving(tmp_path, pace=0.3) as house:
        headers = house.bearer("ana")
        answered = [in_background(lambda: house.run(headers, epsilon="1/10")) for _ in range(3)]
        found = [each() for each in answered]
        assert sorted(each.json()["repeated"] for each in found) == [False, True, True]
        assert len(house.charges()) == 1


def test_a_question_that_waited_while_the_ledger_moved_is_charged_once(tmp_path, monkeypatch):
    """Whether it was charged is asked of the ledger that would be charged, not of the one when it was made ready."""
    elsewhere = tmp_path / "moved.lapwing.ledger"
    session, fetch = Desk.session, DuckDB.fetch

    def moved(desk, analyst, *, paying=False):
        found = session(desk, analyst, paying=paying)
        return replace(found, ledger=replace(found.ledger, path=elsewhere)) if elsewhere.exists() else found

    def fails(*_):
        raise LapwingError("E999", "the engine is gone", "Start it")

    monkeypatch.setattr(Desk, "session", moved)
    with held_back(tmp_path) as (house, gate, _):
        headers = house.bearer("bo")
        answered = in_background(lambda: house.run(headers, key="k"))
        assert answered(1) is None
        shutil.copy(tmp_path / "people.lapwing.ledger", elsewhere)
        monkeypatch.setattr(DuckDB, "fetch", fails)
        gate.open.set()
        assert answered().json()["code"] == "E999"
        monkeypatch.setattr(DuckDB, "fetch", fetch)
        assert house.run(headers, key="k").json()["code"] == "D127"
        assert len([each for each in house.charges("moved") if each.analyst == "bo"]) == 1

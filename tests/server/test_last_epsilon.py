"""Many at once, and what cannot be written: never over the budget, every answer charged once, or not at all."""

import json
import os
import shutil
import sqlite3
import threading
from types import SimpleNamespace

import pytest

from lapwing.algebra.measures import PureDP
from lapwing.errors import LapwingError
from lapwing.ledger import Ledger
from lapwing.server import desks, paid_questions
from lapwing.server.accounts import Accounts
from tests.server.browsing import Person
from tests.server.making import COUNT, serving, tight

# --- the last epsilon ----------------------------------------------------------------------------------------


def test_eight_clients_and_the_last_epsilon(tmp_path):
    """Eight clients and a budget of 40 questions: never over, every answer charged once."""
    turns = 200 if os.environ.get("LAPWING_THOROUGH") else 30
    with serving(tmp_path, pace=0.001, timeout=30, epsilon=1, shares=(("ana", 1), ("bo", 1)), rates=_open()) as house:
        answered, refused, lock = [], [], threading.Lock()

        def client(number):
            bearer = house.bearer("ana" if number % 2 else "bo")
            for turn in range(turns):
                sql = f"SELECT COUNT(*) AS n FROM people WHERE age < {number * turns + turn}"
                key = f"{number}-{turn}"
                response = house.run(bearer, sql, key=key, epsilon="1/40")
                with lock:
                    if response.status_code == 200:
                        answered.append(response.json()["receipt"]["sequence"])
                    else:
                        refused.append(response.json()["code"])

        threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answered) == len(set(answered)) == 40
        assert set(refused) == {"L113"}
        assert len(refused) == 8 * turns - 40
        assert sorted(answered) == sorted(entry.sequence for entry in house.charges())
        assert house.ledger().verify().intact
        assert house.ledger().remaining("ana").table.epsilon == 0


def test_many_with_one_key_are_one(tmp_path):
    with serving(tmp_path, pace=0.3) as house:
        bearer, found, lock = house.bearer("ana"), [], threading.Lock()

        def client():
            response = house.run(bearer, key="same", epsilon="1/2")
            with lock:
                found.append(response.json()["rows"])

        threads = [threading.Thread(target=client) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert all(rows == found[0] for rows in found)
        assert len(house.charges()) == 1


def test_a_queue_is_not_endless(tmp_path, monkeypatch):
    monkeypatch.setattr(paid_questions, "MOST_WAITING", 2)
    with serving(tmp_path, pace=0.4) as house:
        codes = []

        def client(number):
            sql = f"SELECT COUNT(*) AS n FROM people WHERE age < {number}"
            codes.append(house.run(house.bearer("ana"), sql, key=str(number), epsilon="1/10").status_code)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(codes) == {200, 429}
        assert len(house.charges()) == codes.count(200)


def test_a_charge_that_others_make_meanwhile_is_nobodys(own_house):
    """The ledger is shared with the command line: a charge there is not taken for one of the server's."""
    ledger = own_house.ledger()
    ledger.charge("ana", PureDP("1/10"), query="q", snapshot="s", text=COUNT)
    response = own_house.run(own_house.bearer("ana"), key="k", epsilon="1/10")
    assert response.status_code == 200
    assert json.loads(response.text)["repeated"] is False


def _open():
    return tight(questions=10**6, quotes=10**6)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("L104", "another process has held the ledger for 60 seconds"),
        ("L106", "the ledger cannot be written (disk full)"),
    ],
)
def test_a_ledger_that_cannot_be_charged_answers_nothing(own_house, monkeypatch, code, problem):
    def refuse(*_, **__):
        raise LapwingError(code, problem, "Try again: nothing was charged")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "charge", refuse)
        response = own_house.run(own_house.bearer("ana"), key="k")
        assert (response.status_code, response.json()["code"]) == (503, code)
        ana = Person(own_house, "ana")
        page = ana.post("/tables/people/ask", {"form": ana.form, "sql": COUNT, "pay": "1/10", "key": "p"})
        assert page.status_code == 503
        assert COUNT in page.text  # what was written is still there
    assert own_house.charges() == []
    assert own_house.run(own_house.bearer("ana"), key="k").status_code == 200  # the key was left free


def test_a_disk_that_is_almost_full_charges_nothing(own_house, monkeypatch):
    """A charge is small and an answer is not: on the last bytes of a disk one would be paid for and lost."""
    bearer = own_house.bearer("ana")
    assert own_house.run(bearer, epsilon="1/9").status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
        response = own_house.run(bearer, key="k")
        assert (response.status_code, response.json()["code"]) == (503, "D145")
        assert own_house.run(bearer, epsilon="1/9").json()["repeated"] is True  # what was kept is there
    assert len(own_house.charges()) == 1
    assert own_house.run(bearer, key="k").status_code == 200


def test_a_ledger_that_another_process_holds_holds_up_nobody_for_long(own_house, monkeypatch):
    """Prices, budgets and what comes before a charge give up soon, and others' tables are answered meanwhile."""
    for module in (desks, paid_questions):
        monkeypatch.setattr(module, "PATIENCE", 0.2)
    ana, bo = own_house.bearer("ana"), own_house.bearer("bo")
    assert own_house.run(ana).status_code == 200
    held = sqlite3.connect(own_house.folder / "people.lapwing.ledger", isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    at = "/api/tables/people"
    found = [
        own_house.client.post(f"{at}/quote", json={"sql": COUNT, "epsilon": 1}, headers=ana),
        own_house.client.get(f"{at}/budget", headers=ana),
        own_house.client.get(f"{at}/releases", headers=ana),
        own_house.run(ana, epsilon="1/7"),
    ]
    assert {(each.status_code, each.json()["code"]) for each in found} == {(503, "L104")}
    assert own_house.run(bo, "SELECT COUNT(*) AS n FROM other", "other").status_code == 200
    held.execute("ROLLBACK")
    assert own_house.run(ana, epsilon="1/7").status_code == 200
    assert len(own_house.charges()) == 2


def test_a_refusal_that_cannot_be_noted_is_said_all_the_same(own_house, monkeypatch):
    def refuse(*_):
        raise LapwingError("D103", "the file of accounts cannot be opened or written", "Make room on the disk")

    bearer = own_house.bearer("ana")
    monkeypatch.setattr(Accounts, "note", refuse)
    response = own_house.run(bearer, epsilon=100)
    assert (response.status_code, response.json()["code"]) == (409, "L113")


def test_accounts_that_cannot_be_written_charge_nothing(own_house, monkeypatch):
    """A key that cannot be written down could be charged twice: so it is not charged at all."""

    def refuse(*_):
        raise LapwingError("D103", "the file of accounts cannot be opened or written", "Make room on the disk")

    bearer = own_house.bearer("ana")
    monkeypatch.setattr(Accounts, "begin", refuse)
    response = own_house.run(bearer, key="k")
    assert (response.status_code, response.json()["code"]) == (503, "D103")
    assert own_house.charges() == []

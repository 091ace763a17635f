"""Prices are computed for nothing, and so within bounds: of the processor, of each account, and never in a turn."""

import asyncio
import threading
import time

import pytest

from lapwing import watching
from lapwing.errors import InvalidInput, LapwingError
from lapwing.library.certifying import Certified
from lapwing.server import free_computations
from lapwing.server.free_computations import Computing
from tests.server.browsing import Person
from tests.server.clocks import Virtual
from tests.server.making import BY_REGION, COUNT, serving

MEANS = ", ".join(f"AVG(age * {number}) AS a{number}" for number in range(1, 60))
WIDE = f"SELECT region, {MEANS} FROM people GROUP BY region"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server that computes for a twentieth of a second at most."""
    with serving(tmp_path_factory.mktemp("hasty"), computing=0.05) as house:
        yield house


def refused(response, code):
    assert (response.status_code, response.json()["code"]) == (400, code), response.text
    return True


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("quote", {"sql": WIDE, "within": 5}),
        ("plan", {"questions": [{"sql": WIDE, "within": 5 + n} for n in range(12)], "epsilon": 1}),
        ("plan/run", {"questions": [{"sql": WIDE, "within": 5}], "epsilon": 1}),
        ("run", {"sql": WIDE, "epsilon": 1}),
        ("explain", {"sql": WIDE}),
        ("rehearse", {"sql": WIDE, "epsilon": 1}),
    ],
)
def test_what_takes_too_long_to_price_is_refused(hasty, what, body):
    start = time.process_time()
    response = hasty.client.post(f"/api/tables/people/{what}", json=body, headers=hasty.bearer("ana"))
    assert refused(response, "D139")
    assert time.process_time() - start < 5  # all twelve would take most of a minute
    assert hasty.charges() == []


def test_the_pages_say_so_and_keep_what_was_written(hasty):
    ana = Person(hasty, "ana")
    page = ana.post("/tables/people/price", {"form": ana.form, "sql": WIDE, "within": "5"})
    assert page.status_code == 400
    assert "D139" in page.text
    assert "AVG(age * 59)" in page.text
    planned = {"form": ana.form, "statistic0": "mean", "column0": "age", "within0": "5", "by": "region"}
    assert ana.post("/tables/people/planner", planned).status_code in (200, 400)


def test_a_dry_run_that_does_not_end_takes_no_turn(tmp_path, monkeypatch):
    """Whatever public parameters make a mechanism do, it does before the turn, and not for long."""

    def endless(*_, **__):
        while True:
            watching.check()

    with serving(tmp_path, pace=0.01, computing=0.3) as house:
        bearer = house.bearer("ana")
        asked = {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": "1/10", "sensitivity": 1}}
        with monkeypatch.context() as patched:
            patched.setattr(Certified, "__call__", endless)
            assert refused(house.client.post("/api/tables/people/apply", json=asked, headers=bearer), "D139")
        assert house.charges() == []
        assert house.run(bearer, BY_REGION).status_code == 200


def test_a_mechanism_that_does_not_end_is_timed_out_and_charged(tmp_path, monkeypatch):
    plain, calls = Certified.__call__, []

    def endless_at_last(self, **words):
        calls.append(words)
        if len(calls) < 2:  # the dry run, before the turn
            return plain(self, **words)
        while True:
            schedule.pass_by(1.0)
            watching.check()

    schedule = Virtual(2.0, 10.0)
    with serving(tmp_path, schedule=schedule) as house:
        monkeypatch.setattr(Certified, "__call__", endless_at_last)
        asked = {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": "1/10", "sensitivity": 1}}
        response = house.client.post("/api/tables/people/apply", json=asked, headers=house.bearer("ana"))
        assert (response.status_code, response.json()["code"]) == (503, "D128")
        assert response.json()["problem"].endswith("the price was charged")
        assert len(house.charges()) == 1
        assert schedule.left == [10.0]


def test_a_long_run_of_a_mechanism_looks_at_the_clock():
    """The meter of a run asks, so that whoever watches can end it."""
    from lapwing.library import sparse_vector

    asked = []

    def watcher():
        asked.append(1)
        if len(asked) > 3:
            raise InvalidInput("X000", "enough", "Stop")

    with pytest.raises(LapwingError, match="X000"), watching.watched(watcher):
        sparse_vector(answers=[0] * 10_000, threshold=10**9, limit=1, sensitivity=1, epsilon=1)
    watching.check()  # nobody watches any more


def test_one_at_a_time_for_an_account_and_not_endlessly_many(monkeypatch):
    monkeypatch.setattr(free_computations, "MOST_WAITING", 3)
    found, most, here, lock = Computing(), [0], [0], threading.Lock()

    def work():
        with lock:
            here[0] += 1
            most[0] = max(most[0], here[0])
        time.sleep(0.02)
        with lock:
            here[0] -= 1
        return True

    async def many():
        return await asyncio.gather(*(found.of("ana", work) for _ in range(5)), return_exceptions=True)

    results = asyncio.run(many())
    assert most[0] == 1
    assert [each for each in results if each is True] == [True] * 3
    assert [each.code for each in results if each is not True] == ["D125"] * 2
    assert (found._waiting, found._turns) == ({}, {})


def test_accounts_do_not_wait_for_one_another():
    found, met = Computing(), threading.Barrier(2, timeout=20)

    async def both():
        return await asyncio.gather(*(found.of(name, lambda: met.wait() >= 0) for name in ("ana", "bo")))

    assert asyncio.run(both()) == [True, True]

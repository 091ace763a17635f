"""The schedule: answers leave at a few fixed moments, one question at a time, whatever the engine did meanwhile."""

import asyncio
import threading
import time

import pytest

from lapwing.engines import DuckDB
from lapwing.errors import InvalidInput, LapwingError
from lapwing.server.pacing import Schedule
from tests.server.clocks import Virtual, working
from tests.server.making import BY_REGION, COUNT, ROWS, serving


def test_moments():
    schedule = Schedule(2, 60)
    found = {ready: schedule.departure(ready) for ready in (0, 0.1, 2, 2.1, 7, 8.1, 31, 33, 60, 61)}
    assert found == {0: 2, 0.1: 2, 2: 2, 2.1: 4, 7: 8, 8.1: 16, 31: 32, 33: 60, 60: 60, 61: 64}


@pytest.mark.parametrize("given", [(0, 1), (-1, 1), (2, 1), (1, 4000), (float("nan"), 1)])
def test_schedules_that_are_none(given):
    with pytest.raises(InvalidInput, match="D133"):
        Schedule(*given)


def test_the_clock_is_the_machines_own():
    schedule = Schedule(0.05, 1)
    start = time.monotonic()
    asyncio.run(schedule.wait(schedule.now() + 0.05))
    assert time.monotonic() - start >= 0.05
    asyncio.run(schedule.wait(schedule.now() - 1))  # a moment that has gone by holds nobody up


def test_paid_answers_wait_and_free_ones_do_not(tmp_path):
    schedule = Virtual(3.0, 60.0)
    with serving(tmp_path, schedule=schedule) as house:
        bearer = house.bearer("ana")
        first, again, refused = house.run(bearer), house.run(bearer), house.run(bearer, epsilon=9)
    assert (first.json()["repeated"], again.json()["repeated"], refused.status_code) == (False, True, 409)
    assert schedule.left == [3.0]  # the first one alone


def test_when_it_leaves_does_not_follow_the_engine(tmp_path, monkeypatch):
    schedule = Virtual(2.0, 60.0)
    seconds = iter((0, 0.3, 1.9, 2.1, 3.9, 31, 33, 59))
    with serving(tmp_path, schedule=schedule, shares=(("ana", 10),)) as house:
        bearer = house.bearer("ana")
        working(monkeypatch, schedule, lambda _: next(seconds))
        for number in range(8):
            assert house.run(bearer, epsilon=f"1/{10 + number}").status_code == 200
    assert schedule.left == [2, 2, 2, 4, 4, 32, 60, 60]


def counted(tables):
    return sum(cell for table in tables for row in table.to_pylist() for cell in row.values() if isinstance(cell, int))


def test_neighbouring_tables_cannot_be_told_apart_by_the_clock(tmp_path, monkeypatch):
    """One person more makes the engine work longer; all answers leave at the same moments."""
    left = []
    for people in (ROWS, ROWS + 1):
        folder = tmp_path / str(people)
        folder.mkdir()
        schedule = Virtual(1.0, 60.0)
        with (
            serving(folder, schedule=schedule, rows=people, shares=(("ana", 10),)) as house,
            monkeypatch.context() as m,
        ):
            working(m, schedule, lambda found: 0.004 * counted(found) / 65536)  # up to 1.6 seconds
            bearer = house.bearer("ana")
            for number in range(0, 200, 4):
                sql = f"SELECT COUNT(*) AS n FROM people WHERE age <= {number % 100}"
                assert house.run(bearer, sql, epsilon=f"1/{100 + number}").status_code == 200
        left.append(schedule.left)
    assert left[0] == left[1]
    assert set(left[0]) == {1.0, 2.0}


def test_a_time_out_is_charged_said_and_on_time(tmp_path, monkeypatch):
    schedule = Virtual(2.0, 10.0)
    with serving(tmp_path, schedule=schedule) as house:
        bearer = house.bearer("ana")
        working(monkeypatch, schedule, lambda _: 1000)
        response = house.run(bearer, key="k", epsilon=0.5)
        assert response.status_code == 503
        assert response.json()["code"] == "D128"
        assert response.json()["problem"].endswith("the price was charged")
        assert schedule.left == [10.0]
        assert len(house.charges()) == 1
        again = house.run(bearer, key="k", epsilon=0.5)  # the key is not charged a second time
        assert again.json()["code"] == "D127"
        assert len(house.charges()) == 1


@pytest.mark.parametrize(("worked", "moment"), [(0, 10), (3, 10), (10, 10), (10.5, 16), (15.9, 16), (16.1, 32)])
@pytest.mark.parametrize("ours", [True, False])
def test_every_error_after_the_charge_leaves_on_the_schedule(tmp_path, monkeypatch, worked, moment, ours):
    """At the time-out; past it, at the next moment of the schedule: it must not tell what the engine did."""
    schedule = Virtual(2.0, 10.0)

    def fetch(*_):
        schedule.pass_by(worked)
        raise LapwingError("E106", "the engine could not finish", "Try again") if ours else KeyError("cell")

    with serving(tmp_path, schedule=schedule) as house:
        monkeypatch.setattr(DuckDB, "fetch", fetch)
        response = house.run(house.bearer("ana"))
        assert response.status_code == (503 if ours else 500)
        assert "cell" not in response.text
        assert len(house.charges()) == 1
    assert schedule.left == [moment]


def test_one_question_at_a_time(tmp_path):
    """The second waits for the moment at which the first leaves, however soon the engine was done with it."""
    with serving(tmp_path, pace=0.5) as house:
        bearer = house.bearer("ana")
        house.client.get("/api/tables/people/budget", headers=bearer)
        queries = [COUNT, BY_REGION, "SELECT AVG(age) AS a FROM people"]
        threads = [threading.Thread(target=house.run, args=(bearer, query)) for query in queries]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - start >= 1.5  # three turns, one after the other
        assert len(house.charges()) == 3

"""The schedule: answers leave at a few fixed moments, one question at a time, whatever the engine did meanwhile."""

import os
import threading
import time
from dataclasses import dataclass, field

import pytest

from lapwing.engines import DuckDB
from lapwing.errors import InvalidInput, LapwingError
from lapwing.server.pacing import Schedule
from tests.server.making import BY_REGION, COUNT, ROWS, serving


def test_moments():
    schedule = Schedule(2, 60)
    found = {ready: schedule.departure(ready) for ready in (0, 0.1, 2, 2.1, 7, 8.1, 31, 33, 60, 61)}
    assert found == {0: 2, 0.1: 2, 2: 2, 2.1: 4, 7: 8, 8.1: 16, 31: 32, 33: 60, 60: 60, 61: 64}


@pytest.mark.parametrize("given", [(0, 1), (-1, 1), (2, 1), (1, 4000), (float("nan"), 1)])
def test_schedules_that_are_none(given):
    with pytest.raises(InvalidInput, match="D133"):
        Schedule(*given)


def timed(work):
    start = time.monotonic()
    result = work()
    return time.monotonic() - start, result


def slow_engine(monkeypatch, seconds):
    """An engine that works for so long; it depends on the data in life, and on the test here."""
    plain = DuckDB.fetch

    def fetch(self, receipt, statements, progress=None):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.01)
            if progress is not None:
                progress(0.5)
        return plain(self, receipt, statements, progress)

    monkeypatch.setattr(DuckDB, "fetch", fetch)


@dataclass(frozen=True, slots=True)
class Noting(Schedule):
    """A schedule that notes the moments at which it let answers go: a busy machine may add to what a clock shows."""

    moments: list = field(default_factory=list)

    def departure(self, ready):
        self.moments.append(Schedule.departure(self, ready))
        return self.moments[-1]


def test_paid_answers_wait_and_free_ones_do_not(tmp_path):
    with serving(tmp_path, pace=3) as house:
        bearer = house.bearer("ana")
        house.client.get("/api/tables/people/budget", headers=bearer)  # opens the table
        paid, first = timed(lambda: house.run(bearer))
        free, again = timed(lambda: house.run(bearer))
        refusal, refused = timed(lambda: house.run(bearer, epsilon=9))
    assert paid >= 3
    assert max(free, refusal) < 2.5
    assert (first.json()["repeated"], again.json()["repeated"], refused.status_code) == (False, True, 409)


def test_when_it_leaves_does_not_follow_the_engine(tmp_path, monkeypatch):
    schedule = Noting(2.0, 60.0)
    with serving(tmp_path, schedule=schedule) as house:
        bearer = house.bearer("ana")
        for number, seconds in enumerate((0, 0.3, 0.6)):
            slow_engine(monkeypatch, seconds)
            taken, response = timed(lambda number=number: house.run(bearer, epsilon=f"1/{10 + number}"))
            assert response.status_code == 200
            assert taken >= 2
    assert schedule.moments == [2.0] * 3


def test_neighbouring_tables_cannot_be_told_apart_by_the_clock(tmp_path):
    """One person more makes the engine work longer; the answers leave at the same moments."""
    questions = 200 if os.environ.get("LAPWING_THOROUGH") else 4
    moments = []
    for people in (ROWS, ROWS + 1):
        folder = tmp_path / str(people)
        folder.mkdir()
        schedule = Noting(1.0, 60.0)
        with serving(folder, schedule=schedule, rows=people, epsilon=10, shares=(("ana", 10),)) as house:
            bearer = house.bearer("ana")
            house.client.get("/api/tables/people/budget", headers=bearer)  # opens the table, which takes its time once
            for number in range(questions):
                sql = f"SELECT COUNT(*) AS n, AVG(age) AS a FROM people WHERE age >= {number % 100}"
                assert house.run(bearer, sql, epsilon=f"1/{100 + number}").status_code == 200
        moments.append(schedule.moments)
    assert moments[0] == moments[1] == [1.0] * questions


def test_a_time_out_is_charged_said_and_on_time(tmp_path, monkeypatch):
    with serving(tmp_path, pace=0.2, timeout=0.8) as house:
        bearer = house.bearer("ana")
        house.client.get("/api/tables/people/budget", headers=bearer)
        slow_engine(monkeypatch, 30)
        taken, response = timed(lambda: house.run(bearer, key="k", epsilon=0.5))
        assert response.status_code == 503
        assert response.json()["code"] == "D128"
        assert response.json()["problem"].endswith("the price was charged")
        assert taken >= 0.8
        assert len(house.charges()) == 1
        again = house.run(bearer, key="k", epsilon=0.5)  # the key is not charged a second time
        assert again.json()["code"] == "D127"
        assert len(house.charges()) == 1


def test_an_engine_that_fails_says_nothing_and_leaves_at_the_time_out(tmp_path, monkeypatch):
    def fetch(*_):
        raise LapwingError("E106", "the engine could not finish", "Try again")

    with serving(tmp_path, pace=0.1, timeout=0.5) as house:
        bearer = house.bearer("ana")
        monkeypatch.setattr(DuckDB, "fetch", fetch)
        taken, response = timed(lambda: house.run(bearer))
        assert response.status_code == 503
        assert response.json()["code"] == "E106"
        assert taken >= 0.5


def test_one_question_at_a_time(tmp_path):
    """The second waits for the moment at which the first leaves, however soon the engine was done with it."""
    with serving(tmp_path, pace=0.5) as house:
        bearer = house.bearer("ana")
        house.client.get("/api/tables/people/budget", headers=bearer)
        times = []
        queries = [COUNT, BY_REGION, "SELECT AVG(age) AS a FROM people"]
        threads = [
            threading.Thread(target=lambda q=q: times.append(timed(lambda: house.run(bearer, q))[0])) for q in queries
        ]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - start >= 1.5  # three turns, one after the other
        assert min(times) >= 0.5
        assert len(house.charges()) == 3

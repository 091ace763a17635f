"""An answer that is ready and has not left is nowhere else, either: to poll for it would be to time the engine."""

import asyncio
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from lapwing.server.accounts.questions import Begun
from lapwing.server.pacing import Schedule
from lapwing.server.payment_requests import answer_purchase
from lapwing.server.purchases import digest
from tests.server.browsing import Person
from tests.server.making import COUNT, serving


@dataclass(frozen=True, slots=True)
class Gate(Schedule):
    """A schedule whose moments come when a test says so."""

    ready: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)

    async def wait(self, until):  # noqa: ARG002  # as a schedule's
        self.ready.set()
        while not self.open.is_set():
            await asyncio.sleep(0.01)


@contextmanager
def held_back(folder, key=None):
    """A house where ana's answer is ready and has not left, and the number of its charge."""
    gate = Gate()
    with serving(folder, schedule=gate) as house:
        asked = in_background(lambda: house.run(house.bearer("ana"), key=key))
        assert gate.ready.wait(30)
        try:
            yield house, gate, house.charges()[-1].sequence
        finally:
            gate.open.set()  # or nobody could leave the house
        assert asked().json()["repeated"] is False


def in_background(work):
    """Begins, and gives a way to wait for the end; None if it has not come within the seconds given."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()

    def result(seconds=30):
        thread.join(seconds)
        return found[0] if found else None

    return result


def test_it_is_at_no_address(tmp_path):
    with held_back(tmp_path) as (house, gate, charge):
        bearer, ana = house.bearer("ana"), Person(house, "ana")
        at = f"/tables/people/releases/{charge}"

        def looks():
            found = [
                house.client.get(f"/api{at}{end}", headers=bearer) for end in ("", "/csv", "/json", "/certificate")
            ]
            found.append(house.client.post(f"/api{at}/check", headers=bearer))
            found += [ana.get(at), ana.get(f"{at}/csv"), ana.post(f"{at}/check", {"form": ana.form})]
            return {each.status_code for each in found}

        assert looks() == {404}
        gate.open.set()
        house.run(bearer)  # waits for its turn, so the first has left
        assert looks() == {200}


@pytest.mark.parametrize("key", [None, "another"])
def test_asking_again_waits_for_it_and_is_free(tmp_path, key):
    with held_back(tmp_path) as (house, gate, _):
        again = in_background(lambda: house.run(house.bearer("ana"), key=key))
        assert again(0.5) is None
        gate.open.set()
        assert again().json()["repeated"] is True
        assert len(house.charges()) == 1


def test_a_key_left_over_waits_for_it(tmp_path):
    """A key that a killed server left behind finds a charge of its words only once the answer to that has left."""
    with held_back(tmp_path) as (house, gate, charge):
        asked = answer_purchase({"sql": COUNT, "epsilon": Decimal("0.1")})
        house.accounts.begin("ana", "left over", Begun(digest(asked, "people"), "people", charge - 1, None))
        again = in_background(lambda: house.run(house.bearer("ana"), key="left over"))
        assert again(0.5) is None
        gate.open.set()
        assert again().json()["repeated"] is True
        assert len(house.charges()) == 1


def test_older_answers_and_those_of_other_tables_are_there(tmp_path):
    with serving(tmp_path) as house:
        old = house.run(house.bearer("ana"), epsilon="1/100").json()["receipt"]["sequence"]
    with held_back(tmp_path) as (house, _, charge):
        assert charge > old
        at = f"/api/tables/people/releases/{old}"
        assert house.client.get(at, headers=house.bearer("ana")).status_code == 200
        assert house.run(house.bearer("ana"), epsilon="1/100").json()["repeated"] is True


def test_a_person_who_is_told_of_the_charge_is_told_nothing_more(tmp_path):
    """The charge is made before the look, so it is listed at once, and looks the same when the answer is ready."""
    with held_back(tmp_path) as (house, _, charge):
        listed = house.client.get("/api/tables/people/releases", headers=house.bearer("ana")).json()["releases"]
        assert [(each["sequence"], each["query"]) for each in listed] == [(charge, COUNT)]


def test_who_is_disabled_while_waiting_is_not_answered(tmp_path):
    with held_back(tmp_path) as (house, gate, _):
        bearer = house.bearer("ana")
        waiting = in_background(lambda: house.run(bearer, epsilon="1/7", key="waits"))
        assert waiting(0.5) is None
        house.accounts.set_disabled("ana", True, "test")
        gate.open.set()
        refused = waiting()
        assert (refused.status_code, refused.json()["code"]) == (403, "D122")
        assert len(house.charges()) == 1

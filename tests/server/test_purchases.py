"""Plans, advice and mechanisms at the door: priced for nothing, charged once, refused without a charge."""

import inspect
import json

import pytest

import lapwing
from lapwing.client import RemoteSession
from lapwing.engines import DuckDB
from lapwing.server.accounts.questions import Begun
from lapwing.server.payment_requests import advice_purchase, answer_purchase, mechanism_purchase, plan_purchase
from lapwing.server.purchases import digest
from lapwing.session import Session
from tests.cli.invoke import lapwing as command
from tests.cli.invoke import objects
from tests.server.making import BY_REGION, COUNT, serving

OLDER = "SELECT COUNT(*) AS n FROM people WHERE age > 50"
PLAN = {"questions": [{"name": "all", "sql": COUNT, "within": 12}, {"name": "older", "sql": OLDER, "within": 30}]}
MAXIMUM = {"mechanism": "noisy_max", "queries": [COUNT, OLDER], "public": {"epsilon": "1/4", "sensitivity": 1}}
#: What can be paid for: its address, its body, and how it is read.
PAID = {
    "run": ({"sql": COUNT, "epsilon": "1/4"}, answer_purchase),
    "plan/run": (PLAN, plan_purchase),
    "advise": ({"epsilon": "1/4"}, advice_purchase),
    "apply": (MAXIMUM, mechanism_purchase),
}


def ask(house, address, body, who="ana", key=None):
    more = {} if key is None else {"Idempotency-Key": key}
    headers = {**house.bearer(who), **more}
    return house.client.post(f"/api/tables/people/{address}", json=body, headers=headers)


def test_a_plan_is_that_of_the_command_line_and_free(house, tmp_path):
    file = tmp_path / "wishes.toml"
    lines = [
        "[[question]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in each.items()) for each in PLAN["questions"]
    ]
    file.write_text("\n".join(lines))
    found = ask(house, "plan", PLAN).json()
    [said] = objects(command("plan", file, house.folder / "people.parquet", "--analyst", "ana", "--json"))
    assert found == said
    assert found["meets"]
    assert house.charges() == []


@pytest.mark.parametrize("address", PAID)
def test_a_key_is_charged_once_and_means_one_thing(own_house, address):
    body, _ = PAID[address]
    first = ask(own_house, address, body, key="k")
    assert first.status_code == 200, first.text
    again = ask(own_house, address, body, key="k")
    assert again.status_code == 200, again.text
    assert len(own_house.charges()) == 1
    for name in ("rows", "releases", "value", "advice"):
        one, two = first.json().get(name), again.json().get(name)
        if name == "releases" and one is not None:
            one, two = ([each["rows"] for each in found] for found in (one, two))
        assert one == two
    other = {**body, "questions": PLAN["questions"][:1]} if address == "plan/run" else {**body, "epsilon": "1/5"}
    other = {**MAXIMUM, "queries": [COUNT]} if address == "apply" else other
    refused = ask(own_house, address, other, key="k")
    assert (refused.status_code, refused.json()["code"]) == (400, "D126")
    assert len(own_house.charges()) == 1


@pytest.mark.parametrize("address", PAID)
def test_what_was_paid_for_can_be_looked_up_and_checked(own_house, address, tmp_path):
    body, _ = PAID[address]
    found = ask(own_house, address, body)
    charge = found.json()["receipt"]["sequence"]
    kept = own_house.client.get(f"/api/tables/people/releases/{charge}", headers=own_house.bearer("ana"))
    assert kept.status_code == 200
    assert kept.json()["receipt"] == found.json()["receipt"]
    there = own_house.client.get(f"/api/tables/people/releases/{charge}", headers=own_house.bearer("bo"))
    assert there.status_code == 404
    verdict = own_house.client.post(
        f"/api/tables/people/releases/{charge}/check", headers=own_house.bearer("ana"), json={}
    ).json()
    assert verdict["verdict"] == "accepted", verdict
    file = tmp_path / "answer.json"
    file.write_text(found.text)
    assert command("check", file, "--source", own_house.folder / "people.parquet").exit_code == 0


@pytest.mark.parametrize("address", PAID)
@pytest.mark.parametrize("charged", [True, False])
def test_a_key_from_before_a_crash_is_charged_at_most_once(tmp_path, address, charged):
    body, read = PAID[address]
    with serving(tmp_path) as house:
        purchase = read(body)
        begin(house, "k", purchase)
        with lapwing.open(tmp_path / "people.parquet", analyst="ana") as session:
            words = purchase.words(session)
            if charged:
                charge_and_crash(session, purchase)
    with serving(tmp_path) as house:
        found = ask(house, address, body, key="k")
        if charged:
            assert (found.status_code, found.json()["code"]) == (400, "D127")
        else:
            assert found.status_code == 200, found.text
            assert house.charges()[-1].text == words  # as it is looked for after a crash
        assert len(house.charges()) == 1


def begin(house, key, purchase):
    """A question as a server that was killed leaves it: written down, and not finished."""
    head = house.ledger().head()[0]
    house.accounts.begin("ana", key, Begun(digest(purchase, "people"), "people", head, None))


def charge_and_crash(session, purchase):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DuckDB, "fetch", crash)
        with pytest.raises(KeyboardInterrupt):
            purchase.ready(session).answer()


def crash(*_, **__):
    raise KeyboardInterrupt


def test_a_key_left_over_does_not_take_the_charge_of_another_price(tmp_path):
    """Two keys of one question at two prices, and a crash after each: the second alone was charged, and owns up."""
    cheap, dear = ({"sql": COUNT, "epsilon": each} for each in ("1/10", "1"))
    with serving(tmp_path) as house:
        begin(house, "cheap", answer_purchase(cheap))
        begin(house, "dear", answer_purchase(dear))
        with lapwing.open(tmp_path / "people.parquet", analyst="ana") as session:
            charge_and_crash(session, answer_purchase(dear))
    with serving(tmp_path) as house:
        assert ask(house, "run", cheap, key="cheap").json()["price"] == {"epsilon": "1/10"}
        assert ask(house, "run", dear, key="dear").json()["code"] == "D127"
        assert [entry.price for entry in house.charges()] == ["epsilon 1", "epsilon 1/10"]


def test_a_plan_asked_again_is_free_and_a_mechanism_is_not(own_house):
    for _ in range(2):
        assert ask(own_house, "plan/run", PLAN).status_code == 200
        assert ask(own_house, "advise", {"epsilon": "1/10"}).status_code == 200
        assert ask(own_house, "apply", MAXIMUM).status_code == 200
    assert [entry.text[:9] for entry in own_house.charges()].count("noisy_max") == 2
    assert len(own_house.charges()) == 4


REFUSED = [
    ("plan", {}, "D120"),
    ("plan", {"questions": 3}, "D120"),
    ("plan", {"questions": [3]}, "D120"),
    ("plan", {"questions": []}, "S170"),
    ("plan", {"questions": [{"sql": 3}]}, "D120"),
    ("plan", {"questions": [{"sql": COUNT, "withn": 3}]}, "S170"),
    ("plan", {"questions": [{"sql": "SELECT AVG(shoes) FROM people", "within": 3}]}, None),
    ("plan", {"questions": [{"sql": COUNT, "name": "\ud800", "within": 3}]}, "S170"),
    ("plan", {"questions": [{"sql": COUNT, "within": True}]}, "A001"),
    ("plan/run", {"questions": [{"sql": COUNT, "epsilon": 100}]}, "L113"),
    ("advise", {}, "S130"),
    ("advise", {"epsilon": 100}, "L113"),
    ("advise", {"epsilon": 1, "columns": "age"}, "D120"),
    ("advise", {"epsilon": 1, "columns": ["shoes"]}, "S174"),
    ("advise", {"epsilon": 1, "table": "other"}, "S174"),
    ("apply", {"mechanism": "nothing", "queries": [COUNT]}, "D123"),
    ("apply", {"mechanism": "../x", "queries": [COUNT]}, "D123"),
    ("apply", {"mechanism": "noisy_max", "queries": []}, "D120"),
    ("apply", {"mechanism": "noisy_max", "queries": [3]}, "D120"),
    ("apply", {"mechanism": "noisy_max", "queries": [COUNT], "public": 3}, "D120"),
    ("apply", {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": {}}}, "D120"),
    ("apply", {"mechanism": "noisy_max", "queries": [COUNT], "public": {"q": [1]}}, "S151"),
    ("apply", {"mechanism": "noisy_max", "queries": [BY_REGION], "public": MAXIMUM["public"]}, None),
    ("run", {"sql": COUNT, "epsilon": 1, "rows": "many"}, "D120"),
    ("run", {"sql": COUNT, "epsilon": 1, "anyway": 1}, "D120"),
]


@pytest.mark.parametrize(("address", "body", "code"), REFUSED)
def test_what_is_refused_costs_nothing(house, address, body, code):
    headers = {**house.bearer("ana"), "Content-Type": "application/json"}
    response = house.client.post(f"/api/tables/people/{address}", content=json.dumps(body), headers=headers)
    assert response.status_code in (400, 404, 409), response.text
    found = response.json()
    assert set(found) == {"code", "problem", "remedy"}
    assert code is None or found["code"] == code, found
    assert house.charges() == []


def test_a_server_says_how_many_people_a_group_needs(tmp_path):
    from lapwing.session.protecting import Wishes, protect
    from tests.server.making import write_people

    with serving(tmp_path) as house:
        for each in (tmp_path / "people.lapwing.toml", tmp_path / "people.lapwing.ledger"):
            each.unlink()
        wishes = Wishes("person", 10, "1e-6", bounds={"age": (0, 100)}, analysts={"ana": 5})
        protect(write_people(tmp_path), wishes)
        body = {"sql": "SELECT region, COUNT(*) AS n FROM people GROUP BY region", "epsilon": "1/10", "rows": 20}
        refused = ask(house, "run", body)
        assert (refused.status_code, refused.json()["code"]) == (400, "S153")
        assert house.charges() == []
        assert ask(house, "run", {**body, "anyway": True}).status_code == 200


# --- the same session, here and there --------------------------------------------------------------------


def signature(method):
    return [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]


def methods(kind):
    return {name: each for name, each in vars(kind).items() if not name.startswith("_") and inspect.isfunction(each)}


def test_a_session_on_a_server_has_the_methods_of_one_on_a_file():
    here, there = methods(Session), methods(RemoteSession)
    assert set(here) == set(there)
    for name in there:
        assert signature(here[name]) == signature(there[name]), name
    properties = {name for name, each in vars(Session).items() if isinstance(each, property)}
    # the road is on the server
    assert properties - {"road"} <= {name for name in vars(RemoteSession) if not name.startswith("_")}

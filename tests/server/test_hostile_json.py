"""Whatever JSON is sent, wherever: an answer, or a refusal with its three words. Never a mistake of ours."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapwing.server import around_requests
from tests.conftest import EXPLORE
from tests.server.addresses import API, address
from tests.server.browsing import Person
from tests.server.making import BY_REGION, COUNT, serving, tight

PAID = {"sql": COUNT, "epsilon": "1/100000"}
MECHANISM = {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": "1/100000", "sensitivity": 1}}
BODIES = {
    "quote": {**PAID, "rows": 100, "expect": {"n": 3}},
    "explain": {"sql": COUNT},
    "rehearse": PAID,
    "run": {**PAID, "rows": 9, "anyway": False, "cut": "1/100000"},
    "plan": {"questions": [{"sql": BY_REGION, "within": {"n": 20}, "rows": 50, "expect": {"age": 3}}], "delta": None},
    "plan/run": {"questions": [{**PAID, "name": "one"}], "confidence": 0.9},
    "advise": {"epsilon": "1/100000", "table": "people", "columns": ["age"]},
    "apply": MECHANISM,
}
DEEP = json.loads("[" * 500 + "]" * 500)
#: Values that programs have stumbled over before; 1e400 and the like are read as the decimals that they are.
ODD = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**299, 10**301, -(2**63), 0.1, 1e308, 5e-324, "", " ", "0"),
    *("1e400", "1e-400", "-1e400", "1e4999", "1e999999999", "1/3", "1/0", "1e400%", "1e-400%", "%", "nan", "inf", "²"),
    *("self", "a" * 5000, "\0", "é", "\ud800", "'; DROP", "people", "SELECT", "9" * 3000, "0.95", "-0.0", "0x10"),
    *([], [[]], {}, {"": ""}, {"self": 1}, [None], [1, "x"], DEEP),
]
NAMES = ["self", "mechanism", "queries", "public", "progress", "session", "epsilon", "q", "", "__class__", "a" * 300]
odd = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder, rates = tmp_path_factory.mktemp("hostile"), tight(questions=10**9, quotes=10**9)
    with serving(folder, pace=1e-6, rates=rates, computing=3.0, epsilon=1000, shares=(("ana", 1000),)) as house:
        house.client.headers.update(house.bearer("ana"))
        yield house


def places(body, path=()):
    """Every place of a body at which something else could stand."""
    yield path
    inside = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for name, value in inside:
        yield from places(value, (*path, name))


def put(body, path, value):
    """The body with something else at a place."""
    if not path:
        return value
    first, *rest = path
    if isinstance(body, dict):
        return {**body, first: put(body[first], rest, value)}
    return [put(each, rest, value) if at == first else each for at, each in enumerate(body)]


def check(house, what, body):
    content = json.dumps(body).replace("Infinity", "1e400")
    response = house.client.post(
        f"/api/tables/people/{what}", content=content, headers={"Content-Type": "application/json"}
    )
    said = response.json()
    assert response.status_code == 200 or 400 <= response.status_code < 500, (what, content[:300], said, house.log[-2:])
    if response.status_code != 200:
        assert set(said) == {"code", "problem", "remedy"}
        assert all(isinstance(each, str) and each for each in said.values())


@pytest.mark.parametrize("what", BODIES)
def test_every_odd_value_at_every_place(served, what):
    """With LAPWING_EXPLORE=1; else each place has its share, and every value is somewhere."""
    step = 1 if EXPLORE else 4
    for number, path in enumerate(places(BODIES[what])):
        for value in ODD[number % step :: step]:
            check(served, what, put(BODIES[what], path, value))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_made_up_values_anywhere(served, data):
    what = data.draw(st.sampled_from(sorted(BODIES)))
    body = BODIES[what]
    for _ in range(data.draw(st.integers(1, 2))):
        body = put(body, data.draw(st.sampled_from(list(places(body)))), data.draw(odd))
    check(served, what, body)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_of_any_name(served, name):
    check(served, "apply", {**MECHANISM, "public": {**MECHANISM["public"], name: 1}})


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 10**30, "9" * 5000, "-1", "1.5", "%31", "１"])
def test_numbers_of_answers_that_there_are_not(served, number):
    for method, path in API:
        if "{charge}" in path:
            response = served.client.request(method, address(path, number), json={})
            assert response.status_code == 404, (path, response.text)
            assert set(response.json()) == {"code", "problem", "remedy"}


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", b"[", b"[" * 60000, b"1", b'"a"', b"nul", b"{}" * 9, b'{"sql":1e}', b"\0"]
)
def test_bodies_that_are_no_objects(served, raw):
    for what in BODIES:
        sent = {"Content-Type": "application/json"}
        assert served.client.post(f"/api/tables/people/{what}", content=raw, headers=sent).status_code == 400


@pytest.mark.parametrize(
    "raw",
    [
        '{"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "1/100000", "epsilon": 500}',
        '{"sql": "SELECT COUNT(*) AS n FROM people", "sql": "SELECT COUNT(*) AS m FROM people", "epsilon": 500}',
        '{"questions": [{"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": 0.01, "epsilon": 500}]}',
        '{"mechanism": "noisy_max", "queries": "SELECT 1 FROM people", "public": {"epsilon": 1, "epsilon": 500}}',
    ],
)
def test_what_is_said_twice_is_not_said(served, raw):
    """Two prices in one body: whoever looked at the first would be charged the second."""
    before = len(served.charges())
    for what in BODIES:
        response = served.client.post(
            f"/api/tables/people/{what}", content=raw, headers={"Content-Type": "application/json"}
        )
        assert (response.status_code, response.json()["problem"]) == (400, "the body says one field twice")
    assert len(served.charges()) == before


@pytest.mark.parametrize("price", ["NaN", "Infinity", "1e400", '"' + "9" * 5000 + '"', "[" * 400 + "]" * 400])
def test_forms_with_plans_that_are_none(served, price):
    person = Person(served, "ana")
    plan = f'[{{"sql": "{COUNT}", "epsilon": {price}}}]'
    for path in ("/tables/people/planner/pay", "/tables/people/ask"):
        fields = {"form": person.form, "key": "k", "questions": plan, "sql": COUNT, "pay": price}
        page = person.post(path, fields)
        assert page.status_code in (400, 409), (path, page.status_code, served.log[-2:])


@pytest.mark.parametrize("key", ["", "k" * 201, "ä", "a\nb"])
def test_forms_with_keys_that_are_none(served, key):
    person = Person(served, "ana")
    fields = {"form": person.form, "key": key, "sql": COUNT, "pay": "1/100000"}
    assert person.post("/tables/people/ask", fields).status_code == 400


def send_part(house, rest):
    """Sends the first letter of a body, and then what ``rest`` says; what is answered."""
    headers = {"host": "127.0.0.1", "content-type": "application/json", **house.bearer("ana")}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/tables/people/run",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    parts, sent = iter([{"type": "http.request", "body": b"{", "more_body": True}]), []

    async def receive():
        found = next(parts, None)
        return found if found is not None else await rest()

    async def send(message):
        sent.append(message)

    asyncio.run(house.client.app(scope, receive, send))
    return sent


def test_a_body_that_does_not_come(served, monkeypatch):
    """Whoever holds a line open without sending is let go of."""
    monkeypatch.setattr(around_requests, "SLOWEST_BODY", 0.05)
    sent = send_part(served, lambda: asyncio.sleep(60))
    assert sent[0]["status"] == 400
    assert b"did not come within" in sent[1]["body"]


def test_who_leaves_in_the_middle_is_no_mistake_of_ours(served):
    async def leave():
        return {"type": "http.disconnect"}

    served.log.clear()
    send_part(served, leave)
    assert served.log == ["POST /api/tables/people/run 400 'ana'"]

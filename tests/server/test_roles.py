"""Every address with every role: who is let in, and who is not."""

import json

import pytest
from starlette.routing import Route

from tests.server.addresses import API, PAGES, ROLES, address
from tests.server.browsing import Person
from tests.server.making import COUNT


def test_every_address_is_in_one_of_the_tables(town):
    routes = [route for route in town[0].client.app.app.routes if isinstance(route, Route)]
    known = {(m, r.path.replace(":entry", "")) for r in routes for m in r.methods - {"HEAD"}}
    assert known == set(API) | set(PAGES)


@pytest.mark.parametrize(("method", "path"), API, ids=lambda each: str(each))
def test_the_api_lets_in_whom_it_should(town, method, path):
    house, charge = town
    bearers = {
        "analyst": house.bearer("ana"),
        "stranger": house.bearer("sam"),
        "curator": house.bearer("eva"),
        "pricer": house.bearer("ana", "quote"),
        "nobody": {},
    }
    paid = {"sql": COUNT, "epsilon": "1/1000"}
    planned = {"questions": [paid]}
    applied = {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": "1/1000", "sensitivity": 1}}
    bodies = {"rehearse": paid, "plan": planned, "advise": {"epsilon": "1/1000"}, "apply": applied}
    body = planned if path.endswith("plan/run") else paid if path.endswith("/run") else None
    body = body or bodies.get(path.rpartition("/")[2], {"sql": COUNT})
    found = tuple(
        house.client.request(
            method, address(path, charge), headers=bearers[role], json=body if method == "POST" else None
        ).status_code
        for role in ROLES
    )
    assert found == API[method, path]


@pytest.mark.parametrize(("method", "path"), PAGES, ids=lambda each: str(each))
def test_the_pages_let_in_whom_they_should(town, method, path):
    house, charge = town
    found = []
    for name in ("ana", "sam", "eva", None):
        person = Person(house, name)
        if method == "GET":
            response = person.get(address(path, charge))
        else:
            planned = json.dumps([{"sql": COUNT, "epsilon": "1/1000"}])
            more = {"form": person.form if name else "x", "sql": COUNT, "pay": "1/1000", "key": path}
            more |= {"questions": planned, "epsilon": "1/1000"}
            response = person.post(address(path, charge), more)
        found.append(response.status_code)
        if name is None and response.status_code == 303:
            assert response.headers["location"].startswith("/login")
    assert tuple(found) == PAGES[method, path]

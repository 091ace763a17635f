"""The API: the JSON of the command line, exact prices, keys, and what bad requests get (and do not cost)."""

import json
from fractions import Fraction

import pytest

from lapwing.session import open_session
from tests.cli.invoke import lapwing, objects
from tests.server.making import BY_REGION, COUNT, SECRET, serving, tight


def refused(response, status, code):
    assert response.status_code == status, response.text
    found = response.json()
    assert set(found) == {"code", "problem", "remedy"}
    assert found["code"] == code, found
    return True


def test_tables_are_those_with_a_share(house):
    def names(who):
        return [each["name"] for each in house.client.get("/api/tables", headers=house.bearer(who)).json()["tables"]]

    assert names("ana") == ["people"]
    assert names("bo") == ["other", "people"]
    assert names("eva") == ["other", "people"]  # a curator sees all, and may ask none


def test_what_is_public_about_a_table(house):
    found = house.client.get("/api/tables/people", headers=house.bearer("ana")).json()
    assert found["name"] == "people"
    assert found["budget"] == {"epsilon": "10", "delta": "0"}
    assert found["neighbours"] == "added"
    [table] = found["tables"]
    columns = {each["name"]: each for each in table["columns"]}
    assert (columns["age"]["low"], columns["age"]["high"]) == ("0", "100")
    assert columns["region"]["keys"] == ["north", "south", "west"]
    words = json.dumps(found)
    assert SECRET not in words
    assert "bo" not in found  # who else may ask is for curators
    assert ".parquet" not in words  # and so is where the data lie


def test_quote_and_explain_print_what_the_command_line_prints(house):
    source = house.folder / "people.parquet"
    body = {"sql": BY_REGION, "epsilon": "0.3"}
    quoted = house.client.post("/api/tables/people/quote", json=body, headers=house.bearer("ana")).json()
    [said] = objects(lapwing("quote", source, BY_REGION, "--epsilon", "0.3", "--analyst", "ana", "--json"))
    assert quoted == said
    plan = house.client.post("/api/tables/people/explain", json={"sql": BY_REGION}, headers=house.bearer("ana")).json()
    [said] = objects(lapwing("explain", source, BY_REGION, "--analyst", "ana", "--json"))
    assert plan == said
    assert house.charges() == []


@pytest.mark.parametrize("what", ["quote", "run", "explain", "rehearse"])
def test_one_body_fits_all_four(house, what):
    """A program that always sends a price, a delta of nothing and a confidence is understood everywhere."""
    body = {"sql": COUNT, "epsilon": "1/1000", "delta": 0, "confidence": 0.9}
    response = house.client.post(f"/api/tables/people/{what}", json=body, headers=house.bearer("ana"))
    assert response.status_code == 200, response.text


def test_a_quote_takes_accuracy_rows_and_expectations(house):
    body = {"sql": "SELECT AVG(age) AS age FROM people", "within": "5%", "rows": 400, "expect": {"age": 49.5}}
    found = house.client.post("/api/tables/people/quote", json=body, headers=house.bearer("ana")).json()
    assert found["expected"] == {"age": 49.5}
    assert found["offers"][0]["margins"]["age"] <= 49.5 * 0.05


def test_run_is_charged_to_the_account_and_can_be_checked(own_house, tmp_path):
    response = own_house.run(own_house.bearer("ana"), BY_REGION, epsilon=0.4)
    found = response.json()
    assert response.status_code == 200
    assert {"columns", "rows", "margins", "spent", "remaining", "receipt", "certificate"} <= set(found)
    assert (found["spent"], found["remaining"]) == (0.4, 1.6)
    [charge] = own_house.charges()
    assert (charge.analyst, charge.price, charge.hash) == ("ana", "epsilon 2/5", found["receipt"]["hash"])
    written = tmp_path / "answer.json"
    written.write_text(response.text)
    assert lapwing("check", written).exit_code == 0
    assert lapwing("check", written, "--source", own_house.folder / "people.parquet").exit_code == 0
    sequence = found["receipt"]["sequence"]
    there = own_house.client.get(f"/api/tables/people/releases/{sequence}", headers=own_house.bearer("ana")).json()
    assert there["rows"] == found["rows"]
    verdict = own_house.client.post(
        f"/api/tables/people/releases/{sequence}/check", headers=own_house.bearer("ana")
    ).json()
    assert verdict["verdict"] == "accepted"
    assert "the ledger charged it" in verdict["statement"]
    [listed] = own_house.client.get("/api/tables/people/releases", headers=own_house.bearer("ana")).json()["releases"]
    assert listed["sequence"] == sequence
    assert own_house.client.get("/api/tables/people/releases", headers=own_house.bearer("bo")).json() == {
        "releases": []
    }


def test_a_number_in_json_is_the_decimal_that_was_written(own_house):
    for _ in range(2):  # a tenth, not 0.1000000000000000055…
        sql = f"SELECT COUNT(*) AS n FROM people WHERE age < {_ + 1}"
        response = own_house.client.post(
            "/api/tables/people/run",
            content=json.dumps({"sql": sql}).replace("}", ', "epsilon": 0.1}'),
            headers={**own_house.bearer("ana"), "Content-Type": "application/json"},
        )
        assert response.status_code == 200
    assert own_house.ledger().remaining("ana").own.epsilon == Fraction(18, 10)


def test_the_same_question_again_is_free_and_the_same(own_house):
    bearer = own_house.bearer("ana")
    one, two = (own_house.run(bearer, epsilon=0.5).json() for _ in range(2))
    assert one["rows"] == two["rows"]
    assert (one["repeated"], two["repeated"]) == (False, True)
    assert len(own_house.charges()) == 1
    other = own_house.run(own_house.bearer("bo"), epsilon=0.5).json()  # bo has not paid for it
    assert other["repeated"] is False
    assert len(own_house.charges()) == 2


def test_a_key_is_charged_once_and_means_one_question(own_house):
    bearer = own_house.bearer("ana")
    one = own_house.run(bearer, key="monday", epsilon=0.5)
    two = own_house.run(bearer, key="monday", epsilon=0.5)
    assert one.json()["rows"] == two.json()["rows"]
    assert two.json()["repeated"] is True
    assert two.json()["left"] == {"epsilon": "3/2"}
    assert refused(own_house.run(bearer, key="monday", epsilon=0.6), 400, "D126")
    assert refused(own_house.run(bearer, BY_REGION, key="monday", epsilon=0.5), 400, "D126")
    assert own_house.run(own_house.bearer("bo"), key="monday", epsilon=0.5).status_code == 200  # bo's own monday
    assert [charge.analyst for charge in own_house.charges()] == ["ana", "bo"]


def test_a_refused_question_leaves_its_key_free(own_house):
    bearer = own_house.bearer("ana")
    assert refused(own_house.run(bearer, "SELECT SUM(person) FROM people", key="k", epsilon=0.5), 400, "Q104")
    assert refused(own_house.run(bearer, key="big", epsilon=3), 409, "L113")
    assert own_house.run(bearer, key="k", epsilon=0.5).status_code == 200
    assert own_house.run(bearer, key="big", epsilon=0.5).json()["repeated"] is True


@pytest.mark.parametrize("lost", [True, False])
def test_a_key_from_before_a_crash_pays_for_nothing_twice(tmp_path, lost):
    """The server was killed after the charge: either before the answer was kept, or before it was sent."""
    with serving(tmp_path) as house:
        from lapwing.server.accounts.questions import Begun
        from lapwing.server.purchases import AnswerPurchase, digest

        question = AnswerPurchase(COUNT, epsilon="1/2")
        head = house.ledger().head()[0]
        house.accounts.begin("ana", "k", Begun(digest(question, "people"), "people", head, None))
        session = open_session(tmp_path / "people.parquet", "ana")
        if lost:
            from lapwing.algebra.measures import PureDP

            house.ledger().charge("ana", PureDP("1/2"), query="digest", snapshot="s", text=COUNT)
        else:
            kept = session.sql(COUNT, epsilon="1/2")
        session.close()
    with serving(tmp_path) as house:
        for _ in range(2):
            response = house.run(house.bearer("ana"), key="k", epsilon="1/2")
            if lost:
                assert refused(response, 400, "D127")
            else:
                assert response.json()["rows"] == kept.to_json()["rows"]
        assert len(house.charges()) == 1


def test_a_key_from_before_a_crash_that_charged_nothing_is_asked(tmp_path):
    with serving(tmp_path) as house:
        from lapwing.server.accounts.questions import Begun
        from lapwing.server.purchases import AnswerPurchase, digest

        head = house.ledger().head()[0]
        words = digest(AnswerPurchase(COUNT, epsilon="1/2"), "people")
        house.accounts.begin("ana", "k", Begun(words, "people", head, None))
    with serving(tmp_path) as house:
        assert house.run(house.bearer("ana"), key="k", epsilon="1/2").status_code == 200
        assert len(house.charges()) == 1


def test_budget_and_ledger(own_house):
    own_house.run(own_house.bearer("ana"), epsilon=0.5)
    found = own_house.client.get("/api/tables/people/budget", headers=own_house.bearer("ana")).json()
    assert found["analyst"] == "ana"
    assert found["budget"]["epsilon"] == "2"
    assert found["spent"]["epsilon"] == "1/2"
    assert found["remaining"]["epsilon"] == "3/2"
    assert found["table"]["left"]["epsilon"] == "19/2"
    ledger = own_house.client.get("/api/tables/people/ledger", headers=own_house.bearer("eva")).json()
    [said] = objects(lapwing("ledger", own_house.folder / "people.parquet", "--json"))
    assert ledger == said


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"epsilon": 1}, "D120"),
        ({"sql": ""}, "D120"),
        ({"sql": 7, "epsilon": 1}, "D120"),
        ({"sql": COUNT, "epsilon": True}, "D120"),
        ({"sql": COUNT, "epsilon": [1]}, "D120"),
        ({"sql": COUNT, "epsilon": 1, "analyst": "bo"}, "D120"),
        ({"sql": COUNT + "\0", "epsilon": 1}, "D120"),
        ({"sql": "\ud800", "epsilon": 1}, "D120"),
        ({"sql": COUNT}, "S130"),
        ({"sql": COUNT, "epsilon": 1, "rho": 1}, "S130"),
        ({"sql": COUNT, "epsilon": "lots"}, "A001"),
        ({"sql": COUNT, "epsilon": -1}, "A107"),
        ({"sql": COUNT, "epsilon": 1, "confidence": 2}, "A105"),
        ({"sql": COUNT, "epsilon": 1, "delta": "1e-9"}, "S148"),
        ({"sql": "DROP TABLE people", "epsilon": 1}, "Q102"),
        ({"sql": "SELECT SUM(person) FROM people", "epsilon": 1}, "Q104"),
        ({"sql": "SELECT COUNT(*) FROM other", "epsilon": 1}, "Q110"),
        ({"sql": "SELECT * FROM read_csv('/etc/passwd')", "epsilon": 1}, None),
        ({"sql": COUNT, "rho": 1}, "L112"),
    ],
    ids=str,
)
def test_bad_questions_are_refused_and_cost_nothing(house, body, code):
    before = house.ledger().head()
    content = json.dumps(body)
    response = house.client.post(
        "/api/tables/people/run",
        content=content,
        headers={**house.bearer("ana"), "Content-Type": "application/json"},
    )
    assert response.status_code == 400, response.text
    assert set(response.json()) == {"code", "problem", "remedy"}
    assert code is None or response.json()["code"] == code, response.json()
    assert house.ledger().head() == before


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "application/json"),
        (b"[1]", "application/json"),
        (b"{", "application/json"),
        (b'{"sql": "\xff"}', "application/json"),
        (b'{"sql": "SELECT 1", "epsilon": NaN}', "application/json"),
        (b"[" * 60_000, "application/json"),
        (b"{}" + b" " * 70_000, "application/json"),
        (b'{"sql": "x"}', "text/plain"),
        (b"sql=x", "application/x-www-form-urlencoded"),
        (b'{"sql": "x", "epsilon": ' + b"9" * 5000 + b"}", "application/json"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_bodies_that_are_none(house, content, kind):
    headers = {**house.bearer("ana"), "Content-Type": kind}
    response = house.client.post("/api/tables/people/run", content=content, headers=headers)
    assert refused(response, 400, "D120"), response.text


def test_a_body_that_hides_its_length_is_cut_off(house):
    pieces = (b"x" * 10_000 for _ in range(20))
    headers = {**house.bearer("ana"), "Content-Type": "application/json"}
    assert refused(house.client.post("/api/tables/people/run", content=pieces, headers=headers), 400, "D120")


def test_a_body_that_has_two_lengths_is_refused_and_the_line_closed(house):
    headers = {**house.bearer("ana"), "Content-Length": "2", "Transfer-Encoding": "chunked"}
    response = house.client.post("/api/tables/people/quote", content=b"{}", headers=headers)
    assert refused(response, 400, "D120")
    assert response.headers["connection"] == "close"


def test_what_is_not_there(house):
    bearer = house.bearer("ana")
    assert refused(house.client.get("/api/tables/nothing", headers=bearer), 404, "D123")
    assert refused(house.client.get("/api/tables/people/releases/999", headers=bearer), 404, "D123")
    assert refused(house.client.get("/api/nothing", headers=bearer), 404, "D123")
    assert refused(house.client.get("/api/tables/people/run", headers=bearer), 405, "D124")
    assert refused(house.client.get("/api/tables/..%2Fpeople", headers=bearer), 404, "D123")
    assert refused(house.client.get("/api/mechanisms/os", headers=bearer), 404, "D123")


def test_mechanisms_come_with_their_proof(house):
    bearer = house.bearer("ana")
    assert "sparse_vector" in house.client.get("/api/mechanisms", headers=bearer).json()["mechanisms"]
    found = house.client.get("/api/mechanisms/sparse_vector", headers=bearer).json()
    assert found["bound"] == "epsilon"
    assert "def sparse_vector" in found["source"]
    assert found["certificate"]["function"] == "sparse_vector"


def test_limits_say_when_to_come_again(tmp_path):
    with serving(tmp_path, rates=tight(questions=2, quotes=1)) as house:
        bearer = house.bearer("ana")
        assert house.run(bearer, epsilon=0.1).status_code == 200
        assert house.run(bearer, epsilon=0.1).status_code == 200
        third = house.run(bearer, epsilon=0.2)
        assert refused(third, 429, "D125")
        assert int(third.headers["retry-after"]) > 0
        assert house.run(house.bearer("bo"), epsilon=0.2).status_code == 200  # limits are each account's own
        assert len(house.charges()) == 2
        body = {"sql": COUNT}
        assert house.client.post("/api/tables/people/quote", json=body, headers=bearer).status_code == 200
        assert refused(house.client.post("/api/tables/people/quote", json=body, headers=bearer), 429, "D125")


def has_shape(value, schema, schemas):
    """Whether a value is as the API file says: types, and fields that must be there."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(value is None if kind == "null" else isinstance(value, kinds[kind]) for kind in wanted):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, list) and "items" in schema:
        return all(has_shape(each, schema["items"], schemas) for each in value)
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        return set(schema.get("required", ())) <= set(value) and all(
            has_shape(each, fields[name], schemas) for name, each in value.items() if name in fields
        )
    return True


@pytest.mark.parametrize(
    ("method", "path", "body", "who"),
    [
        ("get", "/api/tables", None, "ana"),
        ("get", "/api/tables/{name}", None, "ana"),
        ("post", "/api/tables/{name}/quote", {"sql": BY_REGION}, "ana"),
        ("post", "/api/tables/{name}/explain", {"sql": BY_REGION}, "ana"),
        ("post", "/api/tables/{name}/run", {"sql": COUNT, "epsilon": "1/100"}, "ana"),
        ("post", "/api/tables/{name}/plan", {"questions": [{"sql": COUNT, "within": 20}]}, "ana"),
        ("post", "/api/tables/{name}/plan/run", {"questions": [{"sql": COUNT, "epsilon": "1/90"}]}, "ana"),
        ("post", "/api/tables/{name}/advise", {"epsilon": "1/100"}, "ana"),
        (
            "post",
            "/api/tables/{name}/apply",
            {"mechanism": "noisy_max", "queries": [COUNT], "public": {"epsilon": "1/100", "sensitivity": 1}},
            "ana",
        ),
        ("get", "/api/tables/{name}/budget", None, "ana"),
        ("get", "/api/tables/{name}/releases", None, "ana"),
        ("get", "/api/tables/{name}/ledger", None, "eva"),
        ("get", "/api/mechanisms", None, "ana"),
        ("get", "/health", None, "ana"),
    ],
)
def test_answers_have_the_shape_that_the_api_file_says(house, method, path, body, who):
    described = house.client.get("/api/openapi.json").json()
    kinds = described["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
    more = {} if body is None else {"json": body}
    response = house.client.request(method, path.replace("{name}", "people"), headers=house.bearer(who), **more)
    assert response.status_code == 200, response.text
    assert has_shape(response.json(), kinds, described["components"]["schemas"])
    assert not has_shape({"nothing": 1}, kinds, described["components"]["schemas"])


def test_the_api_file_describes_every_route(house):
    from starlette.routing import Route

    described = house.client.get("/api/openapi.json").json()
    app = house.client.app.app
    routes = {
        (route.path.replace(":entry", ""), method.lower())
        for route in app.routes
        if isinstance(route, Route) and (route.path.startswith("/api/") or route.path == "/health")
        for method in route.methods - {"HEAD"}
    }
    written = {
        (path, method) for path, methods in described["paths"].items() for method in methods if method != "parameters"
    }
    assert written == routes

"""Attacks on the door: other people's answers, forged forms and cookies, guessing, cells in logs."""

import re

import pytest

from lapwing.engines import DuckDB
from lapwing.session.protecting import Wishes, protect
from tests.server.addresses import API, PAGES, address
from tests.server.browsing import Person, form_to
from tests.server.making import COUNT, PASSWORD, SECRET, serving, tight

# --- other people's answers ----------------------------------------------------------------------------------


def test_answers_of_others_are_not_even_there(town):
    house, charge = town
    never = house.client.get("/api/tables/people/releases/987654", headers=house.bearer("bo"))
    theirs = house.client.get(f"/api/tables/people/releases/{charge}", headers=house.bearer("bo"))
    assert never.status_code == theirs.status_code == 404
    assert never.json() == theirs.json()
    bo = Person(house, "bo")
    for kind in ("", "/csv", "/json", "/parquet", "/certificate"):
        page = bo.get(f"/tables/people/releases/{charge}{kind}")
        assert page.status_code == 404
        assert "AVG(age)" not in page.text
    assert "AVG(age)" not in bo.get("/tables/people/releases").text
    other = house.client.get(f"/api/tables/other/releases/{charge}", headers=house.bearer("bo"))
    assert other.status_code == 404


def test_tables_of_others_are_not_even_there(town):
    """Whoever has no share of a table learns nothing from guessing its name."""
    house, _ = town
    bearer, sam = house.bearer("sam"), Person(house, "sam")
    for method, path in {**API, **PAGES}:
        if "{name}" in path and "/curate/" not in path and "mechanisms" not in path:
            found = []
            for name in ("people", "nothing"):
                at, body = address(path, 4).replace("people", name), {"sql": COUNT, "epsilon": 1}
                if path.startswith("/api/"):
                    found.append(house.client.request(method, at, headers=bearer, json=body))
                else:
                    found.append(sam.get(at) if method == "GET" else sam.post(at, {"form": sam.form, "key": "k"}))
            there, nowhere = found
            assert (there.status_code, there.text) == (nowhere.status_code, nowhere.text)
            assert there.status_code == (403 if path.endswith("/ledger") else 404)


def test_a_key_of_another_ledger_opens_nobody_elses_answer(tmp_path):
    """Where a table is protected anew, charges are numbered anew: an old key must not find somebody else's."""
    asked = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
    with serving(tmp_path, epsilon=100, shares=(("ana", 40), ("bo", 20))) as house:
        assert house.run(house.bearer("bo"), asked, key="K", epsilon="0.01").status_code == 200
        for path in house.folder.glob("people.lapwing*"):
            path.rename(path.with_name(f"old-{path.name}.bak"))
        ranges, keys = {"age": (0, 100)}, {"region": ["north", "south", "west"]}
        wishes = Wishes("person", 100, bounds=ranges, keys=keys, analysts={"ana": 40, "bo": 20})
        protect(house.folder / "people.parquet", wishes)
        theirs = "SELECT region, AVG(age) AS secret FROM people GROUP BY region"
        assert house.run(house.bearer("ana"), theirs, epsilon=5).status_code == 200
        again = house.run(house.bearer("bo"), asked, key="K", epsilon="0.01")
        assert "secret" not in again.text
        assert again.json().get("receipt", {}).get("analyst") in (None, "bo")


def test_a_short_text_is_no_enormous_number(own_house):
    person = Person(own_house, "bo")
    page = person.get("/tables/people/planner")
    for value in ("1e12000000", "1e5000", "1" + "0" * 400 + "/3"):
        answer = person.send(page, "/tables/people/planner", statistic0="count", only="age", value=value)
        assert answer.status_code < 500


def test_nothing_in_a_request_says_who_asks(own_house):
    """The analyst of a charge is the account's name, whatever else is written."""
    spoofed = {"X-Forwarded-User": "bo", "X-Remote-User": "bo", "Remote-User": "bo", "X-Analyst": "bo", "From": "bo"}
    person = Person(own_house, "bo")
    cookie = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    response = own_house.client.post(
        "/api/tables/people/run?analyst=bo",
        json={"sql": COUNT, "epsilon": 1},
        headers={**own_house.bearer("ana"), **spoofed, "Cookie": cookie},
    )
    assert response.status_code == 200
    assert [charge.analyst for charge in own_house.charges()] == ["ana"]
    fields = {"form": person.form, "sql": COUNT, "pay": "1/2", "key": "k", "analyst": "ana", "name": "ana"}
    person.post("/tables/people/ask", fields)
    assert [charge.analyst for charge in own_house.charges()] == ["ana", "bo"]


def test_the_api_takes_no_cookies_and_the_pages_no_tokens(town):
    house, _ = town
    person = Person(house, "ana")
    assert person.get("/api/tables").status_code == 401
    assert house.client.get("/", headers=house.bearer("ana")).status_code == 303


# --- tokens and cookies that open nothing --------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Bearer lpw_", "Bearer lpw_" + "0" * 64, "Basic YW5hOng=", "Bearer " + "x" * 10_000],
    ids=lambda each: each[:20],
)
def test_tokens_that_open_nothing(town, value):
    response = town[0].client.get("/api/tables", headers={"Authorization": value})
    assert (response.status_code, response.json()["code"]) == (401, "D121")
    assert response.headers["www-authenticate"] == "Bearer"


def test_a_token_of_a_disabled_account_is_as_unknown_as_any(own_house):
    bearer = own_house.bearer("ana")
    own_house.accounts.set_disabled("ana", True, "eva")
    gone = own_house.client.get("/api/tables", headers=bearer)
    never = own_house.client.get("/api/tables", headers={"Authorization": "Bearer lpw_0"})
    assert gone.status_code == never.status_code == 401
    assert gone.json() == never.json()


def test_forged_cookies(town):
    house, _ = town
    person = Person(house, "ana")
    [(name, value)] = person.cookies.items()
    stored = [row[:12] for row in (house.accounts.path.read_bytes().decode("latin-1"),)]
    assert value not in stored[0]
    for forged in (value[:-1] + ("0" if value[-1] != "0" else "1"), value.upper(), "", "ana", value + "0"):
        stranger = Person(house)
        stranger.cookies = {name: forged}
        assert stranger.get("/").status_code == 303, forged


def test_a_session_is_new_with_every_log_in(town):
    """Session fixation: a cookie that somebody put into the browser before does not become a session."""
    house, _ = town
    victim = Person(house)
    page = victim.get("/login")
    victim.cookies["lapwing"] = "planted"
    done = victim.send(page, "/login", name="ana", password=PASSWORD)
    assert done.status_code == 303
    assert victim.cookies["lapwing"] != "planted"
    attacker = Person(house)
    attacker.cookies = {"lapwing": "planted"}
    assert attacker.get("/").status_code == 303


def test_cookies_behind_a_proxy_are_ours_alone(tmp_path):
    with serving(tmp_path, secure=True) as house:
        page = house.client.get("/login")
        [knock] = page.headers.get_list("set-cookie")
        fields = {**form_to(page, "/login")["fields"], "name": "ana", "password": PASSWORD}
        done = house.client.post("/login", data=fields, headers={"Origin": "https://stat.example"})
        cookie = done.headers.get_list("set-cookie")[0]
        for line in (knock, cookie):
            assert line.startswith("__Host-lapwing")
            assert {"Secure", "HttpOnly", "SameSite=lax", "Path=/"} <= {word.strip() for word in line.split(";")}
            assert "Domain" not in line
        assert done.headers["strict-transport-security"]


# --- forms that other pages send -----------------------------------------------------------------------------


def test_forms_of_other_sites_are_refused(own_house):
    ana, bo = Person(own_house, "ana"), Person(own_house, "bo")
    fields = {"sql": COUNT, "pay": "1/2", "key": "k"}
    good = ana.form
    attempts = [
        ({}, {}),
        ({"form": ""}, {}),
        ({"form": good[:-1] + "x"}, {}),
        ({"form": bo.form}, {}),  # a word of another session
        ({"form": good}, {"Origin": "https://evil.example"}),
        ({"form": good}, {"Origin": "null"}),
        ({"form": good}, {"Origin": "http://127.0.0.1:9999"}),
        ({"form": good}, {"Sec_Fetch_Site": "cross-site"}),
        ({"form": good}, {"Sec_Fetch_Site": "same-site"}),
        ({"form": "ä"}, {}),
    ]
    for more, headers in attempts:
        response = ana.post("/tables/people/ask", {**fields, **more}, **headers)
        assert response.status_code == 403, (more, headers)
        assert "D129" in response.text
    assert own_house.charges() == []
    assert ana.post("/tables/people/ask", {**fields, "form": good}).status_code == 303


def test_a_log_in_that_another_site_sends_is_refused(own_house):
    victim = Person(own_house)
    fields = {"name": "bo", "password": PASSWORD, "form": "guess", "next": "/"}
    assert victim.post("/login", fields).status_code == 403
    page = victim.get("/login")
    fields["form"] = form_to(page, "/login")["fields"]["form"]
    assert victim.post("/login", fields, Origin="https://evil.example").status_code == 403
    stranger = Person(own_house)
    assert stranger.post("/login", fields).status_code == 403  # the word was shown to another browser


def test_no_address_that_is_looked_at_changes_anything(town):
    house, charge = town
    before = (house.ledger().head(), house.accounts.all())
    for method, path in {**API, **PAGES}:
        if method == "GET":
            Person(house, "eva").get(f"{address(path, charge)}?name=ana&state=disabled&sql={COUNT}&pay=1&epsilon=1")
    assert (house.ledger().head(), house.accounts.all()) == before


def test_who_tries_what_they_may_not_is_noted(own_house):
    ana = Person(own_house, "ana")
    ana.get("/curate/accounts")
    ana.post("/tables/people/ask", {"sql": COUNT, "pay": "1/2", "key": "k", "form": "forged"})
    own_house.client.get("/api/tables/people/ledger", headers=own_house.bearer("ana"))
    own_house.run(own_house.bearer("ana", "quote"))
    own_house.client.get("/api/tables", headers={"Authorization": "Bearer lpw_guess"})
    noted = [(each.account, each.what, each.about) for each in own_house.accounts.events() if each.what != "token made"]
    assert noted[:5] == [
        ("(no such token)", "token refused", "from testclient"),
        ("ana", "not allowed", "POST /api/tables/people/run"),
        ("ana", "not allowed", "GET /api/tables/people/ledger"),
        ("ana", "not allowed", "POST /tables/people/ask"),
        ("ana", "not allowed", "GET /curate/accounts"),
    ]
    assert own_house.accounts.broken_at() is None


def test_refusals_fill_no_disk(tmp_path):
    with serving(tmp_path, rates=tight(noted=3)) as house:
        ana = Person(house, "ana")
        assert {ana.get("/curate").status_code for _ in range(9)} == {403}
        assert [each.what for each in house.accounts.events()].count("not allowed") == 3


# --- guessing, and where requests come from ------------------------------------------------------------------


def test_guessing_tokens_is_limited(tmp_path):
    with serving(tmp_path, rates=tight(addresses=5)) as house:
        good = house.bearer("ana")
        for guess in range(5):
            response = house.client.get("/api/tables", headers={"Authorization": f"Bearer lpw_{guess:064x}"})
            assert response.status_code == 401
        assert house.client.get("/api/tables", headers={"Authorization": "Bearer lpw_9"}).status_code == 429
        assert house.client.get("/api/tables", headers=good).status_code == 200  # a neighbour's guesses shut out nobody


@pytest.mark.parametrize("proxied", [False, True])
def test_only_a_proxy_is_believed_about_addresses(tmp_path, proxied):
    with serving(tmp_path, rates=tight(addresses=3), secure=proxied) as house:
        seen = []
        for guess in range(5):
            headers = {"Authorization": "Bearer lpw_9", "X-Forwarded-For": f"10.0.0.{guess}, 192.0.2.{guess}"}
            seen.append(house.client.get("/api/tables", headers=headers).status_code)
        assert seen == ([401] * 5 if proxied else [401, 401, 401, 429, 429])
        headers = {"Authorization": "Bearer lpw_9"}
        for guess in range(5):  # what a client writes before the proxy's own word counts for nothing
            spoofed = {**headers, "X-Forwarded-For": f"10.9.9.{guess}, 203.0.113.1"}
            last = house.client.get("/api/tables", headers=spoofed).status_code
        assert last == 429
        for guess in range(5):  # some proxies do not add to the client's line: theirs is one more, after it
            lines = [("X-Forwarded-For", f"10.8.8.{guess}"), ("X-Forwarded-For", "203.0.113.2")]
            last = house.client.get("/api/tables", headers=[*headers.items(), *lines]).status_code
        assert last == 429


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000", ""])
def test_names_that_somebody_points_at_this_machine(town, host):
    response = town[0].client.get("/health", headers={"Host": host})
    assert (response.status_code, response.json()["code"]) == (400, "D132")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000", "[::1]"])
def test_names_of_this_machine(town, host):
    assert town[0].client.get("/health", headers={"Host": host}).status_code == 200


# --- what leaves ---------------------------------------------------------------------------------------------


def test_every_answer_has_the_headers(town):
    house, charge = town
    person = Person(house, "ana")
    seen = [person.get(address(path, charge)) for method, path in {**API, **PAGES} if method == "GET"]
    seen += [house.client.get("/nothing"), house.client.delete("/"), house.client.get("/health", headers={"Host": "x"})]
    for response in seen:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["referrer-policy"] == "same-origin"
        assert "server" not in response.headers
        kept = response.headers["cache-control"]
        assert kept == "no-store" or "/static/" in str(response.url)


def test_pages_have_nothing_inline(town):
    house, charge = town
    for name in ("ana", "eva"):
        person = Person(house, name)
        for method, path in PAGES:
            if method == "GET" and "{kind}" not in path:
                text = person.get(address(path, charge)).text
                assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", text), path


class Leak(RuntimeError):
    """An exception of an engine, or of ours, with a cell in its text."""


@pytest.mark.parametrize("place", ["fetch", "fingerprint", "render"])
def test_no_cell_leaves_whatever_fails(tmp_path, monkeypatch, place):
    def fail(*_, **__):
        raise Leak(SECRET)

    with serving(tmp_path, pace=0.05, timeout=0.3) as house:
        bearer, ana = house.bearer("ana"), Person(house, "ana")
        paid = house.run(bearer)
        if place == "render":
            monkeypatch.setattr("lapwing.server.pages.inquiring.budget", fail)
            monkeypatch.setattr("lapwing.server.api.policy_json", fail)
        else:
            monkeypatch.setattr(DuckDB, place, fail)
        answers = [
            house.run(bearer, epsilon=0.2),
            house.client.get("/api/tables", headers=bearer),
            ana.get("/tables/people"),
            ana.post("/tables/people/ask", {"form": ana.form, "sql": COUNT, "pay": "1/3", "key": "k"}),
        ]
        assert any(response.status_code == 500 for response in answers)
        for response in [paid, *answers]:
            assert SECRET not in response.text
            assert "Traceback" not in response.text
            assert "Leak" not in response.text
        log = "\n".join(house.log)
        assert SECRET not in log
        assert "mistake Leak at lapwing/" in log
        assert all("\n" not in line for line in house.log)
        assert SECRET not in house.accounts.path.read_bytes().decode("latin-1")


def test_what_is_written_into_the_log_is_one_line(town):
    house, _ = town
    house.client.get("/api/x%0d%0a2026 GET /forged 200")
    assert all(line.isprintable() for line in house.log)

"""The pages, without scripts: every way through them, and what they cost."""

import csv
import html
import io
import json
import re
from fractions import Fraction
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing.policy import read_policy
from lapwing.server.downloads import plain
from lapwing.session.charts import charts
from tests.cli.invoke import lapwing
from tests.server.browsing import Person, form_to, forms
from tests.server.making import BY_REGION, COUNT, PASSWORD, ROWS, SECRET, serving, tight


@pytest.fixture
def ana(own_house):
    return Person(own_house, "ana")


def test_in_and_out(own_house):
    person = Person(own_house)
    shown = person.get("/tables/people")
    assert shown.status_code == 303
    assert shown.headers["location"] == "/login?next=/tables/people"
    page = person.get(shown.headers["location"])
    done = person.send(page, "/login", name="ana", password=PASSWORD)
    assert done.headers["location"] == "/tables/people"
    assert "Ask about people" in person.follow(done).text
    left = person.send(person.get("/"), "/logout")
    assert left.headers["location"] == "/login"
    assert person.get("/").status_code == 303


def test_a_wrong_password_says_nothing_of_which_was_wrong(own_house):
    known, unknown = Person(own_house).log_in("ana", "wrong word"), Person(own_house).log_in("nobody", "wrong word")
    assert known.status_code == unknown.status_code == 401
    said = [page.text.partition('role="alert">')[2].partition("<")[0] for page in (known, unknown)]
    assert said[0] == said[1] != ""
    events = own_house.accounts.events(2)
    assert [event.what for event in events] == ["log-in refused"] * 2
    assert [event.account for event in events] == ["(no such name)", "ana"]  # what is no name may be a password


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "%2F%2Fevil.example", "x"]
)
def test_the_way_back_stays_here(own_house, back):
    person = Person(own_house)
    done = person.send(person.get(f"/login?next={quote(back)}"), "/login", name="ana", password=PASSWORD)
    assert done.headers["location"] == "/"


def test_ask_pay_see_keep_and_check(own_house, ana, tmp_path):
    console = ana.get("/tables/people")
    assert "ε 2 left" in console.text
    assert own_house.charges() == []
    priced = ana.send(console, "/tables/people/price", sql=BY_REGION, epsilon="0.5")
    [button] = [each for each in form_to(priced, "/tables/people/price")["buttons"] if each.get("name") == "pay"]
    assert (button["value"], button["formaction"]) == ("1/2", "/tables/people/ask")
    assert "Pay ε 0.5 and see the answer" in re.sub("<[^>]+>", "", priced.text)
    assert own_house.charges() == []
    fields = form_to(priced, "/tables/people/price")["fields"]
    done = ana.post("/tables/people/ask", {**fields, "pay": button["value"]})
    assert done.status_code == 303
    answer = ana.follow(done)
    assert "Paid ε 0.5; ε 1.5 left" in answer.text
    assert '<svg class="chart"' in answer.text
    assert "north" in answer.text
    [charge] = own_house.charges()
    assert (charge.analyst, charge.price) == ("ana", "epsilon 1/2")
    base = f"/tables/people/releases/{charge.sequence}"
    whole = ana.get(f"{base}/json")
    assert whole.headers["content-disposition"] == f'attachment; filename="people-{charge.sequence}.json"'
    for kind in ("json", "certificate"):
        (tmp_path / f"{kind}.json").write_text(ana.get(f"{base}/{kind}").text)
        assert lapwing("check", tmp_path / f"{kind}.json").exit_code == 0
    rows = list(csv.DictReader(io.StringIO(ana.get(f"{base}/csv").text)))
    assert [row["region"] for row in rows] == ["north", "south", "west"]
    assert float(rows[0]["n ±"]) > 0
    table = pa.parquet.read_table(io.BytesIO(ana.get(f"{base}/parquet").content))
    assert table.column("n").to_pylist() == [row["n"] for row in json.loads(whole.text)["rows"]]
    assert "<b>Accepted:</b>" in ana.send(ana.get(base), f"{base}/check").text
    assert ana.get(f"{base}/exe").status_code == 404
    history = ana.get("/tables/people/releases")
    assert "ε 0.5 is spent" in history.text
    for place in ("/", "/tables/people", "/tables/people/planner", "/tables/people/releases"):
        assert 'aria-label="75% left"' in ana.get(place).text  # as the words beside it say
    assert f'href="{base}"' in history.text


def test_a_form_that_is_sent_twice_is_charged_once(own_house, ana):
    priced = ana.send(ana.get("/tables/people"), "/tables/people/price", sql=COUNT, epsilon="0.5")
    fields = {**form_to(priced, "/tables/people/price")["fields"], "pay": "1/2"}
    one, two = (ana.post("/tables/people/ask", fields) for _ in range(2))
    assert one.headers["location"].partition("?")[0] == two.headers["location"].partition("?")[0]
    assert "for nothing" in ana.follow(two).text
    assert len(own_house.charges()) == 1
    refused = ana.post("/tables/people/ask", {**fields, "key": ""})
    assert refused.status_code == 400


def test_the_budget_runs_out_in_plain_words(own_house, ana):
    priced = ana.send(ana.get("/tables/people"), "/tables/people/price", sql=COUNT, epsilon="5")
    assert "more than is left" in priced.text
    assert "Pay" not in priced.text.partition("What it would cost")[2].partition("</table>")[0]
    fields = form_to(priced, "/tables/people/price")["fields"]
    refused = ana.post("/tables/people/ask", {**fields, "pay": "5"})
    assert refused.status_code == 409
    assert "epsilon 2 is left of the share" in refused.text
    assert COUNT in refused.text  # what was written is still there
    assert own_house.charges() == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"sql": "SELECT SUM(person) FROM people"}, "Q104"),
        ({"sql": COUNT, "epsilon": "lots"}, "A001"),
        ({"sql": COUNT, "within": "nothing"}, "A001"),
        ({"sql": COUNT, "rows": "many"}, "S139"),
        ({"sql": COUNT, "expect": "x"}, "S143"),
        ({"sql": "<script>alert(1)</script>"}, None),
    ],
    ids=str,
)
def test_a_price_that_cannot_be_had_says_why(house, fields, code):
    person = Person(house, "ana")
    page = person.send(person.get("/tables/people"), "/tables/people/price", **fields)
    assert page.status_code == 200 or page.status_code == 400
    assert code is None or f'<span class="code">{code}</span>' in page.text
    assert "<script>alert" not in page.text


def test_a_part_of_a_page_is_a_part(house):
    person = Person(house, "ana")
    fields = {"sql": BY_REGION, "form": person.form}
    price = person.post("/tables/people/price", fields, x_part="1")
    assert price.text.startswith("<h2")
    plan = person.post("/tables/people/plan", fields, x_part="1")
    assert "rule count" in plan.text
    assert "<html" not in price.text + plan.text
    refused = person.post("/tables/people/plan", {**fields, "sql": "nonsense"}, x_part="1")
    assert 'class="refused"' in refused.text
    stranger = Person(house).post("/tables/people/price", fields, x_part="1")
    assert stranger.status_code == 401
    assert "logged out" in stranger.text


def test_a_question_in_the_address_is_written_and_not_asked(house):
    before = house.ledger().head()
    person = Person(house, "ana")
    page = person.get(f"/tables/people?sql={quote(COUNT)}&epsilon=1&pay=1")
    assert COUNT in page.text
    assert house.ledger().head() == before


def test_planning_without_sql(own_house, ana):
    page = ana.get("/tables/people/planner")
    wish = {"by": "region", "only": "age", "how": ">=", "value": "18", "rows": "200", "within0": "10%"}
    wish |= {"statistic1": "mean", "column1": "age", "within1": "8", "guess1": "50"}
    planned = ana.send(page, "/tables/people/planner", **wish)
    assert "All together: ε" in planned.text
    assert own_house.charges() == []
    form = form_to(planned, "/tables/people/planner/pay")
    asked = json.loads(form["fields"]["questions"])
    assert asked[0]["sql"] == "SELECT region, COUNT(*) AS answer FROM people WHERE age >= 18 GROUP BY region"
    answer = ana.follow(ana.post("/tables/people/planner/pay", form["fields"]))
    assert "AVG(age)" in answer.text
    assert "as one charge" in answer.text
    again = ana.follow(ana.post("/tables/people/planner/pay", form["fields"]))  # pressed twice
    assert again.status_code == 200
    [charge] = own_house.charges()
    assert len(charge.price.split(" + ")) == 2
    saved = ana.get(f"/tables/people/releases/{charge.sequence}/page")
    assert saved.headers["content-disposition"].startswith("attachment")
    assert "<script" not in saved.text
    assert ana.get(f"/tables/people/releases/{charge.sequence}/csv").status_code == 404
    checked = ana.send(answer, f"/tables/people/releases/{charge.sequence}/check")
    assert "<b>Accepted:</b>" in checked.text


def test_a_plan_for_a_price(own_house, ana):
    page = ana.get("/tables/people/planner")
    planned = ana.send(page, "/tables/people/planner", within0="20", statistic1="median", column1="age", most="1/2")
    assert planned.status_code == 200
    asked = json.loads(form_to(planned, "/tables/people/planner/pay")["fields"]["questions"])
    assert sum(Fraction(each["epsilon"]) for each in asked) == Fraction(1, 2)
    dear = ana.send(page, "/tables/people/planner", within0="30", most="50")
    assert "more than is left" in dear.text
    assert own_house.charges() == []


@pytest.mark.parametrize(
    "questions", ["", "x", "3", "[3]", "[]", '[{"sql": 3}]', '[{"sql": "SELECT 1", "epsilon": 1}]']
)
def test_a_plan_that_was_tampered_with_costs_nothing(house, questions):
    person = Person(house, "ana")
    fields = {"form": person.form, "key": "k", "questions": questions}
    assert person.post("/tables/people/planner/pay", fields).status_code == 400
    assert house.charges() == []


@pytest.mark.parametrize(
    "wish",
    [
        {"only": "region", "value": "x' OR '1'='1", "within0": "9"},
        {"only": "age", "value": "1; DROP TABLE people", "within0": "9"},
        {"by": "nothing", "within0": "9"},
        {"statistic0": "mean", "column0": "", "within0": "9"},
        {"within0": ""},
        {"within0": "abc"},
        {"statistic0": "median", "column0": "age", "within0": "3"},
    ],
    ids=str,
)
def test_plans_that_cannot_be_had(house, wish):
    person = Person(house, "ana")
    page = person.send(person.get("/tables/people/planner"), "/tables/people/planner", **wish)
    assert page.status_code in (200, 400)
    assert 'class="refused"' in page.text or "OR ''1" in page.text.replace(
        "&#39;", "'"
    )  # a text with a quote in it is just a text


def test_mechanisms_are_shown_with_their_proof(house):
    person = Person(house, "bo")
    assert "/mechanisms/sparse_vector" in person.get("/mechanisms").text
    page = person.get("/mechanisms/sparse_vector").text
    assert "<b>Checked:</b>" in page
    assert "def sparse_vector" in page
    assert "noisy_threshold" in page.partition("Proof, by")[2].partition("<details>")[0]  # told step by step
    assert person.get("/mechanisms/nothing").status_code == 404


def test_ones_own_account(own_house, ana):
    made = ana.send(ana.get("/account"), "/account/token", scope="quote", days="7")
    token = made.text.partition('id="token">')[2].partition("<")[0]
    assert own_house.accounts.by_token(token)[1].scope == "quote"
    assert token not in ana.get("/account").text
    revoked = ana.send(ana.get("/account"), "/account/revoke")
    assert revoked.status_code == 303
    assert own_house.accounts.by_token(token) is None
    wrong = ana.send(
        ana.get("/account"), "/account/password", old="x", new="another long one", again="another long one"
    )
    assert wrong.status_code == 400
    differs = ana.send(
        ana.get("/account"), "/account/password", old=PASSWORD, new="another long one", again="other one"
    )
    assert differs.status_code == 400
    other = Person(own_house, "ana")
    done = ana.send(
        ana.get("/account"), "/account/password", old=PASSWORD, new="another long one", again="another long one"
    )
    assert done.headers["location"] == "/login"
    assert other.get("/").status_code == 303  # the other browser is out too
    assert Person(own_house).log_in("ana").status_code == 401
    again = Person(own_house, "ana", "another long one")
    elsewhere = Person(own_house, "ana", "another long one")
    again.send(again.get("/account"), "/account/everywhere")
    assert elsewhere.get("/").status_code == 303


def test_a_curator_protects_a_table_and_adds_an_analyst(own_house):
    table = pa.table({"person": [1, 1, 2], "cost": [1.0, 2.0, 3.0], "ward": [SECRET, "b", "b"]})
    pa.parquet.write_table(table, own_house.folder / "visits.parquet")
    eva = Person(own_house, "eva")
    assert "/curate/protect?file=visits.parquet" in eva.get("/curate").text
    page = eva.get("/curate/protect?file=visits.parquet")
    assert SECRET not in page.text
    wish = {"unit": "person", "rows": "2", "low1": "0", "high1": "100", "keys2": 'a, b, "c, d"', "epsilon": "3"}
    refused = eva.send(page, "/curate/protect", **{**wish, "high1": ""})
    assert refused.status_code == 400
    assert 'value="a, b, &#34;c, d&#34;"' in refused.text  # what was written is still there
    assert not (own_house.folder / "visits.lapwing.toml").exists()
    done = eva.send(page, "/curate/protect", **wish)
    assert done.headers["location"] == "/curate/tables/visits"
    policy = read_policy(own_house.folder / "visits.lapwing.toml")
    assert policy.tables[0].column("ward").keys == ("a", "b", "c, d")
    assert (policy.tables[0].unit, policy.tables[0].rows_per_unit, policy.budget.epsilon) == ("person", 2, 3)
    accounts = eva.get("/curate/accounts")
    fields = {"name": "kim", "password": PASSWORD, "role": "analyst", "table": "visits", "epsilon": "1"}
    added = eva.send(accounts, "/curate/accounts/add", **fields)
    assert "The account is added." in eva.follow(added).text
    kim = Person(own_house, "kim")
    assert "visits" in kim.get("/").text
    assert "people" not in kim.get("/").text
    eva.send(eva.get("/curate/accounts"), "/curate/accounts/share", name="kim", table="people", epsilon="1/2")
    assert "Ask about people" in kim.get("/tables/people").text
    assert "ε 0.5 left" in kim.get("/tables/people").text
    state = {"name": "kim", "state": "disabled", "form": eva.form}
    eva.post("/curate/accounts/state", state)
    assert kim.get("/").status_code == 303
    told = eva.get("/curate/events").text
    assert all(word in told for word in ("table protected", "account added", "share given", "account disabled"))
    assert "The chain of events is intact" in told


def test_who_spent_what(own_house):
    own_house.run(own_house.bearer("ana"), epsilon=0.5)
    page = Person(own_house, "eva").get("/curate/tables/people").text
    assert "is intact" in page
    assert COUNT in page
    assert "ε 0.5" in page
    assert "name = &#34;people&#34;" in page  # the policy


def test_the_curators_own_refusals_are_pages(own_house):
    eva = Person(own_house, "eva")
    page = eva.get("/curate/accounts")
    for action, fields in (
        ("/curate/accounts/add", {"name": "ana", "password": PASSWORD, "role": "analyst"}),
        ("/curate/accounts/add", {"name": "lee", "password": "short", "role": "analyst"}),
        (
            "/curate/accounts/add",
            {"name": "lee", "password": PASSWORD, "role": "analyst", "table": "x", "epsilon": "1"},
        ),
        ("/curate/accounts/share", {"name": "ana", "table": "people", "epsilon": "-1"}),
        ("/curate/accounts/share", {"name": "lee", "table": "people", "epsilon": "1"}),
    ):
        refused = eva.post(action, {"form": eva.form, **fields})
        assert refused.status_code == 400, (action, fields)
        assert 'class="refused"' in refused.text
    assert eva.post("/curate/accounts/state", {"form": eva.form, "name": "eva", "state": "disabled"}).status_code == 400
    assert eva.get("/curate/protect?file=../people.parquet").status_code == 404
    assert eva.get("/curate/protect?file=people.parquet").status_code == 404  # protected already
    assert page.status_code == 200


def test_static_files_are_these_alone(house):
    client = house.client
    assert client.get("/static/lapwing.css").headers["content-type"].startswith("text/css")
    assert client.get("/static/lapwing.js").status_code == 200
    for name in ("../application.py", "..%2fapplication.py", "nothing", "lapwing.css%00"):
        assert client.get(f"/static/{name}").status_code == 404


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM people GROUP BY ROLLUP (region)",
        "SELECT COUNT(*) AS n FROM people UNION ALL SELECT SUM(age) FROM people",
        "WITH a AS (SELECT region, COUNT(*) AS n FROM people GROUP BY region) SELECT SUM(n) AS t FROM a",
        "SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM people",
        "SELECT region FROM people GROUP BY region",
        "SELECT COUNT(*) AS n FROM people WHERE age < 0",
    ],
)
def test_the_page_of_an_answer_has_its_question_whatever_its_kind(own_house, ana, sql):
    """Also where several aggregates were measured for one answer, and the certificate is of several."""
    done = ana.post("/tables/people/ask", {"form": ana.form, "sql": sql, "pay": "1/10", "key": "k"})
    if done.status_code == 303:
        page = ana.follow(done)
        assert page.status_code == 200, own_house.log[-2:]
        assert html.escape(sql, quote=False) in page.text
        at = done.headers["location"].partition("?")[0]
        assert "Accepted" in ana.post(f"{at}/check", {"form": ana.form}).text
        assert ana.get(f"{at}/csv").status_code == ana.get(f"{at}/parquet").status_code == 200
    else:
        assert done.status_code == 400
        assert own_house.charges() == []


def test_a_table_that_is_protected_anew_while_it_is_served(own_house, ana):
    assert ana.get("/tables/people").status_code == 200
    policy = own_house.folder / "people.lapwing.toml"
    text = policy.read_text()
    policy.write_text(text.replace('epsilon = "10"', 'epsilon = "11"'))
    page = ana.get("/tables/people")
    assert page.status_code == 503
    assert "D130" in page.text
    assert str(own_house.folder) not in page.text
    assert any("L120" in line for line in own_house.log)
    assert lapwing("protect", own_house.folder / "people.parquet", "--renew").exit_code == 0
    assert ana.get("/tables/people").status_code == 200


def test_data_that_changed_are_not_asked_until_they_are_accepted(own_house):
    from tests.server.making import write_people

    bearer = own_house.bearer("ana")
    assert own_house.run(bearer).status_code == 200
    write_people(own_house.folder, ROWS + 1)
    refused = own_house.run(bearer, epsilon=0.2)
    assert (refused.status_code, refused.json()["code"]) == (503, "S134")
    assert len(own_house.charges()) == 1
    assert lapwing("protect", own_house.folder / "people.parquet", "--renew").exit_code == 0
    assert own_house.run(bearer, epsilon=0.2).status_code == 200


def test_log_in_is_limited_by_name(tmp_path):
    with serving(tmp_path, rates=tight(pairs=3)) as house:
        for _ in range(5):
            assert Person(house).log_in("ana").status_code == 303  # right ones do not count
        for _ in range(3):
            assert Person(house).log_in("ana", "wrong word").status_code == 401
        refused = Person(house).log_in("ana")  # even the right one
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert Person(house).log_in("bo").status_code == 303


def test_pictures_leave_out_what_noise_has_drowned():
    rows = [{"k": "a", "n": 100}, {"k": "b", "n": -3}, {"k": "<c>", "n": None}]
    margins = [{"k": None, "n": 5.0}, {"k": None, "n": 1e9}, {"k": None, "n": None}]
    [chart] = charts({"columns": ["k", "n"], "rows": rows, "margins": margins})
    assert "&lt;c&gt;" in chart.svg
    assert "faint" in chart.svg
    assert "e+" not in chart.svg
    unknown = {"columns": ["k", "n"], "rows": [{"k": "a", "n": 5}, {"k": "b", "n": 900}]}
    [chart] = charts({**unknown, "margins": [{"k": None, "n": 1.0}, {"k": None, "n": None}]})
    assert chart.svg.count("bar faint") == 1  # what is not known is not drawn as if it were
    assert charts({"columns": ["n"], "rows": [{"n": 1}], "margins": [{"n": 1.0}]}) == []


def test_cells_are_no_formulas():
    assert [plain(each) for each in ("=1+1", "@x", "north", -3, None)] == ["'=1+1", "'@x", "north", -3, None]


def test_a_policy_with_another_name_than_its_file_is_not_served(own_house, ana):
    policy = own_house.folder / "people.lapwing.toml"
    policy.write_text(policy.read_text().replace('name = "people"', 'name = "persons"', 1))
    assert ana.get("/tables/people").status_code == 503
    assert any("D138" in line for line in own_house.log)
    assert "people" not in ana.get("/").text.partition("<h1>")[2]  # others could still be asked


def test_a_curator_has_ranges_found_and_writes_them(tmp_path):
    import numpy as np

    who = np.repeat(np.arange(3000), 3)
    rows = pa.table({"person": who, "cost": np.linspace(5, 60, len(who)), "ward": ["a", "b", "a"] * 3000})
    pa.parquet.write_table(rows, tmp_path / "visits.parquet")
    with serving(tmp_path) as house:
        eva = Person(house, "eva")
        form = eva.get("/curate/protect?file=visits.parquet")
        assert "found privately afterwards" in form.text
        made = eva.follow(eva.send(form, "/curate/protect", unit="person", epsilon="4", analyst="eva"))
        advice = eva.follow(eva.send(made, "/curate/tables/visits/advise", epsilon="2"))
        assert advice.status_code == 200, advice.text
        assert "+ cost = { kind = &#34;real&#34;, low = &#34;4&#34;, high = &#34;64&#34; }" in advice.text
        assert "+ rows_per_unit = 3" in advice.text
        assert "+ groups_per_unit = 2" in advice.text
        [write] = [form["action"] for form in forms(advice) if form["action"].endswith("/write")]
        before = (tmp_path / "visits.lapwing.toml").read_text()
        ana = Person(house, "ana")
        assert ana.post(write, {"form": ana.form}).status_code == 403
        assert (tmp_path / "visits.lapwing.toml").read_text() == before
        written = eva.follow(eva.send(advice, write))
        assert "The policy was changed" in written.text
        [table] = read_policy(tmp_path / "visits.lapwing.toml").tables
        assert (table.rows_per_unit, table.groups_per_unit, table.column("cost").high) == (3, 2, 64)
        assert "policy changed" in eva.get("/curate/events").text
        assert "Nothing: the policy says the same" in eva.get(write.removesuffix("/write")).text
        again = eva.get(f"/curate/tables/visits/advice/{house.charges('visits')[0].sequence}")
        assert again.status_code == 200
        kept = eva.get(f"/tables/visits/releases/{house.charges('visits')[0].sequence}").text
        assert all(words in kept for words in ("Advice on ranges and limits", "Rows of a person", "suggested: 3"))
        for page in ("/tables/visits/releases", "/curate/tables/visits"):
            assert "Advice on ranges and limits" in eva.get(page).text
        asked = eva.post(
            "/tables/visits/ask", {"form": eva.form, "sql": "SELECT SUM(cost) AS s FROM visits", "pay": "1", "key": "k"}
        )
        assert asked.status_code == 303  # the ledger goes along
        charge = house.charges("visits")[-1].sequence
        assert eva.get(f"/curate/tables/visits/advice/{charge}").status_code == 400  # an answer is no advice

"""The pages in a browser: prices while typing, paying, planning, curating. Any message of the browser is a failure."""

import re
import shutil

import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing import library
from lapwing import open as lapwing_open
from tests.cli.invoke import lapwing
from tests.server.making import BY_REGION, PASSWORD, fast_passwords, make_folder
from tests.server.running import running

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser tests")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium was found: no browser tests")

DESK, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server: its address, and its folder. Ana and bo each spend in one test only, and cal in the others."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patched:
        fast_passwords(patched)
        accounts = make_folder(folder, epsilon=20, shares=(("ana", 2), ("bo", 1), ("cal", 10)))
        accounts.add("cal", "analyst", PASSWORD, "test")
    with running(folder, "--pace", "0.05") as server:
        yield server.url, folder


@pytest.fixture
def sit(browser, site):
    """A way to sit down at the server; whatever the browser complains about fails the test."""
    said, contexts = [], []

    def sit_down(name=None, **options):
        context = browser.new_context(**{"viewport": DESK, "accept_downloads": True, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        if name is not None:
            page.goto(f"{site[0]}/login")
            page.get_by_label("Name").fill(name)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Log in").click()
            page.wait_for_url(f"{site[0]}/")
        return page

    yield sit_down
    for context in contexts:
        context.close()
    refused = [each for each in said if "status of 4" in each]  # a browser notes refusals itself
    assert [each for each in said if each not in refused] == []


def test_ask_pay_and_check(sit, site, tmp_path):
    page = sit("ana")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Question").fill(BY_REGION)
    page.get_by_label("Price ε").press_sequentially("0.5")
    pay = page.get_by_role("button", name="Pay ε 0.5 and see the answer")
    pay.wait_for()  # the price came while typing, without a button
    page.get_by_role("button", name="Show how it is understood").click()
    page.get_by_text("rule count").first.wait_for()
    assert page.url.endswith("/tables/people")  # still here
    pay.click()
    page.wait_for_url(re.compile(r"/releases/\d+\?said=paid"))
    assert page.get_by_role("status").inner_text() == "Paid ε 0.5; ε 1.5 left."
    assert page.locator("svg.chart").count() == 2
    assert page.get_by_role("cell", name="north").count() == 1
    with page.expect_download() as started:
        page.get_by_role("link", name="Certificate").click()
    started.value.save_as(tmp_path / "certificate.json")
    assert lapwing("check", tmp_path / "certificate.json").exit_code == 0
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON with everything").click()
    started.value.save_as(tmp_path / "answer.json")
    assert lapwing("check", tmp_path / "answer.json", "--source", site[1] / "people.parquet").exit_code == 0
    page.get_by_role("button", name="Check it here").click()
    page.get_by_text("Accepted:").wait_for()


def test_the_button_never_names_the_price_of_another_question(sit, site):
    page = sit("cal")
    page.goto(f"{site[0]}/tables/people")
    page.get_by_label("Question").fill("SELECT COUNT(*) AS n FROM people")
    page.get_by_label("May be off by").fill("20")
    first = page.locator("#price button")
    sync_api.expect(first).to_have_count(1)  # before it is said how far off, there is one for each of some prices
    page.route("**/price", lambda _: None)  # an answer that does not come
    page.get_by_label("Question").press_sequentially(" WHERE age > 3")
    assert first.is_disabled()


def test_the_budget_runs_out(sit, site):
    page = sit("bo")
    page.goto(f"{site[0]}/tables/people")
    page.get_by_label("Question").fill("SELECT COUNT(*) AS n FROM people")
    page.get_by_label("Price ε").fill("1")
    page.get_by_role("button", name="Pay ε 1 and").click()
    page.wait_for_url(re.compile("said=paid"))
    page.get_by_role("link", name="Ask another question").click()
    page.get_by_label("Question").fill("SELECT AVG(age) AS a FROM people")
    page.get_by_label("Price ε").fill("0.1")
    page.locator("#price").get_by_text("more than is left").wait_for()
    page.get_by_text("ε 0 left").wait_for()
    assert page.locator("#price button").count() == 0


def test_plan_without_sql(sit):
    page = sit("cal")
    page.get_by_role("link", name="Plan without SQL").click()
    page.get_by_label("For each").select_option("region")
    page.get_by_label("statistic 1 may be off by").fill("20")
    page.get_by_label("statistic 2", exact=True).select_option("Average of")
    page.get_by_label("column of statistic 2").select_option("age")
    page.get_by_label("statistic 2 may be off by").fill("5")
    page.get_by_role("button", name="Show what it costs").click()
    page.get_by_text("All together:").wait_for()
    page.get_by_role("button", name=re.compile("Pay ε .* and see the answers")).click()
    page.wait_for_url(re.compile("said=paid"))
    assert page.locator("svg.chart").count() == 2
    page.get_by_role("button", name="Check it here").click()
    page.get_by_text("Accepted:").wait_for()


def test_a_curator_has_advice(sit, site):
    table = pa.table({"person": [i // 2 for i in range(8000)], "cost": [float(i % 50) for i in range(8000)]})
    pa.parquet.write_table(table, site[1] / "bills.parquet")
    page = sit("eva")
    page.goto(f"{site[0]}/curate/protect?file=bills.parquet")
    page.get_by_label("The column that says whose row it is").select_option("person")
    page.get_by_label("Account").select_option("eva")
    page.get_by_role("button", name="Protect it").click()
    page.get_by_label("Price ε").fill("0.5")
    page.get_by_role("button", name="Pay and see the advice").click()
    page.get_by_role("button", name="Write it into the policy").wait_for()
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="Write it into the policy").click()
    page.get_by_text("The policy was changed").wait_for()
    assert "rows_per_unit = 2" in (site[1] / "bills.lapwing.toml").read_text()


def test_a_curator_protects_a_table_and_adds_an_analyst(sit, site):
    pa.parquet.write_table(pa.table({"person": [1, 2, 2], "cost": [3.0, 4.0, 5.0]}), site[1] / "visits.parquet")
    page = sit("eva")
    page.get_by_role("link", name="Curate").click()
    page.get_by_role("link", name="visits.parquet").click()
    page.get_by_label("The column that says whose row it is").select_option("person")
    page.get_by_label("least cost").fill("0")
    page.get_by_label("greatest cost").fill("10")
    page.get_by_role("button", name="Protect it").click()
    page.get_by_text("is intact").wait_for()
    page.get_by_role("link", name="Accounts and shares").click()
    form = page.locator("form[action='/curate/accounts/add']")
    form.get_by_label("Name").fill("kim")
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_label("Share of").select_option("visits")
    form.get_by_label("ε", exact=True).fill("1")
    form.get_by_role("button", name="Add").click()
    page.get_by_text("The account is added.").wait_for()
    kim = sit("kim")
    kim.get_by_role("heading", name="visits").wait_for()


def pages_of(name, folder):
    """Every page of somebody, with an answer, a plan's answers and advice that they paid for."""
    asking = ["/", "/tables/people", "/tables/people/planner", "/tables/people/releases", "/mechanisms", "/account"]
    curating = [
        "/curate",
        "/curate/tables/people",
        "/curate/accounts",
        "/curate/events",
        "/curate/protect?file=new.csv",
    ]
    (folder / "new.csv").write_text("person,age\n1,2\n")
    with lapwing_open(folder / "people.parquet", analyst="cal") as session:
        answer = session.sql(BY_REGION, epsilon="1/100").receipt["sequence"]
        report = session.plan([{"sql": BY_REGION, "epsilon": "1/100"}]).run().receipt["sequence"]
        queries = ["SELECT COUNT(*) AS n FROM people"] * 2
        applied = session.apply(library.noisy_max, queries, epsilon="1/100", sensitivity=1).receipt["sequence"]
    mechanism = "/mechanisms/sparse_vector"
    paid = [f"/tables/people/releases/{charge}" for charge in (answer, report, applied)]
    return [*asking, mechanism, *paid] if name == "cal" else curating


@pytest.mark.parametrize("name", ["cal", "eva"])
@pytest.mark.parametrize("dark", [False, True])
def test_every_page_fits_a_phone(sit, site, name, dark):
    page = sit(name, viewport=PHONE, color_scheme="dark" if dark else "light")
    for path in pages_of(name, site[1]):
        page.goto(site[0] + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        assert page.locator("h1").count() == 1, path
        unnamed = page.locator("input:not([type=hidden]), select, textarea").evaluate_all(
            "all => all.filter(e => !e.labels?.length && !e.ariaLabel && e.ariaHidden !== 'true').map(e => e.name)"
        )
        assert unnamed == [], path
        if path.endswith("/planner"):
            page.get_by_label("statistic 1 may be off by").fill("20")
            page.get_by_role("button", name="Show what it costs").click()
            page.get_by_text("All together:").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "an offer"


def test_the_keyboard_is_enough(sit, site):
    page = sit("cal")
    page.goto(f"{site[0]}/tables/people")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(4):  # the tabs, then the question
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "sql":
            break
    page.keyboard.type("SELECT COUNT(*) AS n FROM people")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("0.25")
    page.get_by_role("button", name="Pay ε 0.25").wait_for()
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "pay":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("said=paid"))


def test_all_of_it_without_scripts(sit, site):
    page = sit("cal", java_script_enabled=False)
    page.goto(f"{site[0]}/tables/people")
    page.get_by_label("Question").fill(BY_REGION)
    page.get_by_label("Price ε").fill("0.5")
    page.get_by_role("button", name="Show the price").click()
    page.get_by_role("button", name="Pay ε 0.5 and see the answer").click()
    page.wait_for_url(re.compile("said=paid"))
    assert page.locator("svg.chart").count() == 2

"""Who may ask of a table: shares given by several curators at once, and a new table that nobody may ask yet."""

import re
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing.policy import read_policy
from lapwing.server.granting import give
from tests.server.browsing import Person


def test_shares_given_at_once_are_all_given(own_house):
    """Each is written into the policy and the ledger: two at a time would undo one another, or let them disagree."""
    names = [f"analyst {number}" for number in range(6)]
    policy = own_house.folder / "people.lapwing.toml"
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: give(own_house.accounts, policy, name, "1/2", "eva"), names))
    assert {each.name for each in read_policy(policy).analysts} == {"ana", "bo", *names}
    assert own_house.run(own_house.bearer("ana")).status_code == 200  # the ledger enforces what the policy says


@pytest.fixture
def visits(own_house):
    pa.parquet.write_table(pa.table({"person": [1, 2], "cost": [3.0, 4.0]}), own_house.folder / "visits.parquet")
    return own_house.folder / "visits.lapwing.toml"


def protect(house, **fields):
    eva = Person(house, "eva")
    page = eva.get("/curate/protect?file=visits.parquet")
    return eva.send(page, "/curate/protect", unit="person", epsilon="1", **fields)


def test_a_new_table_is_nobodys_until_somebody_is_named(own_house, visits):
    """Not anybody's who is called analyst, as it is on the command line, where names are taken at their word."""
    assert protect(own_house).status_code == 303
    assert read_policy(visits).analysts == ()
    eva = Person(own_house, "eva")
    assert "You have no share of this table" in eva.get("/curate/tables/visits").text
    eva.send(eva.get("/curate/accounts"), "/curate/accounts/share", name="ana", table="visits", epsilon="1")
    asked = own_house.run(own_house.bearer("ana"), "SELECT COUNT(*) AS n FROM visits", "visits", epsilon="1/2")
    assert asked.status_code == 200, asked.text


def test_a_share_of_a_new_table_is_for_an_account(own_house, visits):
    refused = protect(own_house, analyst="anna")
    assert refused.status_code == 400
    assert "There is no account &#39;anna&#39;" in refused.text
    assert not visits.exists()
    assert protect(own_house, analyst="ana", share="1/2").status_code == 303
    assert [(each.name, str(each.epsilon)) for each in read_policy(visits).analysts] == [("ana", "1/2")]


def test_a_table_that_nobody_can_ask_says_so_to_its_curator(own_house, visits):
    assert protect(own_house).status_code == 303
    eva = Person(own_house, "eva")
    assert "nobody yet" in eva.get("/curate").text
    assert "Nobody with an account may ask this table" in eva.get("/curate/tables/visits").text
    give(own_house.accounts, visits, "ana", "1/2", "eva")
    assert "nobody yet" not in eva.get("/curate").text
    assert "Nobody with an account" not in eva.get("/curate/tables/visits").text
    own_house.accounts.set_disabled("ana", True, "eva")
    assert "nobody yet" in eva.get("/curate").text
    assert "(nobody logs in by this name)" in eva.get("/curate/tables/visits").text


@pytest.mark.usefixtures("visits")
def test_what_is_left_is_drawn_where_prices_are_mixed(own_house):
    """With prices in epsilon and in rho there is no sum of what was spent; the bar once showed all of it as spent."""
    assert protect(own_house, delta="1/1000000", analyst="ana", keys0="1, 2").status_code == 303
    for price in ({"epsilon": "1/10"}, {"rho": "1/1000"}):
        asked = own_house.run(own_house.bearer("ana"), "SELECT COUNT(*) AS n FROM visits", "visits", **price)
        assert asked.status_code == 200, asked.text
    eva = Person(own_house, "eva")
    for page in (eva.get("/curate").text, eva.get("/curate/tables/visits").text):
        shown = {int(part) for part in re.findall(r'aria-label="(\d+)% left"', page)}
        assert shown
        assert all(50 < part <= 100 for part in shown), shown

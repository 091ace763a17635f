"""Prices as people read them: short, never less than is charged; and what a button says is what it charges."""

import re
from fractions import Fraction

import pytest

from lapwing.server.pages.drawing import charged_text, left_text, price_text, rounded
from tests.server.browsing import Person
from tests.server.making import COUNT


@pytest.mark.parametrize(
    ("number", "up", "down"),
    [
        ("1/10", "0.1", "0.1"),
        ("0.12345", "0.12345", "0.12345"),  # as it was typed
        ("79/512", "0.155", "0.154"),
        ("31/512", "0.0606", "0.0605"),
        ("1/3", "0.334", "0.333"),
        ("0", "0", "0"),
        ("999999/1000003", "1", "0.999"),
        ("1/3000000000", "3.34e-10", "3.33e-10"),
    ],
)
def test_numbers_for_people(number, up, down):
    assert (rounded(number, up=True), rounded(number, up=False)) == (up, down)
    assert Fraction(down) <= Fraction(number) <= Fraction(up)


def test_prices_and_what_is_left():
    assert price_text({"epsilon": "79/512", "delta": "1/1000000"}) == "ε 0.155, δ 1e-6"
    assert left_text({"epsilon": "19/10", "delta": "1/2000000000", "rho": "100/7193"}) == "ε 1.9, or ρ 0.0139"
    assert left_text({"epsilon": "2"}) == "ε 2"
    assert charged_text("epsilon 1/10 + epsilon 1/10") == "ε 0.2"  # as it was paid, in one charge
    assert charged_text("rho 1/2") == "ρ 0.5"


def paid(person, page, **more):
    """Presses the first button that pays, with the fields of the page; what it said, and where it led."""
    said = re.search(r'name="pay" value="([^"]+)"[^>]*><span>Pay (ε [^<]+)<', page.text)
    fields = dict(re.findall(r'name="(key|telling|form)" value="([^"]*)"', page.text))
    done = person.post("/tables/people/ask", {"sql": COUNT, **fields, "pay": said[1], **more})
    return said[2], person.follow(done)


def test_what_was_cut_is_told_for_a_price_that_the_button_names(own_house):
    ana = Person(own_house, "ana")
    asked = {"form": ana.form, "sql": COUNT, "epsilon": "0.1", "cut": "0.05"}
    said, page = paid(ana, ana.post("/tables/people/price", asked), cut="1")  # written after the price was shown
    assert said == "ε 0.15"
    assert "Cut by the limit: about" in page.text
    assert [entry.price for entry in own_house.charges()] == ["epsilon 3/20"]


def test_what_was_cut_is_not_told_to_who_cannot_pay_for_it(own_house):
    ana = Person(own_house, "ana")  # has 2
    part = {"form": ana.form, "sql": COUNT, "epsilon": "1.9"}
    assert "Pay ε 1.9" in ana.post("/tables/people/price", part, X_Part="1").text
    assert "more than is left" in ana.post("/tables/people/price", {**part, "cut": "0.2"}, X_Part="1").text
    for nothing in ("0", "-1", "x", "nan"):
        refused = ana.post("/tables/people/price", {**part, "cut": nothing}, X_Part="1").text
        assert "price of what was cut" in refused
        assert "Pay" not in refused
    forged = {**part, "pay": "1/10", "key": "k", "telling": "-1"}
    assert ana.post("/tables/people/ask", forged).status_code == 400
    assert own_house.charges() == []


def test_the_planner_says_what_is_missing(own_house):
    ana = Person(own_house, "ana")
    page = ana.get("/tables/people/planner")

    def plan(**fields):
        return ana.send(page, "/tables/people/planner", **fields).text

    assert "Nothing says how exact How many should be" in plan(statistic0="count")
    median = {"statistic0": "median", "column0": "age"}
    assert "A median is off by some ranks of people, and not by 5" in plan(**median, within0="5")
    assert "Say what to pay in all" in plan(**median)
    assert re.search(r"Pay ε 0.5 and see the answers", plan(**median, most="0.5"))
    mean = {"statistic0": "mean", "column0": "age", "within0": "5%"}
    assert "Say what you expect of Average of age, about" in plan(**mean)
    assert "All together" in plan(**mean, guess0="50")
    assert "All together" in plan(statistic0="count", within0="5%")  # of the rows that a group has, about
    priced = plan(statistic0="count", within0="20")
    prices = re.findall(r"ε ([0-9.]+)", priced)
    assert prices
    assert all(len(each.replace(".", "").lstrip("0")) <= 3 for each in prices)

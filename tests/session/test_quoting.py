"""Prices before paying."""

from fractions import Fraction

import pytest

from lapwing.errors import InvalidInput
from tests.session.tables import protected


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def test_a_quote_costs_nothing_and_says_what_the_release_will(session):
    text = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
    quote = session.quote(text, epsilon=1)
    assert session.remaining.epsilon == 10
    release = session.sql(text, epsilon=1)
    assert quote.margins["n"] == release.margins.column("n")[0].as_py()
    assert quote.price == release.spent


def test_a_price_is_derived_from_the_accuracy_wanted(session):
    text = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
    quote = session.quote(text, within="2%", rows=500)
    assert quote.margins["n"] <= 10
    cheaper = session.quote(text, epsilon=Fraction(quote.price["epsilon"]) * Fraction(19, 20))
    assert cheaper.margins["n"] > 10 or Fraction(quote.price["epsilon"]) < Fraction(3, 10)


def test_a_mean_is_more_exact_over_more_rows(session):
    text = "SELECT AVG(income) AS pay FROM people"
    few, many = (session.quote(text, epsilon=1, rows=rows).margins["pay"] for rows in (100, 10_000))
    assert many < few / 20


def test_without_a_price_there_are_several_offers(session):
    offers = session.quote("SELECT COUNT(*) FROM people").offers
    assert len(offers) > 3
    margins = [offer.margins["count(*)"] for offer in offers]
    assert margins == sorted(margins, reverse=True)
    assert all(offer.affordable for offer in offers)


@pytest.mark.parametrize(
    "bad",
    [{"within": 0}, {"within": "x"}, {"within": "1%", "epsilon": 1}, {"rows": 0}, {"within": "1e-9"}, {"rows": True}],
)
def test_bad_wishes_are_refused(session, bad):
    with pytest.raises(InvalidInput):
        session.quote("SELECT AVG(income) FROM people", **bad)


def test_what_is_not_expected_is_quoted_at_worst(session):
    text = "SELECT AVG(income) AS pay, STDDEV(income) AS spread, COUNT(*) AS n FROM people"
    worst = session.quote(text, epsilon=1)
    assert worst.at_worst == ("pay", "spread")
    half = session.quote(text, epsilon=1, expect={"income": 50_000})
    assert half.at_worst == ("spread",)
    both = session.quote(text, epsilon=1, expect={"pay": 50_000, "spread": "30000"})
    assert (both.at_worst, both.expected) == ((), {"pay": 50_000.0, "spread": 30_000.0})
    assert both.margins["pay"] == half.margins["pay"] < worst.margins["pay"]
    assert both.margins["spread"] < half.margins["spread"] < worst.margins["spread"]
    assert both.margins["n"] == worst.margins["n"]
    assert "at worst" in str(worst)
    assert "if pay is about 50,000 and spread is about 30,000" in str(both)


def test_a_part_of_an_answer_needs_an_answer(session):
    for statistic in ("AVG(income)", "STDDEV(income)", "VARIANCE(income)", "SUM(income)", "SUM(income) / COUNT(*)"):
        with pytest.raises(InvalidInput, match=r"S144 .*--expect"):
            session.quote(f"SELECT {statistic} AS x FROM people", within="2%")
    quote = session.quote("SELECT AVG(income) AS pay FROM people", within="2%", expect={"income": 30_000})
    assert quote.margins["pay"] <= 600
    quote = session.quote("SELECT SUM(income) / COUNT(*) AS pay FROM people", within="2%", expect={"income": 30_000})
    assert quote.margins["pay"] <= 600
    quote = session.quote("SELECT SUM(income) AS pay FROM people", within="2%", expect={"pay": 30_000_000})
    assert quote.margins["pay"] <= 600_000
    quote = session.quote("SELECT STDDEV(income) AS spread FROM people", within="10%", expect={"spread": 30_000})
    assert quote.margins["spread"] <= 3000


def test_counts_can_be_expected_by_name(session):
    text = "SELECT COUNT(*) AS n, COUNT_IF(ill) AS ill FROM people"
    quote = session.quote(text, within="10%", rows=1000, expect={"ill": 200})
    assert 0 < quote.margins["ill"] <= 20


def test_a_column_is_expected_where_it_is_clipped_and_in_any_case(session):
    quote = session.quote("SELECT AVG(CLIP(income, 0, 1000)) AS x FROM people", epsilon=1, expect={"INCOME": 900})
    assert quote.at_worst == ()
    with pytest.raises(InvalidInput, match="S143"):
        session.quote("SELECT AVG(CLIP(income, 0, 1000)) AS x FROM people", epsilon=1, expect={"income": 1001})


def test_keys_beside_noise_are_tried_too(session):
    text = "SELECT age, age * COUNT(*) AS x, COUNT(*) AS n FROM people GROUP BY age"
    quote = session.quote(text, epsilon=1)
    assert quote.margins["x"] == pytest.approx(100 * quote.margins["n"])


def test_where_noise_may_divide_by_zero_no_margin_is_known(session):
    text = "SELECT SUM(income) / COUNT(*) AS pay, MEDIAN(income) AS middle FROM people"
    quote = session.quote(text, epsilon="0.01", rows=10)
    assert quote.margins == {"pay": None, "middle": None}
    first = str(quote).splitlines()[1].split()
    assert first[-2:] == ["?", "rank"]
    assert session.quote(text, within="100", rows=1000).margins["pay"] <= 100


@pytest.mark.parametrize(
    "expect",
    [
        [("pay", 1)],
        {"wages": 1},
        {"pay": -1},
        {"pay": 100_001},
        {"spread": 50_001},
        {"n": -1},
        {"half": 5},
        {"region": 1},
    ],
)
def test_what_cannot_be_is_not_expected(session, expect):
    text = "SELECT region, AVG(income) AS pay, STDDEV(income) AS spread, COUNT(*) AS n, AVG(income) / 2 AS half"
    with pytest.raises(InvalidInput, match="S143"):
        session.quote(f"{text} FROM people GROUP BY region", epsilon=1, expect=expect)

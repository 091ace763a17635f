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

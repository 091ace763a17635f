"""A question of several aggregates: one price, one charge, one certificate that is checked part by part."""

import copy
import json

import numpy as np
import pytest

from lapwing.errors import BudgetExceeded, LapwingError
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from lapwing.session.verifying import verify_release
from tests.session.tables import protected

ROLLUP = "SELECT region, COUNT(*) AS n FROM people GROUP BY ROLLUP (region)"
UNION = "SELECT 'n' AS what, COUNT(*) AS n FROM people UNION ALL SELECT 'age', SUM(age) FROM people"
SHARE = "SELECT region, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM people GROUP BY region"


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with protected(tmp_path_factory.mktemp("several"), epsilon=100, delta="1e-6") as opened:
        yield opened


def test_the_price_of_all_is_what_was_asked_for_and_charged_once(session):
    before, entries = session.remaining.epsilon, len(list(session.ledger.entries()))
    release = session.sql(ROLLUP, epsilon=1)
    assert before - session.remaining.epsilon == 1
    assert len([each for each in session.ledger.entries() if each.kind == "charge"][entries:]) <= 1
    assert release.spent == {"epsilon": "1"}
    assert [row["region"] for row in release][-1] is None
    total = list(release)[-1]["n"]
    assert abs(total - 2000) < 60
    assert session.sql(ROLLUP, epsilon=1).repeated


def test_a_measurement_twice_in_a_question_is_paid_for_once(session):
    text = "SELECT COUNT(*) FROM people UNION ALL SELECT COUNT(*) FROM people"
    first, second = (next(iter(row.values())) for row in session.sql(text, epsilon=1))
    assert first == second


def test_groups_of_unknown_keys_share_the_delta(session):
    text = "SELECT age, COUNT(*) AS n FROM people GROUP BY GROUPING SETS ((age, income), (ill, income))"
    release = session.sql(text, epsilon=1, delta="1e-7")
    assert release.spent["delta"] == "1/10000000"
    parts = release.certificate["parts"]
    assert sum(each["selection"] is not None for each in parts) == len(parts)


def test_a_quote_is_of_every_aggregate(session):
    before = session.remaining
    quote = session.quote(UNION, epsilon=1)
    assert quote.price == {"epsilon": "1"}
    assert set(quote.margins) == {"count(*)", "sum(age)"}
    assert quote.margins["count(*)"] == pytest.approx(6, abs=1)
    derived = session.quote(UNION, within=300)
    assert all(margin <= 300 for margin in derived.margins.values())
    assert session.quote("SELECT AVG(age) AS a FROM people UNION ALL SELECT COUNT(*) FROM people", within="5%",
                         expect={"age": 50}).offers  # fmt: skip
    with pytest.raises(LapwingError, match="S143"):
        session.quote(UNION, epsilon=1, expect={"nobody": 3})
    assert session.remaining == before


def test_rehearsals_cost_nothing(session):
    before = session.remaining
    assert session.rehearse(ROLLUP, epsilon=1).table.num_rows == 5
    assert session.remaining == before


def test_too_dear_is_refused_and_nothing_charged(session):
    before = session.remaining
    with pytest.raises(BudgetExceeded):
        session.sql(UNION, epsilon=1000)
    assert session.remaining == before


def test_a_partition_is_kept_to_in_every_aggregate(session):
    part = session.partition("region")["north"]
    release = part.sql(UNION, epsilon=10)
    assert abs(next(iter(release))["n"] - 660) < 100


@pytest.mark.parametrize("text", [ROLLUP, UNION, SHARE])
def test_the_certificate_is_accepted_and_no_other(tmp_path, text):
    with protected(tmp_path, epsilon=100, delta="1e-6") as opened:
        release = json.loads(json.dumps(opened.sql(text, epsilon=1).to_json()))
        rho = json.loads(json.dumps(opened.sql(text, rho="0.1").to_json()))
    for each in (release, rho):
        assert isinstance(verify_release(each), Derived)
        assert isinstance(verify_release(each, tmp_path / "people.parquet"), Derived)
    if "parts" not in release["certificate"]:
        return
    for change in (_cheaper, _without_a_part, _other_query, _less_noise):
        wrong = copy.deepcopy(release)
        change(wrong)
        assert isinstance(verify_release(wrong), Rejected), change.__name__


def _cheaper(document):
    document["certificate"]["price"] = document["price"] = {"epsilon": "1/2"}
    document["spent"] = 0.5


def _without_a_part(document):
    del document["certificate"]["parts"][1]


def _other_query(document):
    document["certificate"]["parts"][1]["query"] += " "


def _less_noise(document):
    document["certificate"]["parts"][1]["measurements"][0]["mechanism"]["scale"] = "1/100"


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.05"}])
def test_shares_of_a_total_lie_in_their_intervals(session, price):
    """± of a quotient of sums of several groups: as exact as that of a mean."""
    true = {each["region"]: each["share"] for each in session.sql(SHARE, epsilon=20)}
    covered, many, widths, errors = 0, 0, [], []
    for run in range(60):
        text = SHARE.replace("people", f"people WHERE age >= {-run}")
        release = session.sql(text, **{name: str(float(value) / 25) for name, value in price.items()})
        low, high = release.low.to_pylist(), release.high.to_pylist()
        for row, least, most in zip(release, low, high, strict=True):
            if least["share"] is None:
                continue
            covered += least["share"] <= true[row["region"]] <= most["share"]
            widths.append(most["share"] - least["share"])
            errors.append(abs(row["share"] - true[row["region"]]))
            many += 1
    assert many > 150
    assert covered / many > 0.88
    assert np.mean(widths) / 2 < 1.2 * np.quantile(errors, 0.95)


def test_a_rank_has_no_margin_and_a_note(session):
    release = session.sql("SELECT region, RANK() OVER (ORDER BY COUNT(*)) AS r FROM people GROUP BY region", epsilon=1)
    assert not release.has_margins("r")
    assert any("Ranks are those" in note for note in release.notes)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT LAG(region, 1, 'none') OVER (ORDER BY region), LAG(COUNT(*), 1, NULL) OVER (ORDER BY region) {}",
        "SELECT COUNT(DISTINCT n), MAX(n > 3), MIN(region), MEDIAN(n) FROM (SELECT region, COUNT(*) AS n {})",
        "SELECT region FROM (SELECT region, COUNT(*) AS n {}) WHERE n IN (1, 2) OR region LIKE 'n%' OR n IS NULL",
        "SELECT SUM(n) OVER (PARTITION BY n > 600 ORDER BY region DESC) FROM (SELECT region, COUNT(*) AS n {})",
        "SELECT CASE WHEN RANK() OVER (ORDER BY COUNT(*)) = 1 THEN region END AS best {}",
        "SELECT * FROM (SELECT region, COUNT(*) AS n {} HAVING COUNT(*) < 0) LEFT JOIN (SELECT 1 AS k, COUNT(*) AS m "
        "FROM people) ON n = m",
        "SELECT AVG(n), SUM(n), MAX(region) FROM (SELECT region, COUNT(*) AS n {} HAVING COUNT(*) < 0)",
    ],
)
def test_whatever_is_made_of_answers_ends(session, text):
    before = session.remaining
    try:
        session.sql(text.format("FROM people GROUP BY region"), epsilon="0.1")
    except LapwingError:
        unpaid = session.remaining == before
    else:
        unpaid = True
    assert unpaid, "refused, and charged all the same"

"""A question, its price, its answer: what is charged, what is shown, what is refused."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing import library
from lapwing.algebra.measures import PureDP
from lapwing.decide.texts import check_release
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError
from lapwing.kernel.release.plans import Derived
from lapwing.session import open_session
from lapwing.session.protecting import protect
from lapwing.session.release import read_release
from tests.session.tables import PEOPLE, people, protected, visits, wishes

BY_REGION = "SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people GROUP BY region"


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def test_an_answer_is_near_the_truth_and_says_how_near(session):
    release = session.sql("SELECT COUNT(*) AS n FROM people", epsilon=1)
    margin = release.margins.column("n")[0].as_py()
    assert 0 < margin < 5
    assert abs(release.table.column("n")[0].as_py() - PEOPLE) < 20


def test_margins_hold_as_often_as_they_say(tmp_path):
    inside = 0
    with protected(tmp_path, epsilon=1000) as session:
        for i in range(200):  # a different question each time: the same one would be the same answer
            release = session.sql(f"SELECT SUM(income) AS s FROM people WHERE age > {i - 1000}", epsilon=1)
            value, margin = (table.column("s")[0].as_py() for table in (release.table, release.margins))
            inside += abs(value - sum(people().column("income").to_pylist())) <= margin
    assert 175 <= inside <= 200  # 190 expected; 175 is five standard deviations below


def test_every_public_key_is_listed_the_empty_ones_too(session):
    release = session.sql(BY_REGION, epsilon=1)
    assert release.table.column("region").to_pylist() == ["north", "south", "east", "west"]
    assert abs(release.table.column("n")[3].as_py()) < 100


def test_the_price_is_charged_once_and_a_repetition_is_free(session):
    first = session.sql(BY_REGION, epsilon="0.1")
    left = session.remaining.epsilon
    assert left == Fraction(99, 10)
    again = session.sql(BY_REGION, epsilon="0.1")
    assert again.repeated
    assert again.table == first.table
    assert session.remaining.epsilon == left
    other = session.sql(BY_REGION, epsilon="0.2")
    assert not other.repeated
    assert session.remaining.epsilon == left - Fraction(1, 5)


def test_the_whole_budget_can_be_spent_and_no_more(tmp_path):
    with protected(tmp_path, epsilon=1) as session:
        for i in range(10):
            session.sql(f"SELECT COUNT(*) FROM people WHERE age > {i}", epsilon=0.1)
        assert session.remaining.epsilon == 0
        with pytest.raises(BudgetExceeded, match="L113"):
            session.sql("SELECT COUNT(*) FROM people", epsilon="1e-9")


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("SELECT", {"epsilon": 1}),
        ("SELECT wages FROM people", {"epsilon": 1}),
        ("SELECT * FROM people", {"epsilon": 1}),
        ("SELECT SUM(person) FROM people", {"epsilon": 1}),
        ("SELECT person, COUNT(*) FROM people GROUP BY person", {"epsilon": 1}),
        ("SELECT COUNT(*) FROM people", {"epsilon": 0}),
        ("SELECT COUNT(*) FROM people", {"epsilon": -1}),
        ("SELECT COUNT(*) FROM people", {"epsilon": "nan"}),
        ("SELECT COUNT(*) FROM people", {}),
        ("SELECT COUNT(*) FROM people", {"epsilon": 1, "rho": 1}),
        ("SELECT COUNT(*) FROM people", {"rho": 1}),
        ("SELECT COUNT(*) FROM people", {"epsilon": 11}),
        ("SELECT COUNT(*) FROM people", {"epsilon": 1, "confidence": 1}),
        (None, {"epsilon": 1}),
    ],
)
def test_what_is_refused_costs_nothing(session, text, price):
    with pytest.raises(LapwingError) as refused:
        session.sql(text, **price)
    assert refused.value.code
    assert session.remaining.epsilon == 10
    assert all(entry.kind != "charge" for entry in session.ledger.entries())


def test_a_certificate_is_accepted_and_its_receipt_is_the_ledgers(session):
    release = session.sql(BY_REGION, epsilon="0.3")
    found = check_release(release.certificate)
    assert isinstance(found, Derived)
    assert found.price == PureDP("0.3")
    assert release.receipt["hash"] in {entry.hash for entry in session.ledger.entries()}


def test_a_release_can_be_written_and_read_again(session):
    import json

    release = session.sql(BY_REGION, epsilon="0.3")
    text = json.dumps(release.to_json())
    again = read_release(text)
    assert again.table.equals(release.table)
    assert again.margins.equals(release.margins)
    assert again.certificate == release.certificate
    with pytest.raises(InvalidInput, match="S141"):
        read_release(text.replace('"columns"', '"colums"'))


def test_data_frames_and_notebooks(session):
    release = session.sql(BY_REGION, epsilon="0.3")
    assert list(release.to_pandas().columns) == ["region", "n", "pay"]
    assert release.to_polars().shape == (4, 3)
    beside = ["region", "n", "n ±", "pay", "pay ±"]
    assert list(release.to_pandas(margins=True).columns) == release.to_polars(margins=True).columns == beside
    both = release.to_arrow(margins=True)
    assert both.column("n ±") == release.margins.column("n")
    assert both.select(release.columns) == release.to_arrow()
    page = release._repr_html_()
    assert page.count("<tr>") == 5
    assert "<svg" in page
    assert "± noise 95%" in str(release)


def test_changed_data_is_noticed_before_anything_is_charged(tmp_path):
    with protected(tmp_path) as session:
        session.sql("SELECT COUNT(*) FROM people", epsilon=1)
    pa.parquet.write_table(people().slice(1), tmp_path / "people.parquet")
    with open_session(tmp_path / "people.parquet") as session:
        with pytest.raises(InvalidInput, match="S134"):
            session.sql("SELECT COUNT(*) FROM people", epsilon=1)
        assert session.remaining.epsilon == 9


def test_a_table_without_a_policy_is_refused(tmp_path):
    pa.parquet.write_table(people(), tmp_path / "people.parquet")
    with pytest.raises(InvalidInput, match="S121"):
        open_session(tmp_path / "people.parquet")


def test_only_the_policys_analysts_may_ask(tmp_path):
    pa.parquet.write_table(people(), tmp_path / "people.parquet")
    protect(tmp_path / "people.parquet", wishes(analysts={"ana": 1, "bo": None}))
    with pytest.raises(InvalidInput, match="S122"):
        open_session(tmp_path / "people.parquet")
    with pytest.raises(InvalidInput, match="S122"):
        open_session(tmp_path / "people.parquet", analyst="eve")
    with open_session(tmp_path / "people.parquet", analyst="ana") as session, pytest.raises(BudgetExceeded):
        session.sql("SELECT COUNT(*) FROM people", epsilon=2)
    with open_session(tmp_path / "people.parquet", analyst="bo") as session:
        session.sql("SELECT COUNT(*) FROM people", epsilon=2)


def test_a_person_with_many_rows_counts_as_few(tmp_path):
    path = tmp_path / "visits.parquet"
    pa.parquet.write_table(visits(), path)
    protect(path, wishes(unit="person", rows_per_unit=3, bounds={"cost": (0, 500)}, keys={}, epsilon=50))
    with open_session(path) as session:
        release = session.sql("SELECT COUNT(*) AS n FROM visits", epsilon=10)
    counts = np.unique(visits().column("person").to_numpy(), return_counts=True)[1]
    expected = np.minimum(counts, 3).sum()
    assert abs(release.table.column("n")[0].as_py() - expected) < 15  # weights are rounded down, noise has scale 0.3


def test_a_budget_with_delta_pays_for_gaussian_noise_and_for_unknown_groups(tmp_path):
    with protected(tmp_path, epsilon=3, delta="1e-6", keys={}) as session:
        release = session.sql("SELECT COUNT(*) AS n FROM people", rho="0.05")
        assert release.spent == {"rho": "1/20"}
        chosen = session.sql(BY_REGION, epsilon="0.4")
        assert sorted(chosen.table.column("region").to_pylist()) == ["east", "north", "south"]
        assert Fraction(chosen.spent["delta"]) == Fraction(1, 10**8)
        assert isinstance(check_release(chosen.certificate), Derived)


def test_a_group_of_one_person_is_not_shown(tmp_path):
    table = people()
    regions = table.column("region").to_pylist()
    regions[5] = "nowhere"
    lonely = table.set_column(table.column_names.index("region"), "region", pa.array(regions))
    with protected(tmp_path, lonely, epsilon=3, delta="1e-6", keys={}) as session:
        shown = session.sql(BY_REGION, epsilon=1).table.column("region").to_pylist()
    assert sorted(shown) == ["east", "north", "south"]


def test_unknown_groups_need_a_delta(session):
    with pytest.raises(InvalidInput, match="S133"):
        session.sql("SELECT age, income, COUNT(*) FROM people GROUP BY age, income", epsilon=1)


def test_quantiles_are_near(tmp_path):
    with protected(tmp_path, epsilon=100) as session:
        release = session.sql("SELECT MEDIAN(age) AS m, MAX(age) AS top FROM people", epsilon=20)
    assert abs(release.table.column("m")[0].as_py() - 50) <= 4
    assert abs(release.table.column("top")[0].as_py() - 98) <= 3
    assert any("rank" in note for note in release.notes)


def test_post_processing_is_free(session):
    inner = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
    text = f"SELECT region, n / 10 AS tenth FROM ({inner}) ORDER BY n DESC LIMIT 2"
    release = session.sql(text, epsilon=1)
    assert release.table.num_rows == 2
    assert session.remaining.epsilon == 9
    margins = release.margins.column("tenth").to_pylist()
    assert all(0 < margin < 1 for margin in margins)


def test_a_closed_session_charges_nothing(session):
    part = session.partition("region")["north"]
    session.close()
    for closed in (session, part):
        with pytest.raises(InvalidInput, match="S147"):
            closed.sql("SELECT COUNT(*) FROM people", epsilon=1)
        with pytest.raises(InvalidInput, match="S147"):
            closed.apply(library.noisy_max, ["SELECT COUNT(*) FROM people"], epsilon=1, sensitivity=1)
    assert session.remaining.epsilon == 10
    assert session.quote("SELECT COUNT(*) AS n FROM people", epsilon=1).margins["n"]  # nothing is read for a quote

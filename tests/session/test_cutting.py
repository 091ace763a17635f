"""What was cut: people above the limit, rows that do not count, values beyond their range; its price and its ±."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import BudgetExceeded, InvalidInput
from lapwing.session.verifying import verify_release
from tests.session.covering import cut_covered
from tests.session.tables import protected

TEXT = "SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM people GROUP BY region"


def table(people=600, seed=0):
    """One person in ten has 50 rows, ten of which count; a tenth of the costs is above their range."""
    random = np.random.default_rng(seed)
    many = np.where(np.arange(people) % 10 == 0, 50, random.integers(1, 8, people))
    person = np.repeat(np.arange(people), many)
    columns = {"person": person, "region": random.integers(0, 3, len(person)), "cost": random.gamma(2, 50, len(person))}
    return pa.table(columns)


def asked(folder, frame=None, **changes):
    wishes = {"unit": "person", "rows_per_unit": 10, "bounds": {"cost": (0, 200)}, "keys": {"region": [0, 1]}}
    return protected(folder, table() if frame is None else frame, **(wishes | {"epsilon": 10**6} | changes))


def truths(frame, limit=10):
    """Of the two listed regions: people above the limit, and rows cut, three times the limit of each at most."""
    kept = frame.filter(pa.compute.less(frame["region"], 2))
    _, many = np.unique(kept["person"].to_numpy(), return_counts=True)
    dropped, counted = np.clip(many - limit, 0, 3 * limit).sum(), np.minimum(many, limit).sum()
    return int((many > limit).sum()), dropped / (dropped + counted)


def test_it_is_said_in_a_line_each_and_paid_for_besides(tmp_path):
    with asked(tmp_path) as session:
        before = session.remaining.epsilon
        release = session.sql(TEXT, epsilon=1, cut=10**5)
        assert before - session.remaining.epsilon == 10**5 + 1
        above, part = truths(table())
        limit, values = release.notes[:2]
        assert f"about {above} people ({above} to {above}) have more than 10 rows" in limit
        assert f"at least about {100 * part:.1f} %" in limit
        assert values.startswith("Cut by the range of cost: 0.0 % (0.0 to 0.0 %) of its values are below 0")
        assert not any("Cut" in note for note in session.sql(TEXT, epsilon=1).notes)
        again = session.sql(TEXT, epsilon=1, cut=10**5)
        assert again.repeated
        assert again.notes == release.notes


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_a_release_with_what_was_cut_is_checked_with_its_table(tmp_path, currency):
    with asked(tmp_path, delta="1e-6") as session:
        release = session.sql(TEXT, **{currency: "0.5"}, cut="0.1")
    document = json.loads(json.dumps(release.to_json()))
    found = verify_release(document, tmp_path / "people.parquet")
    amount = found.price.epsilon if currency == "epsilon" else found.price.rho
    assert amount <= Fraction(6, 10)
    assert "the ledger charged it" in found.statement


def test_without_a_limit_only_ranges_are_told(tmp_path):
    with asked(tmp_path, unit=None, rows_per_unit=None) as session:
        notes = session.sql(TEXT, epsilon=1, cut=1).notes
    assert [note[:17] for note in notes if note.startswith("Cut")] == ["Cut by the range "]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (TEXT, 0),
        (TEXT, -1),
        (TEXT, "much"),
        ("SELECT COUNT(*) FROM (SELECT person, COUNT(*) AS n FROM people GROUP BY person)", 1),
    ],
)
def test_what_cannot_be_told_is_refused_free_of_charge(tmp_path, text, cut):
    with asked(tmp_path) as session:
        before = session.remaining.epsilon
        with pytest.raises(InvalidInput):
            session.sql(text, epsilon=1, cut=cut)
        assert session.remaining.epsilon == before


def test_both_prices_must_be_left(tmp_path):
    with asked(tmp_path, epsilon=1) as session:
        with pytest.raises(BudgetExceeded):
            session.sql(TEXT, epsilon=1, cut="0.1")
        assert session.remaining.epsilon == 1


@pytest.mark.parametrize("wanted", [PureDP("0.5"), ZCDP("0.05")])
def test_what_was_cut_is_covered(wanted):
    """The intervals hold the true part of rows, people and values in 95 % of 1,000 releases."""
    assert min(cut_covered(wanted, 1_000).values()) >= 0.925

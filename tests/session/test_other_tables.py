"""What is known of the other tables of a policy: said by the curator of private ones, read from public ones."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.errors import InvalidInput
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect


@pytest.fixture
def folder(tmp_path):
    """Orders of people, the people, and what the orders cost in each country."""
    orders = {"person": [i // 2 for i in range(400)], "country": ["DE", "FR"] * 200, "amount": [10.0] * 400}
    pq.write_table(pa.table(orders), tmp_path / "orders.parquet")
    people = {"id": list(range(200)), "score": [50.0] * 200, "plan": ["free", "pro"] * 100}
    pq.write_table(pa.table(people), tmp_path / "members.parquet")
    (tmp_path / "taxes.csv").write_text("code,vat,since\nDE,19,2007\nFR,20.5,2014\nXX,nan,2000\n")
    return tmp_path


def wished(folder, **changes):
    said = {"rows_per_unit": 2, "bounds": {"amount": (0, 100)}, "public": [folder / "taxes.csv"]}
    said |= {"private": {str(folder / "members.parquet"): ("id", 1)}}
    return Wishes("person", 1000, **(said | changes))


def test_columns_of_another_private_table_have_ranges_and_keys(folder):
    bounds = {"amount": (0, 100), "members.score": (0, 100)}
    protect(folder / "orders.parquet", wished(folder, bounds=bounds, keys={"members.plan": ["free", "pro"]}))
    with open_session(folder / "orders.parquet") as session:
        found = session.sql("SELECT plan, AVG(score) AS s FROM members GROUP BY plan", epsilon=100)
        joined = session.sql(
            "SELECT plan, SUM(amount) AS s FROM orders JOIN members ON person = id GROUP BY 1", epsilon=100
        )
    assert found.table["s"].to_pylist() == pytest.approx([50, 50], abs=1)
    assert joined.table["s"].to_pylist() == pytest.approx([2000, 2000], abs=20)


@pytest.mark.parametrize("word", ["members.scor", "member.score", "taxes.what"])
def test_a_column_that_no_table_has_is_refused(folder, word):
    with pytest.raises(InvalidInput, match="S124"):
        protect(folder / "orders.parquet", wished(folder, bounds={word: (0, 1)}))
    assert not list(folder.glob("*lapwing*"))


def test_numbers_of_a_public_table_have_the_range_of_its_values(folder):
    policy, _ = protect(folder / "orders.parquet", wished(folder))
    vat, since = (policy.table("taxes").column(name) for name in ("vat", "since"))
    assert (vat.low, vat.high, vat.keys) == (19, 20.5, None)
    assert (since.low, since.high, since.keys) == (2000, 2014, (2000, 2007, 2014))
    text = "SELECT SUM(amount * (1 + vat / 100)) AS gross FROM orders JOIN taxes ON country = code"
    with open_session(folder / "orders.parquet") as session:
        assert session.sql(text, epsilon=100).table["gross"][0].as_py() == pytest.approx(200 * (11.9 + 12.05), rel=0.01)


def test_what_the_curator_says_of_a_public_table_counts(folder):
    policy, _ = protect(folder / "orders.parquet", wished(folder, bounds={"amount": (0, 9), "taxes.vat": (0, 50)}))
    assert policy.table("taxes").column("vat").high == 50

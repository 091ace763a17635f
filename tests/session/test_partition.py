"""Parts of a table have different people: what is spent in one costs the others nothing."""

import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError
from lapwing.session import open_session
from lapwing.session.protecting import protect, renew
from tests.session.tables import people, protected, wishes

COUNT = "SELECT COUNT(*) AS n FROM people"


def test_parts_share_one_price(tmp_path):
    with protected(tmp_path) as session:
        parts = session.partition("region")
        assert list(parts) == ["north", "south", "east", "west"]
        answers = {key: part.sql(COUNT, epsilon=1).table["n"][0].as_py() for key, part in parts.items()}
        assert session.remaining.epsilon == 9
        true = people().column("region").to_pylist()
        assert all(abs(answers[key] - true.count(key)) < 20 for key in parts)
        parts["north"].sql(COUNT, epsilon=2)
        assert session.remaining.epsilon == 7
        parts["south"].sql(COUNT, epsilon=2)
        assert session.remaining.epsilon == 7
        assert parts["west"].remaining.epsilon == 9
        with pytest.raises(BudgetExceeded):
            parts["north"].sql(COUNT, epsilon=8)


def test_parts_of_parts(tmp_path):
    keys = {"region": ["north", "south", "east"], "ill": ["true", "false"]}
    with protected(tmp_path, keys=keys) as session:
        for part in session.partition("region").values():
            for inner in part.partition("ill").values():
                inner.sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 9


def test_a_changed_person_moves_between_parts(tmp_path):
    with protected(tmp_path, neighbours=Neighbours.REPLACED) as session:
        for part in session.partition("region").values():
            part.sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 8


def test_a_person_of_several_rows_is_in_as_many_parts(tmp_path):
    with protected(tmp_path, unit="person", rows_per_unit=3) as session:
        for part in session.partition("region").values():
            part.sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 7


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("text", [COUNT, "SELECT COUNT(DISTINCT person) AS n FROM people"])
def test_a_person_in_every_part_counts_in_few(tmp_path, rows, text):
    """Six people with rows everywhere: over all parts together each counts at most ``rows`` times."""
    regions = ["north", "south", "east", "west"]
    table = pa.table({"person": [who for who in range(6) for _ in regions], "region": regions * 6})
    with protected(tmp_path, table, unit="person", rows_per_unit=rows, bounds={}, epsilon=10_000) as session:
        total = sum(part.sql(text, epsilon=100).table["n"][0].as_py() for part in session.partition("region").values())
        assert total == 6 * rows  # noise of scale 1/100 is 0
        assert session.remaining.epsilon == 10_000 - 100 * rows


@pytest.mark.parametrize("column", ["income", "nothing", ""])
def test_only_declared_keys_split_a_table(tmp_path, column):
    with protected(tmp_path) as session, pytest.raises(InvalidInput, match="S136"):
        session.partition(column)


def moved(who, city, folder):
    """The table again, with a person in another city."""
    table = pa.table({"person": list(range(20)), "region": ["north"] * 20})
    regions = table.column("region").to_pylist()
    if who is not None:
        regions[who] = city
    pa.parquet.write_table(table.set_column(1, "region", pa.array(regions)), folder / "people.parquet")


def test_a_person_who_moves_between_parts_pays_in_both(tmp_path):
    moved(None, "", tmp_path)
    path = tmp_path / "people.parquet"
    protect(path, wishes(unit="person", bounds={}))
    with open_session(path) as session:
        session.partition("region")["north"].sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 9
    moved(7, "south", tmp_path)
    renew(path)
    with open_session(path) as session:
        session.partition("region")["south"].sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 8


def test_a_split_does_not_outlive_its_data(tmp_path):
    moved(None, "", tmp_path)
    path = tmp_path / "people.parquet"
    protect(path, wishes(unit="person", bounds={}))
    with open_session(path) as session:
        part = session.partition("region")["south"]
        moved(7, "south", tmp_path)
        renew(path)
        with pytest.raises(LapwingError, match=r"S134|E109"):
            part.sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 10


def test_another_policy_keeps_other_rows_and_so_is_another_split(tmp_path):
    regions = ["north", "south"] * 20
    table = pa.table({"person": [i // 2 for i in range(40)], "region": regions, "x": list(range(40))})
    with protected(tmp_path, table, unit="person", bounds={}) as session:
        session.partition("region")["north"].sql(COUNT, epsilon=1)
    policy = tmp_path / "people.lapwing.toml"
    policy.write_text("".join(line for line in policy.read_text().splitlines(True) if not line.startswith("x = ")))
    with open_session(tmp_path / "people.parquet") as session:
        session.partition("region")["south"].sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == 8


def test_parts_of_two_tables_are_not_nested(tmp_path):
    table = pa.table({"person": [1, 2], "region": ["north", "south"]})
    pa.parquet.write_table(table, tmp_path / "people.parquet")
    pa.parquet.write_table(table.rename_columns(["person", "sex"]), tmp_path / "visits.parquet")
    protect(
        tmp_path / "people.parquet",
        wishes(unit="person", rows_per_unit=2, bounds={}, private={str(tmp_path / "visits.parquet"): ("person", 1)}),
    )
    with open_session(tmp_path / "people.parquet") as session:
        part = session.partition("region")["north"]
        with pytest.raises(InvalidInput, match="S138"):
            part.partition("sex", "visits")


def test_a_column_that_is_no_name_is_refused(tmp_path):
    with protected(tmp_path) as session, pytest.raises(InvalidInput, match="S136"):
        session.partition(5)

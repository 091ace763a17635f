"""Parts of a table have different people: what is spent in one costs the others nothing."""

import pyarrow as pa
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import BudgetExceeded, InvalidInput
from tests.session.tables import people, protected

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

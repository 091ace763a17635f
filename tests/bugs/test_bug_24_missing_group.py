"""A group without people was missing from the answer: its absence said so, exactly and for nothing."""

import pyarrow as pa
import pytest

from lapwing.algebra.neighbours import Neighbours
from tests.bugs.before_noise import session_on

KEYS = ["north", "south", "east", "west"]
FULL = pa.table(
    {
        "person": list(range(400)),
        "region": [KEYS[i % 3] for i in range(400)],  # nobody is in the west
        "age": [i % 100 for i in range(400)],
        "ill": [i % 2 == 0 for i in range(400)],
    }
)
TABLES = {
    "everybody": FULL,
    "nobody": FULL.slice(0, 0),
    "one": FULL.slice(0, 1),
    "nulls": FULL.set_column(1, "region", pa.array([None] * 400, pa.string())),
    "unheard of": FULL.set_column(1, "region", pa.array(["Atlantis"] * 400)),
}
SETTINGS = {"bounds": {"age": (0, 100)}, "keys": {"region": KEYS}}
QUERIES = {
    "SELECT region, COUNT(*) AS n FROM people GROUP BY region": KEYS,
    "SELECT region, COUNT(*) AS n FROM people WHERE age < 0 GROUP BY region": KEYS,
    "SELECT region, COUNT(*) AS n FROM people WHERE FALSE GROUP BY region": KEYS,
    "SELECT region, AVG(age) AS n FROM people GROUP BY region": KEYS,
    "SELECT region, MEDIAN(age) AS n FROM people GROUP BY region": KEYS,
    "SELECT region, COUNT(DISTINCT age) AS n FROM people GROUP BY region": KEYS,
    "SELECT region, SUM(age) AS n FROM people WHERE region IN ('north', 'west') GROUP BY region": None,
    "SELECT region, ill, COUNT(*) AS n FROM people GROUP BY region, ill": [key for key in KEYS for _ in range(2)],
    "SELECT UPPER(region) AS region, COUNT(*) AS n FROM people GROUP BY UPPER(region)": None,
    "SELECT region, n FROM (SELECT region, COUNT(*) AS n FROM people GROUP BY region) AS a": KEYS,
}


@pytest.mark.parametrize(("unit", "neighbours"), [(None, Neighbours.ADDED), ("person", Neighbours.REPLACED)])
def test_the_groups_shown_are_the_same_whatever_the_data(tmp_path, unit, neighbours):
    shown = {}
    for name, table in TABLES.items():
        settings = SETTINGS | {"unit": unit, "neighbours": neighbours}
        with session_on(tmp_path / name.replace(" ", "_"), table, **settings) as session:
            for text, expected in QUERIES.items():
                found = session.sql(text, epsilon=1).table
                assert found["n"].null_count == 0
                keys = [found[column].to_pylist() for column in found.column_names if column != "n"]
                assert shown.setdefault(text, keys) == keys, name
                assert expected is None or keys[0] == expected


def test_empty_groups_have_noise_as_the_others(tmp_path):
    with session_on(tmp_path, FULL, **SETTINGS) as session:
        text = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
        empty = [session.sql(text, epsilon=f"0.0{i}").table["n"].to_pylist()[3] for i in range(1000, 1010)]
    assert len(set(empty)) > 1
    assert any(empty)


def test_what_is_kept_and_how_many_is_decided_on_noisy_answers(tmp_path):
    """HAVING, ORDER BY and LIMIT see what the analyst would see."""
    with session_on(tmp_path, FULL.slice(0, 0), **SETTINGS) as session:
        inner = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
        kept = [session.sql(f"{inner} HAVING n > 0", epsilon=f"0.0{i}").table.num_rows for i in range(1000, 1030)]
    assert len(set(kept)) > 1  # exact counts would keep none, always


def test_a_group_that_one_person_is_alone_in_is_not_shown(tmp_path):
    alone = FULL.set_column(1, "region", pa.array(["Atlantis", *FULL["region"].to_pylist()[1:]]))
    settings = {"keys": {}, "delta": "1e-6", "unit": "person"}
    for name, table in {"with": alone, "without": FULL}.items():
        with session_on(tmp_path / name, table, **settings) as session:
            shown = session.sql("SELECT region, COUNT(*) FROM people GROUP BY region", epsilon=2)
        assert sorted(shown.table["region"].to_pylist()) == ["east", "north", "south"]


def test_a_partition_has_every_key(tmp_path):
    with session_on(tmp_path, FULL.slice(0, 0), **SETTINGS) as session:
        parts = session.partition("region")
        assert list(parts) == KEYS
        assert parts["west"].sql("SELECT COUNT(*) FROM people", epsilon=1).table.num_rows == 1

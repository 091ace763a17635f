"""Parts of a table whose columns are called what a statement calls things inside."""

import pyarrow as pa
import pytest

from lapwing.query.spelled_names import in_quotes
from lapwing.session import open_session
from tests.session.tables import protected


@pytest.mark.parametrize("name", ["place", "Place", "PLACE", "unit", "many", "let_0"])
def test_over_all_parts_a_person_counts_once(tmp_path, name):
    regions = ["north", "south", "east", "west"]
    table = pa.table({"person": [i // 4 for i in range(400)], "region": regions * 100, name: [1] * 400})
    with protected(tmp_path, table, unit="person", rows_per_unit=1, epsilon=1000, bounds={}) as session:
        parts = session.partition("region").values()
        counted = sum(part.sql("SELECT COUNT(*) AS n FROM people", epsilon=100).table["n"][0].as_py() for part in parts)
    assert counted == 100


NAMES = [
    "Unit Price",
    "Größe",
    "№",
    'the "best" one',
    "a.b",
    " padded",
    "it's",
    "a=b",
    "`back`",
    "SELECT",
    "价格",
    "x;--",
]


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_any_name_are_asked_about_in_quotes(tmp_path, name):
    table = pa.table({"the person": [i // 2 for i in range(200)], name: [i % 4 for i in range(200)]})
    wished = {"unit": "the person", "rows_per_unit": 2, "epsilon": 1000, "bounds": {name: (0, 3)}, "keys": {}}
    column = in_quotes(name)
    with protected(tmp_path, table, **wished) as session:
        found = session.sql(f"SELECT {column}, COUNT(*) AS n FROM people GROUP BY {column}", epsilon=100)
        mean = session.sql(f"SELECT AVG({column}) AS {column} FROM people", epsilon=100)
        session.quote(f"SELECT AVG({column}) AS m FROM people", within="2%", expect={name: 2})
        asked = f'SELECT "the person", MAX({column}) AS most FROM people GROUP BY 1'
        people = session.sql(f"SELECT COUNT(*) AS n FROM ({asked}) WHERE most = 3", epsilon=100)
        assert name in str(session.explain(f"SELECT SUM({column}) FROM people")).replace('""', '"')
        session.rehearse(f"SELECT SUM({column}) AS s FROM people", epsilon=1)
    assert found.table.to_pylist() == [{name: key, "n": 50} for key in range(4)]
    assert mean.table[name][0].as_py() == pytest.approx(1.5, abs=0.01)
    assert people.table["n"][0].as_py() == 50
    with open_session(tmp_path / "people.parquet") as session:
        assert session.policy.table("people").unit == "the person"


def test_advice_about_columns_of_any_name(tmp_path):
    table = pa.table({'a "person"': [i // 3 for i in range(3000)], "how much, €": [i % 90 for i in range(3000)]})
    with protected(tmp_path, table, unit='a "person"', rows_per_unit=3, epsilon=1000, bounds={}, keys={}) as session:
        advice = session.advise(epsilon=100)
    assert advice.bounds["how much, €"] == (0, pytest.approx(89, abs=60))
    assert any("'how much, €=0:" in each for each in advice.arguments)

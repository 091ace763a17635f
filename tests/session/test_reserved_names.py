"""Parts of a table whose columns are called what a statement calls things inside."""

import pyarrow as pa
import pytest

from tests.session.tables import protected


@pytest.mark.parametrize("name", ["place", "Place", "PLACE", "unit", "many", "let_0"])
def test_over_all_parts_a_person_counts_once(tmp_path, name):
    regions = ["north", "south", "east", "west"]
    table = pa.table({"person": [i // 4 for i in range(400)], "region": regions * 100, name: [1] * 400})
    with protected(tmp_path, table, unit="person", rows_per_unit=1, epsilon=1000, bounds={}) as session:
        parts = session.partition("region").values()
        counted = sum(part.sql("SELECT COUNT(*) AS n FROM people", epsilon=100).table["n"][0].as_py() for part in parts)
    assert counted == 100

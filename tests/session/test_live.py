"""Live files: answered from as they are, charged every time, never split."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.errors import LapwingError
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect
from tests.engines.test_parquet_checks import FAR, lying

COUNT = "SELECT COUNT(*) AS n FROM people"


def write(path, rows):
    pq.write_table(pa.table({"person": list(range(rows)), "town": ["a", "b"] * (rows // 2)}), path)


def test_a_live_file_may_change_between_questions(tmp_path):
    path = tmp_path / "people.parquet"
    write(path, 100)
    protect(path, Wishes("person", 2, data="live", keys={"town": ("a", "b")}))
    with open_session(path) as session:
        first = session.sql(COUNT, epsilon="0.5")
        assert session.sql(COUNT, epsilon="0.5").repeated  # nothing changed in between
        assert any("as of" in note for note in first.notes)
        with pytest.raises(LapwingError) as refused:
            session.partition("town")
        assert refused.value.code == "S164"
    write(path, 200)
    with open_session(path) as session:
        assert not session.sql(COUNT, epsilon="0.5").repeated
        assert session.ledger.accounts()[0].charges == 2


def test_what_a_live_file_says_of_its_values_is_not_believed(tmp_path):
    """A file that replaces another was not held against its values: DuckDB would leave out the clip."""
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"person": [1, 2, 3], "x": [5, 7, 9]}), path)
    protect(path, Wishes("person", 10**9, data="live", bounds={"x": (0, 10)}))
    lying(path, pa.table({"person": [1, 2, 3], "x": [1, 2, FAR]}), 9)
    with open_session(path) as session:
        total = session.sql("SELECT SUM(x) AS total FROM people", epsilon=10**8)
        assert next(iter(total))["total"] == 13


def test_a_fixed_file_may_not(tmp_path):
    path = tmp_path / "people.parquet"
    write(path, 100)
    protect(path, Wishes("person", 2))
    write(path, 200)
    with open_session(path) as session, pytest.raises(LapwingError) as refused:
        session.sql(COUNT, epsilon="0.5")
    assert refused.value.code == "S134"


@pytest.mark.parametrize("data", ["live", "fixed"])
def test_a_file_that_was_touched_while_it_is_open_costs_nothing(tmp_path, data):
    """It was charged and failed: a live file that was replaced, or a fixed one with the same rows written again."""
    path = tmp_path / "people.parquet"
    write(path, 100)
    protect(path, Wishes("person", 2, data=data))
    with open_session(path) as session:
        write(path, 200 if data == "live" else 100)
        with pytest.raises(LapwingError) as refused:
            session.sql(COUNT, epsilon="0.5")
        assert refused.value.code == "E109"
        assert "charged" not in str(refused.value)
        assert session.ledger.accounts()[0].charges == 0
    with open_session(path) as session:
        session.sql(COUNT, epsilon="0.5")

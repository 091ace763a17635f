"""Data frames are protected as they are when they are given, and no message ever writes one out."""

import datetime
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lapwing
from lapwing.errors import InvalidInput

ROWS = {"person": [1, 1, 2, 3] * 50, "age": [30, 31, 40, 50] * 50, "region": ["n", "s", "n", "s"] * 50}
SAID = {
    "unit": "person",
    "rows_per_unit": 2,
    "epsilon": 1000,
    "bounds": {"age": (0, 100)},
    "keys": {"region": ["n", "s"]},
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("door", [lapwing.protect, lapwing.open])
def test_a_frame_is_protected_and_asked(make, door):
    with door(make(ROWS), **SAID) as session:
        found = session.sql("SELECT region, COUNT(DISTINCT person) AS n FROM frame GROUP BY region", epsilon=200)
        assert [row["region"] for row in found] == ["n", "s"]
        assert len(found) == 2
        assert found.to_csv().startswith("region,n\nn,")
        assert session.remaining.epsilon == 800


def test_a_frame_that_changes_afterwards_is_answered_as_it_was():
    frame = pd.DataFrame(ROWS)
    with lapwing.protect(frame, **SAID) as session:
        frame.loc[:, "person"] = 1
        found = session.sql("SELECT COUNT(DISTINCT person) AS n FROM frame", epsilon=200)
        assert next(iter(found))["n"] == 3


def test_a_folder_keeps_the_ledger(tmp_path):
    with lapwing.protect(pd.DataFrame(ROWS), name="people", folder=tmp_path, **SAID) as session:
        session.sql("SELECT COUNT(*) AS n FROM people", epsilon=200)
    with lapwing.open(tmp_path / "people.parquet") as again:
        assert again.remaining.epsilon == 800


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"epsilon": None, "unit": "nobody"}, None),
        ({"name": "a b"}, "S127"),
        ({"colour": "red"}, "S128"),
        ({"unit": "nobody"}, "S124"),
    ],
)
def test_what_is_wrong_is_said_without_a_row(wrong, code):
    frame = pd.DataFrame({**ROWS, "secret": ["eve"] * 200})
    with pytest.raises(lapwing.LapwingError) as refusal:
        lapwing.protect(frame, **(SAID | wrong))
    assert code is None or refusal.value.code == code
    assert "eve" not in str(refusal.value)


def test_a_frame_that_is_no_table_is_refused_without_a_cell():
    with pytest.raises(InvalidInput) as refusal:
        lapwing.protect(pd.DataFrame({"x": [1, "bob", {"a": object()}]}), epsilon=1)
    assert refusal.value.code == "S127"
    assert "bob" not in str(refusal.value)


def test_a_rehearsal_costs_nothing_and_looks_like_the_answer():
    with lapwing.protect(pd.DataFrame(ROWS), **SAID) as session:
        text = "SELECT region, COUNT(*) AS n, AVG(age) AS a FROM frame GROUP BY region"
        tried = session.rehearse(text, epsilon=1)
        assert session.remaining.epsilon == 1000
        real = session.sql(text, epsilon=1)
        assert (tried.columns, len(tried)) == (real.columns, len(real))
        assert tried.margins["n"].to_pylist() == pytest.approx(real.margins["n"].to_pylist(), rel=0.5)
        assert tried.notes[0].startswith("A rehearsal")
        assert session.rehearse(text).spent == tried.spent  # without a price, as for ε = 1
        assert session.rehearse(text, rho="1/100").spent != tried.spent


def test_whoever_names_another_table_is_told_what_this_one_is_called():
    with lapwing.protect(pd.DataFrame(ROWS), **SAID) as session, pytest.raises(InvalidInput, match=r"lists \(frame\)"):
        session.sql("SELECT COUNT(*) FROM people", epsilon=1)


def test_a_frame_without_columns_is_refused():
    with pytest.raises(InvalidInput, match="S127 the frame has no columns"):
        lapwing.protect(pa.table({}), epsilon=1)


@pytest.mark.parametrize("names", [["a", "a"], ["a", "A"]])
def test_two_columns_of_one_name_are_refused_as_such(names):
    with pytest.raises(InvalidInput, match="S127 two columns of the frame have one name"):
        lapwing.protect(pd.DataFrame([[1, 2]], columns=names), epsilon=1)


def test_moments_of_pandas_have_nanoseconds_and_a_zone():
    noon = pd.Series(pd.to_datetime(["2024-05-01 12:00", None, "2024-05-02 15:00"], utc=True))
    frame = pd.DataFrame({"came": noon.astype("datetime64[ns, America/New_York]")})
    with lapwing.protect(frame, epsilon=1000, bounds={"came": ("2024-05-01", "2024-05-31")}) as session:
        found = session.sql("SELECT HOUR(came) AS h, COUNT(*) AS n FROM frame GROUP BY h", epsilon=400)
        assert {row["h"]: row["n"] for row in found if row["n"]} == {12: 1, 15: 1}  # in UTC


def test_columns_that_are_left_out_are_warned_of():
    frame = pd.DataFrame({"x": [1, 2], "tags": [["a"], []], "at": [datetime.time(9), None]})
    with pytest.warns(UserWarning, match=r"the column '(tags|at)' of frame is left out: its type") as said:
        lapwing.protect(frame, epsilon=1).close()
    assert len(said) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lapwing.protect(frame[["x"]], epsilon=1).close()


def test_whole_numbers_that_may_be_wide_are_text_until_declared():
    """As DuckDB's sums are, and hashes: of text none is lost; declared as numbers, those that do not fit are NULL."""
    frame = pa.table({"n": pa.array([2**64 - 1, 5, 7], pa.uint64())})
    said = {"epsilon": 1000, "bounds": {"n": (0, 10)}}
    with pytest.raises(InvalidInput, match="declare its kind, as integer or real"):
        lapwing.protect(frame, **said)
    with lapwing.protect(frame, **said, kinds={"n": "integer"}) as session:
        row = next(iter(session.sql("SELECT SUM(n) AS s, COUNT(n) AS n FROM frame WHERE n > 4", epsilon=900)))
        assert row == {"s": 12, "n": 2}


def test_rows_of_nobody_do_not_count_and_this_is_said():
    frame = pa.table({"person": pa.array([None, None, 1, 2], pa.int64()), "x": [1, 2, 3, 4]})
    with lapwing.protect(frame, unit="person", epsilon=1000, bounds={"x": (0, 9)}) as session:
        found = session.sql("SELECT COUNT(*) AS n FROM frame", epsilon=400)
        assert next(iter(found)) == {"n": 2}
        assert "Rows whose person is NULL do not count." in found.notes[0]

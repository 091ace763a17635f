"""What is said of a table in Python has a shape, and another one is refused in a line, before anything is written."""

import numpy as np
import pandas as pd
import pytest

import lapwing
from lapwing.errors import InvalidInput

ROWS = pd.DataFrame({"person": ["eve", "bob"] * 10, "x": [1.0, 2.0] * 10, "n": [1, 2] * 10, "y": [True, False] * 10})


@pytest.mark.parametrize(
    "said",
    [
        {"bounds": {"x": (0,)}},
        {"bounds": {"x": (0, 1, 2)}},
        {"bounds": {"x": 5}},
        {"bounds": {"x": None}},
        {"bounds": {"x": "01"}},
        {"bounds": {"x": {0, 5}}},
        {"bounds": [("x", 0, 1)]},
        {"bounds": "x=0:5"},
        {"keys": {"person": "ab"}},
        {"keys": {"person": None}},
        {"keys": {"n": [None]}},
        {"keys": ["n"]},
        {"kinds": ["x"]},
        {"analysts": ["ana"]},
        {"analysts": "ana"},
        {"private": {"visits.parquet": "person"}},
        {"private": ["visits.parquet"]},
        {"public": 3},
        {"ledger": 5},
        {"unit": 5},
        {"unit": ["person"]},
        {"neighbours": "other"},
        {"neighbours": None},
        {"nonsense": 3},
    ],
)
def test_another_shape_is_refused(said, tmp_path):
    with pytest.raises(InvalidInput) as refusal:
        lapwing.protect(ROWS, **({"unit": "person", "epsilon": 1, "folder": tmp_path} | said))
    assert refusal.value.code == "S128"
    assert "eve" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("said", "column", "keys"),
    [
        ({"keys": {"y": [True, False]}}, "y", (True, False)),
        ({"keys": {"n": np.array([2, 1])}}, "n", (2, 1)),
        ({"keys": {"n": range(1, 3)}}, "n", (1, 2)),
        ({"keys": {"person": np.array(["eve", "bob"])}}, "person", ("eve", "bob")),
    ],
)
def test_keys_of_other_libraries_are_keys(said, column, keys):
    with lapwing.protect(ROWS, epsilon=1, **said) as session:
        assert session.policy.table("frame").column(column).keys == keys


def test_one_public_table_stands_for_itself(tmp_path):
    rates = tmp_path / "rates.csv"
    rates.write_text("n,rate\n1,10\n2,20\n")
    with lapwing.protect(ROWS, epsilon=1, public=str(rates), folder=tmp_path) as session:
        assert session.policy.table("rates").role == "public"

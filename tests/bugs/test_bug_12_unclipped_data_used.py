"""Values were clipped, and then the unclipped ones were summed: the noise was for the former."""

import pyarrow as pa
import pytest

from tests.bugs.before_noise import assert_neighbours_stay_close, before_noise, session_on

#: One person is far outside the bounds.
WHALE = pa.table({"pay": [1e12, 10.0, 20.0], "debt": [-(10**15), 5, 5], "region": ["north", "south", "south"]})
SETTINGS = {"bounds": {"pay": (0, 100), "debt": (-50, 50)}, "keys": {"region": ["north", "south"]}}
QUERIES = [
    "SELECT SUM(pay) FROM people",
    "SELECT SUM(debt) FROM people",
    "SELECT AVG(pay) FROM people",
    "SELECT VARIANCE(pay), STDDEV(debt) FROM people",
    "SELECT region, SUM(pay), AVG(debt) FROM people GROUP BY region",
    "SELECT SUM(CLIP(pay, 0, 7)) FROM people",
    "SELECT SUM(CLIP(pay, 0, 7) + debt) FROM people",
    "SELECT SUM(pay * debt) FROM people",
    "SELECT SUM(pay) FROM (SELECT CLIP(pay, 0, 7) AS clipped, pay FROM people)",
    "SELECT SUM(clipped) FROM (SELECT CLIP(pay, 0, 7) AS clipped, pay FROM people) WHERE pay > 1000",
    "SELECT SUM(CASE WHEN CLIP(pay, 0, 7) = 7 THEN pay ELSE 0 END) FROM people",
    "SELECT SUM(pay) FILTER (WHERE pay > 1000) FROM people",
    "SELECT SUM(ABS(debt)) FROM people",
    "SELECT SUM(-debt) FROM people",
    "SELECT SUM(pay / 2) FROM people",
    "SELECT SUM(CAST(pay AS INTEGER)) FROM people",
]


@pytest.mark.parametrize("text", QUERIES)
def test_a_person_beyond_the_bounds_moves_no_more_than_the_bounds(tmp_path, text):
    assert_neighbours_stay_close(tmp_path, text, WHALE, WHALE.slice(1), **SETTINGS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT SUM(pay) FROM people", 100 + 10 + 20),
        ("SELECT SUM(debt) FROM people", -50 + 5 + 5),
        ("SELECT SUM(CLIP(pay, 0, 7)) FROM people", 7 + 7 + 7),
        ("SELECT SUM(pay) FILTER (WHERE pay > 50) FROM people", 100),
    ],
)
def test_sums_are_of_clipped_values(tmp_path, text, expected):
    with session_on(tmp_path, WHALE, **SETTINGS) as session:
        [(measurement, [value])] = before_noise(session, text)
    assert value * measurement.step == expected


def test_a_mean_and_a_median_stay_in_the_range(tmp_path):
    with session_on(tmp_path, WHALE, **SETTINGS) as session:
        release = session.sql("SELECT AVG(pay) AS m, MEDIAN(pay) AS q, MAX(pay) AS top FROM people", epsilon=100)
    assert all(0 <= release.table[name][0].as_py() <= 100 for name in ("m", "q", "top"))

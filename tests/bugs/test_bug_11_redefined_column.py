"""A column was given a new meaning under its old name, and kept its old bounds: far too little noise."""

import pyarrow as pa
import pytest

from tests.bugs.before_noise import assert_neighbours_stay_close, before_noise, session_on

#: One person is as large as the bounds allow; the others are nothing.
TABLE = pa.table(
    {
        "person": [0, 1, 2, 3],
        "age": [100, 0, 0, 0],
        "income": [100_000, 0, 0, 0],
        "region": ["north", "south", "south", "south"],
    }
)
BOUNDS = {"age": (0, 100), "income": (0, 100_000)}
REDEFINED = {
    "SELECT SUM(age) FROM (SELECT income AS age FROM people)": 100_000,
    "SELECT SUM(age) FROM (SELECT age * 7 AS age FROM people)": 700,
    "SELECT SUM(age) FROM (SELECT age * income AS age FROM people)": 10_000_000,
    "SELECT SUM(age) FROM (SELECT -age AS age FROM people)": 100,
    "SELECT SUM(age) FROM (SELECT age + 1000 AS age FROM people)": 1100,
    "WITH people AS (SELECT income AS age FROM people) SELECT SUM(age) FROM people": 100_000,
    "WITH p AS (SELECT age * 7 AS age FROM people), q AS (SELECT age * 7 AS age FROM p) SELECT SUM(age) FROM q": 4900,
    "SELECT SUM(p.age) FROM (SELECT income AS age, age AS income FROM people) AS p": 100_000,
    "SELECT SUM(AGE) FROM (SELECT income AS Age FROM people)": 100_000,
    "SELECT SUM(age) FROM (SELECT CASE WHEN region = 'north' THEN income ELSE age END AS age FROM people)": 100_000,
    "SELECT SUM(age) FROM (SELECT COALESCE(NULL, income) AS age FROM people)": 100_000,
    "SELECT SUM(age) FROM (SELECT age FROM (SELECT income AS age FROM people) WHERE age <= 100 OR TRUE)": 100_000,
}


@pytest.mark.parametrize("text", REDEFINED)
def test_bounds_follow_the_values_not_the_name(tmp_path, text):
    [distance] = assert_neighbours_stay_close(tmp_path, text, TABLE, TABLE.slice(1), bounds=BOUNDS)
    assert distance == REDEFINED[text]  # the whole value, so that an old bound would have been too small


def test_a_where_on_the_old_meaning_bounds_nothing_of_the_new(tmp_path):
    text = "SELECT SUM(CLIP(age, 0, 1000000)) FROM (SELECT income AS age FROM (SELECT * FROM people WHERE age < 5))"
    small = TABLE.set_column(1, "age", pa.array([4, 0, 0, 0]))
    assert assert_neighbours_stay_close(tmp_path, text, small, small.slice(1), bounds=BOUNDS) == [100_000]


def test_the_unit_cannot_be_redefined(tmp_path):
    """Whoever the sub-query calls a person, the person in the policy is the one whose rows are bounded."""
    many = pa.table({"person": [0] * 50 + [1], "visit": list(range(51)), "age": [100] * 51})
    settings = {"unit": "person", "rows_per_unit": 2, "bounds": {"age": (0, 100)}}
    for text in (
        "SELECT COUNT(*) FROM (SELECT visit AS person FROM people)",
        "SELECT SUM(age) FROM (SELECT visit AS person, age FROM people)",
        "SELECT COUNT(DISTINCT person) FROM (SELECT visit AS person FROM people)",
    ):
        folder = tmp_path / str(abs(hash(text)))
        folder.mkdir()
        assert_neighbours_stay_close(folder, text, many, many.slice(50), **settings)


def test_a_table_of_the_policy_is_not_replaced_by_a_query_of_its_name(tmp_path):
    text = "WITH people AS (SELECT 5 AS age FROM people) SELECT SUM(age) FROM people"
    with session_on(tmp_path, TABLE, bounds=BOUNDS) as session:
        [(measurement, [value])] = before_noise(session, text)
    assert value * measurement.step == 5 * 4

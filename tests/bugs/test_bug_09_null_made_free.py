"""A column of NULLs was given sensitivity 0: an exact count of people came out, and was charged nothing."""

import pyarrow as pa
import pytest

from lapwing.query.sensitivity import change
from tests.bugs.before_noise import answers, assert_neighbours_stay_close, assert_refused_for_free, session_on

PEOPLE = 137
TABLE = pa.table(
    {
        "x": pa.array([None] * PEOPLE, pa.float64()),
        "y": pa.array([None if i % 3 else 1 for i in range(PEOPLE)], pa.int64()),
        "word": pa.array([None] * PEOPLE, pa.string()),
    }
)
#: Each counts people through NULLs.
COUNTS = [
    "SELECT COUNT(*) AS n FROM people WHERE x IS NULL",
    "SELECT COUNT(*) AS n FROM people WHERE x IS NULL OR x = NULL",
    "SELECT COUNT(COALESCE(x, 1)) AS n FROM people",
    "SELECT COUNT(COALESCE(NULL, 1)) AS n FROM people",
    "SELECT SUM(CASE WHEN x IS NULL THEN 1 ELSE 0 END) AS n FROM people",
    "SELECT SUM(CASE WHEN word IS NULL THEN 1 END) AS n FROM people",
    "SELECT COUNT(*) - COUNT(x) AS n FROM people",
    "SELECT COUNT(*) FILTER (WHERE word IS NULL) AS n FROM people",
    "SELECT COUNT(y) + 0 * COUNT(x) AS n FROM people",
    "SELECT n FROM (SELECT COUNT(*) AS n, COUNT(x) AS m FROM people) WHERE m IS NOT NULL",
    "SELECT COUNT(CASE WHEN x > 0 THEN NULL ELSE 1 END) AS n FROM people",
    "SELECT SUM(x IS NULL) AS n FROM people",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with session_on(tmp_path_factory.mktemp("people"), TABLE, bounds={"x": (0, 1)}) as opened:
        yield opened


@pytest.mark.parametrize("text", COUNTS)
def test_counting_nulls_costs_its_price_and_has_its_noise(session, text):
    try:
        found = answers(session, text)  # also that each was charged
    except ValueError:
        assert assert_refused_for_free(session, text).startswith(("Q", "S"))
    else:
        assert len(set(found)) > 1  # noise of scale 100: eight equal answers are a miracle
        for measurement in session._prepared(text).aggregate.measurements:
            assert change(measurement, grouped=False, neighbours=session.policy.neighbours).l1 >= 1


@pytest.mark.parametrize(
    "text", ["SELECT COUNT(NULL) FROM people", "SELECT SUM(NULL) FROM people", "SELECT AVG(NULL) FROM people"]
)
def test_a_constant_null_is_either_refused_or_paid_for(session, text):
    try:
        answers(session, text, times=1)
    except ValueError:
        assert_refused_for_free(session, text)


@pytest.mark.parametrize("text", COUNTS[:1] + COUNTS[4:5])
def test_one_person_of_nulls_moves_the_count_by_one_and_no_more(tmp_path, text):
    assert assert_neighbours_stay_close(tmp_path, text, TABLE, TABLE.slice(1), bounds={"x": (0, 1)}) == [1]

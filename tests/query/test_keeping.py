"""Rows that are shown because they look large: a note says so, where the noise decides, and nowhere else."""

import pytest

from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS

COUNTS = "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"


def said(text):
    return any("a ± says less" in note for note in prepare(text, CENSUS).notes)


@pytest.mark.parametrize(
    "text",
    [
        f"{COUNTS} HAVING COUNT(*) > 10",
        f"{COUNTS} ORDER BY n DESC LIMIT 1",
        f"{COUNTS} ORDER BY AVG(age) LIMIT 1",
        f"{COUNTS} ORDER BY n OFFSET 1",
        "SELECT city, COUNT(*) AS n FROM people GROUP BY city ORDER BY n DESC LIMIT 500",
        f"{COUNTS} QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) = 1",
        f"SELECT * FROM ({COUNTS}) WHERE n > 10",
        f"SELECT sex FROM ({COUNTS}) ORDER BY n DESC LIMIT 1",
        f"SELECT * FROM ({COUNTS} ORDER BY n DESC LIMIT 1)",
        f"SELECT * FROM (SELECT sex, n / 2 AS half FROM ({COUNTS})) WHERE half > 10",
        f"SELECT * FROM (SELECT sex, RANK() OVER (ORDER BY n) AS r FROM ({COUNTS})) WHERE r = 1",
        f"SELECT AVG(n) FROM ({COUNTS}) WHERE n > 10",
        f"SELECT * FROM (SELECT sex, SUM(n) AS s FROM ({COUNTS}) GROUP BY sex) WHERE s > 3",
        f"SELECT a.sex FROM ({COUNTS}) a JOIN ({COUNTS} HAVING COUNT(*) > 3) b USING (sex)",
        f"SELECT * FROM ({COUNTS} UNION ALL SELECT 'all', COUNT(*) FROM people) ORDER BY n DESC LIMIT 1",
    ],
)
def test_rows_that_the_noise_keeps(text):
    assert said(text)


@pytest.mark.parametrize(
    "text",
    [
        COUNTS,
        f"{COUNTS} ORDER BY n DESC",
        f"{COUNTS} ORDER BY n DESC LIMIT 2",  # there are two groups
        f"{COUNTS} ORDER BY sex LIMIT 1",
        f"{COUNTS} LIMIT 1",
        f"{COUNTS} HAVING sex = 'f'",
        f"SELECT * FROM ({COUNTS}) WHERE sex = 'f'",
        f"SELECT sex, n, SUM(n) OVER () AS s FROM ({COUNTS}) ORDER BY s",
        f"SELECT * FROM (SELECT sex, ROW_NUMBER() OVER (ORDER BY sex) AS r FROM ({COUNTS})) WHERE r = 1",
        f"SELECT * FROM ({COUNTS} UNION ALL SELECT 'all', COUNT(*) FROM people) ORDER BY sex LIMIT 1",
    ],
)
def test_rows_that_keys_keep(text):
    assert not said(text)

"""One NaN among the values made every answer NaN, or failed the query: either tells that the person is there."""

import math

import pyarrow as pa
import pytest

from tests.bugs.before_noise import assert_neighbours_stay_close, session_on

PLAIN = [float(i % 10) for i in range(60)]
ODD = {
    "nan": math.nan,
    "inf": math.inf,
    "minus inf": -math.inf,
    "largest": 1.7976931348623157e308,
    "smallest": 5e-324,
    "minus zero": -0.0,
    "null": None,
}
SETTINGS = {"bounds": {"x": (0, 10), "n": (0, 10)}, "keys": {"word": ["a", "b"]}}
QUERIES = [
    "SELECT COUNT(*), COUNT(x), SUM(x), AVG(x), VARIANCE(x), STDDEV(x) FROM people",
    "SELECT MEDIAN(x), MIN(x), MAX(x), QUANTILE(x, 0.9) FROM people",
    "SELECT COUNT(DISTINCT x) FROM people",
    "SELECT word, SUM(x) FROM people GROUP BY word",
    "SELECT SUM(CLIP(1 / x, 0, 10)), SUM(CLIP(x / (x - x), 0, 10)), SUM(CLIP(n % n, 0, 10)) FROM people",
    "SELECT SUM(CLIP(SQRT(x), 0, 10)) FROM people",
    "SELECT SUM(CLIP(x * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37, 0, 10)) FROM people",
    "SELECT SUM(CLIP(CAST(x AS INTEGER), 0, 10)), SUM(CLIP(CAST(word AS INTEGER), 0, 10)) FROM people",
    "SELECT SUM(CLIP(CAST(word AS REAL), 0, 10)), SUM(CLIP(ROUND(x), 0, 10)), SUM(CLIP(FLOOR(x), 0, 10)) FROM people",
    "SELECT COUNT(*) FROM people WHERE x = x",
    "SELECT COUNT(*) FROM people WHERE x > 1e37 OR NOT (x <= 1e37)",
    "SELECT SUM(CLIP(n + n, 0, 10)), SUM(CLIP(n * n, 0, 10)), SUM(CLIP(-n, -10, 10)) FROM people",
    "SELECT SUM(CLIP(ABS(n), 0, 10)), SUM(CLIP(n - 1, 0, 10)) FROM people",
    "SELECT COUNT(*) FROM people WHERE LENGTH(word) > 0 AND LOWER(word) LIKE '%a%'",
    "SELECT SUM(CASE WHEN x > 5 THEN x ELSE -x END) FROM people",
    "SELECT SUM(CLIP(EXTRACT(YEAR FROM day), 0, 3000)) FROM people",
]


def table(last):
    """People of whom the last may be anything, or each odd thing in turn."""
    if last == "all":
        return pa.concat_tables([table(odd).slice(60 * (place > 0)) for place, odd in enumerate(ODD.values())])
    number = 2**63 - 1 if last is not None and not math.isnan(last) and last > 1e9 else -(2**63)
    return pa.table(
        {
            "x": pa.array([*PLAIN, last], pa.float64()),
            "n": pa.array([int(value) for value in PLAIN] + [None if last is None else number], pa.int64()),
            "word": pa.array(["a", "b", "1e999"] * 20 + [None if last is None else "\x00\ufffe" + "9" * 400]),
            "day": pa.array([0] * 60 + [None if last is None else 2**31 - 3], pa.date32()),
        }
    )


@pytest.fixture(scope="module", params=["nan", "all", "plain"])
def session(request, tmp_path_factory):
    with session_on(
        tmp_path_factory.mktemp("people"),
        table({"nan": math.nan, "all": "all", "plain": 1.0}[request.param]),
        **SETTINGS,
    ) as opened:
        yield opened


def test_no_value_fails_a_query_nor_makes_an_answer_missing_or_exact(session):
    for text in QUERIES:
        release = session.sql(text, epsilon="0.05")
        for name, column, margin in zip(release.columns, release.table.columns, release.margins.columns, strict=True):
            if name == "word":
                continue
            for value, reach in zip(column.to_pylist(), margin.to_pylist(), strict=True):
                assert value is None or math.isfinite(value), (text, name)
                assert reach is None or reach > 0, (text, name)


def test_noise_is_there_whatever_the_values(session):
    text = "SELECT SUM(x) AS s, COUNT(x) AS n FROM people"
    found = {tuple(session.sql(text, epsilon=f"0.0{i}").table.to_pylist()[0].values()) for i in range(1000, 1008)}
    assert len(found) == 8


@pytest.mark.parametrize("odd", ["nan", "largest"])
def test_an_odd_person_moves_no_more_than_any_other(tmp_path, odd):
    texts = [text for text in QUERIES[::2] if "MEDIAN" not in text]  # a choice, not a number with noise
    with_person = table(ODD[odd])
    distances = assert_neighbours_stay_close(tmp_path, texts, with_person, with_person.slice(0, 60), **SETTINGS)
    assert any(distances)

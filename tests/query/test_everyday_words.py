"""Small things that analysts stumble over: names of columns, words of other databases, notes that say nothing."""

import datetime
import logging
from dataclasses import replace

import numpy as np
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.errors import LapwingError
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.answers.cells import Cells
from lapwing.query.answers.following import shapes_of
from lapwing.query.answers.replay import Shape
from lapwing.query.answers.table import Answers
from lapwing.query.prepare import prepare
from lapwing.session.rendering import shown
from lapwing.session.showing import without_margins
from tests.query import plain
from tests.query.tables import CENSUS


def columns(text, policy=CENSUS):
    return [name for name, _ in prepare(text, policy).outputs]


def test_a_text_keeps_its_capitals_in_the_name_of_a_column():
    assert columns("SELECT COUNT(*) FILTER (WHERE sex = 'F') FROM people") == ["count(*) filter(where sex = 'F')"]
    assert columns("SELECT COUNT(*) FILTER (WHERE city = 'It''s A') FROM people") == [
        "count(*) filter(where city = 'It''s A')"
    ]


def test_a_refused_function_is_told_of_once(caplog):
    with caplog.at_level(logging.DEBUG), pytest.raises(LapwingError, match="APPROX_TOP_K"):
        prepare("SELECT APPROX_TOP_K(city, 3) FROM people", CENSUS)
    assert not caplog.records


def test_what_is_not_understood_is_quoted_as_it_was_written():
    with pytest.raises(LapwingError, match="seen AT TIME ZONE"):
        prepare("SELECT COUNT(*) FROM people WHERE seen AT TIME ZONE 'UTC' > '2024-01-01'", CENSUS)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("DATE_FORMAT(seen, '%Y-%m')", "STRFTIME(seen, '%Y-%m')"),
        ("FORMAT_DATE('%Y-%m', seen)", "STRFTIME(seen, '%Y-%m')"),
        ("DATE_FORMAT(seen, '%H:%S')", "STRFTIME(seen, '%H:%S')"),
    ],
)
def test_formats_of_other_databases(theirs, ours):
    one, other = (prepare(f"SELECT {each} AS d, COUNT(*) FROM people GROUP BY d", CENSUS) for each in (theirs, ours))
    assert one.aggregate == other.aggregate


def test_a_part_of_a_format_that_means_something_else_elsewhere_is_refused():
    with pytest.raises(LapwingError, match="DATE_FORMAT"):  # %M is the month's name to MySQL, and minutes to STRFTIME
        prepare("SELECT DATE_FORMAT(seen, '%M') AS d, COUNT(*) FROM people GROUP BY d", CENSUS)


def test_a_safe_division_is_a_division():
    one, other = (
        prepare(f"SELECT {each} AS r FROM people", CENSUS)
        for each in ("SAFE_DIVIDE(SUM(pay), COUNT(*) - 1)", "SUM(pay) / (COUNT(*) - 1)")
    )
    assert (one.aggregate, one.outputs) == (other.aggregate, other.outputs)


def test_texts_beside_truth_values_are_read():
    yes, true = (
        prepare(f"SELECT COUNT(*) FROM (SELECT pay > 5 AS rich FROM people) WHERE rich = {each}", CENSUS)
        for each in ("'Yes'", "TRUE")
    )
    assert yes.aggregate == true.aggregate
    with pytest.raises(LapwingError, match="Q123"):
        prepare("SELECT COUNT(*) FROM (SELECT pay > 5 AS rich FROM people) WHERE rich = 'maybe'", CENSUS)


def test_a_number_that_cannot_leave_its_range_is_not_told_to_be_clipped():
    for inside in ("CASE WHEN age > 30 THEN 1 ELSE 0 END", "CASE WHEN age > 30 THEN 2 END"):
        assert not any("clipped" in note for note in prepare(f"SELECT AVG({inside}) FROM people", CENSUS).notes)
    for inside in ("CASE WHEN age > 30 THEN pay ELSE 0 END", "pay"):
        assert any("clipped" in note for note in prepare(f"SELECT AVG({inside}) FROM people", CENSUS).notes)


def test_days_are_not_told_to_be_cast_to_numbers():
    with pytest.raises(LapwingError, match="DATE_DIFF"):
        prepare("SELECT SUM(seen) FROM people", CENSUS)


def test_a_rounded_share_keeps_its_margin():
    query = prepare(
        "SELECT sex, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS p,"
        " ABS(COUNT(*) - SUM(COUNT(*)) OVER ()) AS t FROM people GROUP BY sex",
        CENSUS,
    )
    assert shapes_of(query.sheet, [query.answers]) == {
        "sex": Shape.CERTAIN,
        "p": Shape.MONOTONE,
        "t": Shape.TURNING,
    }


def test_numbers_without_any_margin_are_told_of():
    unknown = np.full(2, np.inf)
    cells = (
        Cells.known(["a", "b"]),
        Cells.around(np.array([1.0, 2.0]), 1.0),
        Cells(np.array([0.1, 0.2]), np.zeros(2, bool), -unknown, unknown),
    )
    assert [note[:22] for note in without_margins(Answers(("k", "n", "c"), cells, 2))] == ["No ± is known of c: wi"]
    assert not list(without_margins(Answers(("k",), (Cells.known([]),), 0)))


def test_years_have_no_commas():
    assert shown(2023, None) == "2023"
    assert shown(12023, 5.0) == "12,023"


def test_listed_numbers_lie_between_the_least_and_the_greatest():
    public = Table(
        "wards",
        "wards.parquet",
        "public",
        None,
        None,
        (Column("ward", "integer"), Column("beds", "integer", keys=(40, 10, 20))),
    )
    stays = Table("stays", "stays.parquet", "private", "who", 1, (Column("who", "integer"), Column("ward", "integer")))
    policy = Policy("stays", (stays, public), Budget(1), Neighbours.ADDED, ())
    (total,) = prepare("SELECT SUM(beds) FROM stays JOIN wards USING (ward)", policy).aggregate.measurements
    assert (total.low, total.high) == (10, 40)


def test_a_median_of_days_is_a_day():
    made = plain.tables(4)
    days = sorted(day for day in made["people"].column("day").to_pylist() if day is not None)
    with DuckDB.over(made, public=["towns"]) as engine:
        ((first, middle, last),) = plain.lapwing_says(
            "SELECT MIN(day), MEDIAN(day), MAX(day) FROM people", made, engine
        )
    assert days[0].isoformat() <= first <= days[len(days) // 20].isoformat()
    assert abs((datetime.date.fromisoformat(middle) - days[len(days) // 2]).days) <= 30
    assert days[-1 - len(days) // 20].isoformat() <= last <= days[-1].isoformat()


def test_days_are_told_of_as_days():
    query = prepare("SELECT MAX(born) FROM people WHERE born BETWEEN '2000-01-01' AND '2000-12-31'", CENSUS)
    assert "Quantiles of born are whole days from 2000-01-01 to 2000-12-31." in query.notes
    with pytest.raises(LapwingError, match="--bounds seen="):
        prepare("SELECT MAX(seen) FROM people", CENSUS)


def test_what_a_moment_is_compared_with_leaves_few_groups():
    def groups(condition):
        text = f"SELECT CAST(seen AS DATE) AS d, COUNT(*) FROM people WHERE {condition} GROUP BY d"
        return prepare(text, CENSUS).aggregate.keys[0].values

    assert groups("seen >= '2024-02-28 10:00:00' AND seen < '2024-03-01'") == ("2024-02-28", "2024-02-29")
    assert groups("seen > '2024-02-28' AND NOT seen > '2024-02-29'") == ("2024-02-28", "2024-02-29")
    assert groups("seen BETWEEN '2024-02-28' AND '2024-02-28 00:00:01'") == ("2024-02-28",)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT (SELECT COUNT(*) FROM people WHERE member) * 1.0 / (SELECT COUNT(*) FROM people) AS rate",
        "SELECT (SELECT COUNT(*) FROM people) AS n, (SELECT SUM(age) FROM people WHERE member) AS a, 7 AS seven",
        "WITH a AS (SELECT COUNT(*) AS n FROM people), b AS (SELECT COUNT(DISTINCT guest) AS n FROM visits) "
        "SELECT (SELECT n FROM a) / (SELECT n FROM b) AS each",
        "SELECT ROUND(100.0 * COALESCE((SELECT COUNT(*) FROM people WHERE age > 50), 0) / "
        "(SELECT COUNT(*) FROM people), 1) AS share",
        "SELECT (SELECT COUNT(*) FROM people HAVING COUNT(*) > 100000) AS a, (SELECT COUNT(*) FROM people) AS b",
        "SELECT (SELECT COUNT(*) FROM people LIMIT 0) AS a, 1 AS b",
        "SELECT (SELECT (SELECT COUNT(*) FROM people) + 1) * 2 AS a",
    ],
)
def test_numbers_without_a_table_around_them(text):
    made = plain.tables(5)
    assert plain.same(plain.lapwing_says(text, made), plain.duckdb_says(text, made))


def test_a_number_that_is_asked_for_twice_is_paid_once():
    query = prepare("SELECT (SELECT COUNT(*) FROM people) / (SELECT SUM(age) FROM people)", CENSUS)
    assert len([each for part in (query, *query.beside) for each in part.aggregate.measurements]) == 2


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT COUNT(*)"])
def test_what_asks_nothing_of_a_table_is_refused(text):
    with pytest.raises(LapwingError, match="Q110"):
        prepare(text, CENSUS)


@pytest.mark.parametrize("item", ["n", "*"])
def test_what_has_no_table_has_no_columns(item):
    with pytest.raises(LapwingError, match=r"Q114|Q110"):
        prepare(f"SELECT {item}, (SELECT COUNT(*) AS n FROM people) AS a", CENSUS)


def test_several_rows_are_no_number():
    with pytest.raises(LapwingError, match="Q109"):
        prepare("SELECT (SELECT COUNT(*) FROM people GROUP BY sex) AS n", CENSUS)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT FLOOR(pay / 500) * 500 AS k, COUNT(*) AS n FROM people WHERE pay IS NOT NULL GROUP BY 1",
        "SELECT ROUND(pay, -3) AS k, COUNT(*) AS n FROM people WHERE pay IS NOT NULL GROUP BY 1",
        "SELECT TRUNC(pay / 500) AS k, COUNT(*) AS n FROM people WHERE pay IS NOT NULL GROUP BY 1",
        "SELECT COALESCE(FLOOR(pay / 500), -1) AS k, COUNT(*) AS n FROM people GROUP BY 1",
        "SELECT CASE WHEN pay < 500 THEN FLOOR(pay / 250) ELSE 500 END AS k, COUNT(*) AS n FROM people "
        "WHERE pay IS NOT NULL GROUP BY 1",
        "WITH b AS (SELECT *, FLOOR(pay / 500) * 500 AS k FROM people) "
        "SELECT k, COUNT(*) AS n FROM b WHERE k IS NOT NULL GROUP BY k",
        "WITH b AS (SELECT FLOOR(pay / 500) AS k, city FROM people), c AS (SELECT k * 500 AS h, city FROM b) "
        "SELECT h, COUNT(*) AS n FROM c JOIN towns ON city = town WHERE h IS NOT NULL GROUP BY h",
        "SELECT k, COUNT(*) AS n FROM (SELECT person, FLOOR(MAX(pay) / 500) AS k FROM people GROUP BY person) "
        "WHERE k IS NOT NULL GROUP BY k",
    ],
)
def test_rounded_numbers_without_a_range_make_groups(text):
    made = plain.tables(6)
    free = replace(plain.POLICY, tables=tuple(map(_without_ranges, plain.POLICY.tables)))
    assert plain.same(plain.lapwing_says(text, made, policy=free), plain.duckdb_says(text, made))


def _without_ranges(table):
    return replace(table, columns=tuple(Column(each.name, each.kind) for each in table.columns))


@pytest.mark.parametrize(
    ("text", "said", "underlined"),
    [
        ("SELECT * FROM people LIMIT 10", "Q100 this would show rows of people", "* FROM people LIMIT 10"),
        ("SELECT age FROM people ORDER BY age", "Q100 this would show rows of people", None),
        ("SELECT STRING_AGG(city, ',') FROM people", "'STRING_AGG' shows the values of people", None),
        ("SELECT COUNT(*) FROM people WHERE born > CURRENT_DATE - 30", "'CURRENT_DATE' changes", "CURRENT_DATE"),
        ("SELECT TOP 3 city, COUNT(*) FROM people GROUP BY city", "Write LIMIT at the end instead of TOP", "3"),
    ],
)
def test_refusals_say_what_was_written_and_where(text, said, underlined):
    with pytest.raises(LapwingError) as refused:
        prepare(text, CENSUS)
    assert said in str(refused.value)
    *_, line, marks = str(refused.value).splitlines()
    start = marks.index("^")
    assert underlined is None or line[start : start + marks.count("^")] == underlined


@pytest.mark.parametrize("name", ["beside 1", "window 1", "key 1", "gathered 1", "one row"])
def test_no_name_of_an_answer_is_taken_for_what_is_beside_it(name):
    made = plain.tables(7)
    for text in (
        f'SELECT sex AS "{name}", COUNT(*) AS n, COUNT(*) - (SELECT COUNT(*) FROM visits) AS d, '
        "SUM(COUNT(*)) OVER () AS t FROM people WHERE sex IS NOT NULL GROUP BY sex",
        f'SELECT "{name}", n + (SELECT COUNT(*) FROM visits) AS d, SUM(n) OVER () AS t FROM (SELECT sex AS "{name}", '
        "COUNT(*) AS n FROM people WHERE sex IS NOT NULL GROUP BY sex) AS x",
        f'SELECT MAX("{name}") AS "{name}", SUM(n) AS t FROM (SELECT sex AS "{name}", COUNT(*) AS n FROM people '
        "WHERE sex IS NOT NULL GROUP BY sex) AS x",
    ):
        assert plain.same(plain.lapwing_says(text, made), plain.duckdb_says(text, made)), text

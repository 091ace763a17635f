"""Whatever the text, ``prepare`` returns a plan or a coded refusal; never a traceback."""

import logging

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import LapwingError
from lapwing.query.explain import tree
from lapwing.query.plan import Query
from lapwing.query.prepare import prepare
from lapwing.query.sensitivity import change
from tests.query.tables import CENSUS, CLINIC

WORDS = """
SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET JOIN LEFT ON USING AS AND OR NOT IN IS NULL CASE WHEN
THEN ELSE END DISTINCT WITH UNION ALL BETWEEN LIKE CAST OVER FILTER COUNT SUM AVG MEDIAN QUANTILE MIN MAX
HISTOGRAM CLIP FLOOR ABS LEAST COALESCE YEAR IF ( ) ( ) , , . * * + - / // % = < > <> || :: ; ' " 0 1 2 3.5
1e9 'f' '2020-01-01' TRUE people visits patients places wards sex age income pay born smoker city zip patient
cost pain ward id t x n p.age v.cost read_csv random DATE INTERVAL [ ] { } $1 ? : -- /* */ EXISTS ANY VALUES
PIVOT LATERAL ROLLUP -1 0.5 ASC DESC NULLS FIRST
"""
TOKENS = WORDS.split()
FRAME = ["SELECT {0} FROM people", "SELECT sex, {0} FROM people GROUP BY {1}", "SELECT COUNT(*) FROM people WHERE {0}"]
FRAME += [
    "SELECT SUM({0}) FROM visits",
    "SELECT AVG({0}) FROM (SELECT patient, {1} AS x FROM visits GROUP BY patient) t",
]
FRAME += [
    "SELECT COUNT(*) FROM visits v JOIN patients p ON {0}",
    "SELECT {0} FROM (SELECT {1} FROM people) t ORDER BY {0}",
]
CALLED = ("SUM", "AVG", "ABS", "FLOOR", "SQRT", "MEDIAN", "NOT", "YEAR", "COUNT", "LENGTH")
SOUP = st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join)


def expressions():
    leaves = st.sampled_from(
        ["age", "pay", "sex", "cost", "pain", "1", "0", "2.5", "'f'", "NULL", "TRUE", "born", "COUNT(*)", "x"]
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "%", "=", "<", "AND", "OR"]), inner).map(" ".join),
            st.tuples(st.sampled_from(CALLED), inner).map(lambda pair: f"{pair[0]}({pair[1]})"),
            st.tuples(inner, inner, inner).map(lambda each: "CASE WHEN {} THEN {} ELSE {} END".format(*each)),
            inner.map(lambda each: f"CLIP({each}, -3, 10)"),
            inner.map(lambda each: f"CAST({each} AS BIGINT)"),
        ),
        max_leaves=6,
    )


EXPRESSIONS = expressions()


def attempt(text, policy):
    """A plan with finite sensitivities, or a refusal that is complete on its first line."""
    try:
        query = prepare(text, policy)
    except LapwingError as error:
        query, refusal = None, error
    if query is None:
        first = str(refusal).splitlines()[0]
        assert first.startswith(refusal.code)
        assert refusal.code[0] == "Q"
        assert first.endswith(".")
        return None
    assert isinstance(query, Query)
    for notion in Neighbours:
        tree(query, notion)
        for measurement in query.aggregate.measurements:
            assert change(measurement, bool(query.aggregate.keys), notion).l1 >= 0
    names = {answer.name for answer in query.answers}
    assert len({name.lower() for name in names}) == len(query.answers)
    return query


@settings(max_examples=250, deadline=None)
@given(SOUP, st.sampled_from([CENSUS, CLINIC]))
@example("SELECT", CENSUS)
@example("SELECT * FROM people PIVOT (", CENSUS)
def test_token_soup(text, policy):
    attempt(text, policy)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(FRAME), SOUP, SOUP)
def test_token_soup_in_a_frame(frame, first, second):
    attempt(frame.format(first, second), CENSUS if "people" in frame else CLINIC)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(FRAME), EXPRESSIONS, EXPRESSIONS)
def test_expressions_in_a_frame(frame, first, second):
    attempt(frame.format(first, second), CENSUS if "people" in frame else CLINIC)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text):
    attempt(text, CENSUS)


def test_the_frames_are_also_accepted():
    """Otherwise the fuzz would only test the parser's first step."""
    assert attempt("SELECT SUM(CLIP(age, -3, 10)) FROM people", CENSUS) is not None
    assert attempt(
        "SELECT AVG(CLIP(x, -3, 10)) FROM (SELECT patient, COUNT(*) AS x FROM visits GROUP BY patient) t", CLINIC
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM people WHERE " + "(" * 500 + "age" + ")" * 500 + " > 1",
        "SELECT COUNT(*) FROM people WHERE " + " AND ".join(["age > 1"] * 5000),
        "SELECT SUM(" + "-" * 3000 + "age) FROM people",
        "SELECT SUM(" + " + ".join(["age"] * 3000) + ") FROM people",
        "SELECT COUNT(*) FROM people WHERE " + "NOT " * 3000 + "smoker",
        "SELECT SUM(" + "ABS(" * 300 + "age" + ")" * 300 + ") FROM people",
        "SELECT SUM(" + "CASE WHEN smoker THEN 1 ELSE " * 300 + "1" + " END" * 300 + ") FROM people",
        "SELECT COUNT(*) FROM " + "(SELECT * FROM " * 300 + "people" + ") t" * 300,
        "SELECT COUNT(*) FROM people -- " + "x" * 200_000,
        "SELECT " + "age" * 20_000 + " FROM people",
        "SELECT 1" + "0" * 5000 + ", COUNT(*) FROM people",
        "\0",
        "SELECT '\ud800'",
        "",
        "   \n ",
        ";",
        ";;",
        "SELECT COUNT(*) FROM people /*",
    ],
    ids=lambda text: text[:30],
)
def test_large_and_strange_texts(text):
    assert attempt(text, CENSUS) is None


def test_plans_that_double_at_every_step_are_refused():
    steps = ["a0 AS (SELECT patient, cost FROM visits)"]
    steps += [
        f"a{n} AS (SELECT x.patient, x.cost FROM a{n - 1} x JOIN a{n - 1} y ON x.patient = y.patient)"
        for n in range(1, 30)
    ]
    assert attempt(f"WITH {', '.join(steps)} SELECT COUNT(*) FROM a29", CLINIC) is None


def test_answers_that_double_at_every_step_are_refused():
    text = "SELECT COUNT(*) AS n FROM people"
    for _ in range(30):
        text = f"SELECT n + n AS n FROM ({text}) t"
    assert attempt(text, CENSUS) is None


def test_ranges_that_square_at_every_step_stay_small():
    text = "SELECT age AS x FROM people"
    for _ in range(30):
        text = f"SELECT x * x AS x FROM ({text}) t"
    assert attempt(f"SELECT SUM(x) FROM ({text}) t", CENSUS) is None
    assert attempt(f"SELECT COUNT(x) FROM ({text}) t", CENSUS) is not None


def test_the_parser_says_nothing_by_itself(caplog):
    with caplog.at_level(logging.DEBUG):
        for text in (
            "PRAGMA x",
            "COPY a TO 'b'",
            "SELECT COUNT(*) FROM people WHERE SHOW TABLES",
            "CALL f(); SELECT 1",
        ):
            attempt(text, CENSUS)
    assert caplog.text == ""

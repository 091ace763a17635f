"""Names that the lowering invents are no column's, and a statement is about as long as its question."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare
from tests.query.lowering.plans import receipt

#: Every name that a statement has had inside.
INVENTED = ("unit", "key_0", "x_0", "place", "less_0", "bucket", "on_0", "got_0", "one", "word", "let_0", "a", "b")


def policy(*names):
    columns = (Column("person", "integer"), *(Column(name, "integer", 0, 9) for name in names))
    table = Table("t", "t.parquet", "private", "person", 2, columns)
    return Policy("t", (table,), Budget(1), Neighbours.ADDED, ())


def answered(text, known, rows):
    """The whole numbers of a question before noise."""
    columns = [column.name for column in known.tables[0].columns]
    table = pa.table({name: pa.array([row[name] for row in rows], pa.int64()) for name in columns})
    with DuckDB.over({"t": table}) as engine:
        found = engine.fetch(
            receipt(), [each.sql for each in lower(prepare(text, known).aggregate, "duckdb", 5).statements]
        )
    return [sorted(tuple(row.values()) for row in each.to_pylist()) for each in found]


@pytest.mark.parametrize("invented", INVENTED)
@pytest.mark.parametrize(
    "question",
    [
        "SELECT SUM({0}) FROM t",
        "SELECT {0}, COUNT(*) FROM t GROUP BY {0}",
        "SELECT COUNT(DISTINCT {0}) FROM t",
        "SELECT MEDIAN(CLIP({0} + 1, 0, 5)) FROM t WHERE {0} BETWEEN 1 AND 7",
        "SELECT SUM(CLIP(n, 0, 20)) FROM (SELECT person, SUM(CLIP({0}, 0, 5)) AS n FROM t GROUP BY person)",
    ],
)
def test_a_column_may_have_any_name_that_is_invented(invented, question):
    rows = [{"c": (7 * i) % 10, "person": i % 4} for i in range(20)]
    renamed = [{invented.upper(): row["c"], "person": row["person"]} for row in rows]
    plain = answered(question.format("c"), policy("c"), rows)
    assert answered(question.format(invented.upper()), policy(invented.upper()), renamed) == plain


@given(st.sampled_from([*INVENTED, "the rows", "the heavy", "c", "", "."]).filter(bool), st.booleans())
@settings(max_examples=60, deadline=None)
def test_an_analyst_may_name_a_column_as_anything(name, upper):
    shown = name.upper() if upper else name
    rows = [{"c": (7 * i) % 10, "person": i % 4} for i in range(20)]
    text = 'SELECT SUM(CLIP("{0}", 0, 6)) FROM (SELECT person, c + 1 AS "{0}" FROM t WHERE c > 1)'
    assert answered(text.format(shown), policy("c"), rows) == answered(text.format("other"), policy("c"), rows)


def nested(depth):
    value = "c"
    for i in range(depth):
        value = [f"CLIP({value}, 0, {i + 2})", f"SQRT({value})", f"NULLIF({value}, {i})", f"LEAST({value}, 7)"][i % 4]
    return f"SELECT AVG(CLIP({value}, 0, 5)), VARIANCE(CLIP({value}, 0, 5)) FROM t WHERE {value} BETWEEN 0 AND 4"


def test_a_statement_grows_with_its_question_and_no_faster():
    sizes = [
        sum(len(s.sql) for s in lower(prepare(nested(d), policy("c")).aggregate, "duckdb", 1).statements)
        for d in (4, 8, 12)
    ]
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert second < 1.5 * first
    assert sizes[2] < 30_000


def test_three_times_the_same_column_in_least():
    rows = [{"c": i, "person": i} for i in range(5)]
    assert answered("SELECT SUM(LEAST(c, c, c)), SUM(GREATEST(c, c, c, c)) FROM t", policy("c"), rows)[0] == [
        (10 * 2**16, 10 * 2**16)
    ]

"""Dialects: what is printed for each engine, and that nothing that could fail is printed bare."""

import re
from pathlib import Path

import pytest
from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.lowering import as_kind, lower
from lapwing.query.lowering.dialects import DIALECTS, dialect_named
from lapwing.query.lowering.dialects.postgresql import PostgreSQLPhrases
from tests.query.lowering import fixtures

GOLDEN = Path(__file__).with_name("golden.sql")


def printed():
    """Every accepted query of the corpus as DuckDB is given it, one statement a line."""
    return [
        f"{name}\t{' '.join(statement.sql.split())}"
        for name, _, query in fixtures.accepted()
        for statement in lower(query.aggregate, "duckdb", 7).statements
    ]


def test_the_text_for_duckdb_changes_only_on_purpose():
    """After a change that is meant: python -m tests.query.lowering.test_dialects."""
    assert printed() == GOLDEN.read_text().splitlines()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_query_of_the_corpus_has_statements_in_every_dialect(dialect):
    refused = []
    for name, _, query in fixtures.accepted():
        try:
            lowered = lower(query.aggregate, dialect, 7)
        except InvalidInput as unknown:
            refused.append((name, unknown.code))
            continue
        assert all(len(statement.sql) < 100_000 for statement in lowered.statements), name
    assert {code for _, code in refused} <= {"Q353"}
    assert len(refused) <= 8


def test_postgresql_is_given_no_word_of_duckdb():
    foreign = re.compile(r"TRY_CAST|INT128|//|REGEXP_FULL_MATCH|STR_SPLIT|\bDOUBLE\b(?! PRECISION)")
    for name, _, query in fixtures.accepted():
        try:
            statements = lower(query.aggregate, "postgresql", 7).statements
        except InvalidInput:
            continue
        for statement in statements:
            assert not foreign.search(statement.sql), (name, statement.sql)


def test_spark_is_given_no_word_that_it_lacks_or_that_fails():
    foreign = re.compile(r"INT128|//|ISFINITE|MATERIALIZED|REGEXP_FULL_MATCH|\bFLOOR\(|\bCEIL\(|\bROUND\(")
    for name, _, query in fixtures.accepted():
        try:
            statements = lower(query.aggregate, "spark", 7).statements
        except InvalidInput:
            continue
        for statement in statements:
            assert not foreign.search(statement.sql), (name, statement.sql)


def test_a_dialect_that_nobody_speaks_is_refused():
    with pytest.raises(InvalidInput, match="Q352"):
        dialect_named("sql92")


@pytest.mark.parametrize(
    "text", ["'", "\\", "x' OR '1'='1", "a\\'; DROP TABLE people; --", "$$", "E'\\x27'", "%s", "?", "\n"]
)
def test_constants_end_where_they_end(text):
    for name in DIALECTS:
        said = dialect_named(name).printed(dialect_named(name).literal(text, Kind.TEXT).sql)
        inside = said.removeprefix("(").removesuffix(' COLLATE "C")')
        if name == "spark":  # where a backslash takes the meaning of a quote, and is one only when doubled
            escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            assert inside == f"'{escaped}'"
        else:
            assert inside == "'" + text.replace("'", "''") + "'"


def test_columns_are_read_as_kinds():
    assert as_kind("a", Kind.INTEGER, Kind.INTEGER, "postgresql") == '"a"'
    assert as_kind("a", Kind.TEXT, Kind.DATE, "postgresql").startswith("CASE WHEN")
    with pytest.raises(InvalidInput, match="Q353"):
        as_kind("a", Kind.REAL, Kind.TEXT, "postgresql")


def test_letters_are_raised_by_the_collation_of_the_server():
    said = PostgreSQLPhrases("und-x-icu")
    assert '"und-x-icu"' in said.printed(said.letters(exp.Lower, said.text("a")))


def test_deep_expressions_stay_short_in_postgresql():
    """Guards repeat their operands, so without names every step would multiply the text."""
    from lapwing.query.plan import Aggregate, Bounding, Function, Measurement, Query, Scan
    from lapwing.query.types import ColumnType, RelationType

    deep = Column("pay")
    for _ in range(12):
        deep = Call(Word.DIVIDE, (Call(Word.MULTIPLY, (deep, deep)), Call(Word.ADD, (deep, Literal(1, Kind.INTEGER)))))
    source = Scan("people", RelationType({"pay": ColumnType(Kind.REAL)}, None, 1))
    measured = Measurement("n", Function.ROWS, deep, Bounding.NONE, 1, 1)
    query = Query("", Aggregate(source, (), (measured,), None), (), (), None, (), None, 0, ())
    (statement,) = lower(query.aggregate, "postgresql", 7).statements
    assert len(statement.sql) < 120_000


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(printed()) + "\n")

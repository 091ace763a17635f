"""The questions that are held against DuckDB mean the same on PostgreSQL."""

from dataclasses import replace

import pytest

from tests.contracts import postgresql
from tests.query import plain
from tests.query.test_words_mean_the_same import QUESTIONS


@pytest.fixture(scope="module")
def world():
    from lapwing.engines.postgresql import PostgreSQL

    made = plain.tables(3)
    database = postgresql.Database()
    database.load("t", **made)
    tables = tuple(replace(each, path=database.url, relation=f"t.{each.name}") for each in plain.POLICY.tables)
    policy = replace(plain.POLICY, tables=tables)
    with PostgreSQL(policy) as engine:
        yield made, policy, engine
    database.drop()


@pytest.mark.parametrize("text", QUESTIONS)
def test_the_same_answer(world, text):
    made, policy, engine = world
    mine, theirs = plain.lapwing_says(text, made, engine, policy), plain.duckdb_says(text, made)
    assert plain.same(mine, theirs, ordered=text.endswith("DESC")), (mine, theirs)

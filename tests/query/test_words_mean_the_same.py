"""Questions as people write them, asked of Lapwing without noise and of DuckDB itself: the same answers."""

import re
from pathlib import Path

import pytest

from lapwing.engines import DuckDB
from tests.query import plain

ASKED = re.findall(
    r"^-- (?!===)(.+)\n((?:(?!--).+\n)+)", (Path(__file__).parent / "same_as_duckdb.sql").read_text(), re.M
)
QUESTIONS = [pytest.param(text.strip().removesuffix(";"), id=name) for name, text in ASKED]
SEEDS = (1, 2)


@pytest.fixture(scope="module", params=SEEDS)
def given(request):
    made = plain.tables(request.param)
    with DuckDB.over(made, public=["towns"]) as engine:
        yield made, engine


@pytest.mark.parametrize("text", QUESTIONS)
def test_the_same_answer(given, text):
    made, engine = given
    mine, theirs = plain.lapwing_says(text, made, engine), plain.duckdb_says(text, made)
    assert plain.same(mine, theirs, ordered=text.endswith("DESC")), (mine, theirs)


def test_the_questions_are_all_read():
    text = (Path(__file__).parent / "same_as_duckdb.sql").read_text()
    assert len(QUESTIONS) == text.count(";\n") > 80


def test_a_wrong_meaning_is_noticed(given):
    made, engine = given
    mine = plain.lapwing_says("SELECT COUNT(*) FROM people WHERE age > 30", made, engine)
    theirs = plain.duckdb_says("SELECT COUNT(*) FROM people WHERE age >= 30", made)
    assert not plain.same(mine, [(theirs[0][0] + 1,)])

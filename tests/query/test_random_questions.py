"""Random questions over the whole language: DuckDB's own answers, and one person moves them by what is certified."""

import os
import random

import numpy as np
import pytest

from lapwing.engines import DuckDB
from lapwing.errors import LapwingError
from lapwing.query.lowering import lower
from lapwing.query.plan import Function
from lapwing.query.prepare import prepare
from lapwing.query.sensitivity import change
from lapwing.session.compounding import aggregates
from tests.query import plain
from tests.query.questions import Questions

#: How many are drawn for each of the tables; LAPWING_QUESTIONS=2000 for a long run.
MANY = int(os.environ.get("LAPWING_QUESTIONS", "30"))
TABLES = 4


@pytest.mark.parametrize("seed", range(TABLES))
def test_the_same_answers_as_duckdb(seed):
    made, drawn = plain.tables(seed, people=40), Questions(seed)
    answered = 0
    with DuckDB.over(made, public=["towns"]) as engine:
        for _ in range(MANY):
            text = drawn.question()
            try:
                mine = plain.lapwing_says(text, made, engine)
            except LapwingError as refused:
                if refused.code not in {"Q104", "Q105", "Q115", "S140"}:
                    raise
                continue
            theirs = plain.duckdb_says(text, made)
            assert _alike(mine, theirs), (text, mine[:5], theirs[:5])
            answered += 1
    assert answered > MANY * 0.6


def _alike(mine, theirs):
    """The same rows; of a group without values a mean is anything here, and NULL there."""
    if plain.same(mine, theirs):
        return True
    if len(mine) != len(theirs):
        return False
    rows = [sorted((tuple(map(plain.plain, row)) for row in each), key=plain._key) for each in (mine, theirs)]
    return all(
        all(_near(a, b) or b is None for a, b in zip(one, two, strict=True)) for one, two in zip(*rows, strict=True)
    )


def _near(a, b):
    """Sums of products are of steps of a millionth of their range: so far apart they may be."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1
    return a == b


def _integers(engine, query):
    """What is fetched for every measurement before noise, {name: {group: value}}."""
    found = {}
    for statement in lower(query.aggregate, engine.dialect, 7).statements:
        (table,) = engine.fetch(plain.NO_RECEIPT, [statement.sql])
        columns = [column.to_pylist() for column in table.columns]
        keys = len(columns) - len(statement.values)
        for at, name in enumerate(statement.values):
            found[name] = {tuple(row[:keys]): row[keys + at] for row in zip(*columns, strict=True)}
    return found


@pytest.mark.parametrize("seed", range(TABLES))
def test_one_person_moves_an_answer_by_what_is_certified(seed):
    drawn, r = Questions(100 + seed), random.Random(seed)
    before = plain.tables(seed, people=25)
    moved = 0
    for _ in range(max(3, MANY // 10)):
        person = r.randrange(25)
        after = {
            name: table if name == "towns" else table.filter(_others(table, unit, person))
            for (name, table), unit in zip(before.items(), ("person", "guest", None), strict=True)
        }
        with DuckDB.over(before, public=["towns"]) as one, DuckDB.over(after, public=["towns"]) as two:
            for _ in range(10):
                try:
                    asked = aggregates(prepare(drawn.question(), plain.POLICY))
                except LapwingError:
                    continue
                for query in asked:
                    sides = [_integers(engine, query) for engine in (one, two)]
                    for each in query.aggregate.measurements:
                        if each.function is Function.QUANTILE:
                            continue
                        a, b = (side.get(each.name, {}) for side in sides)
                        gaps = [abs(a.get(key, 0) - b.get(key, 0)) for key in {*a, *b}]
                        typed = change(each, bool(query.aggregate.keys), plain.POLICY.neighbours)
                        assert sum(gaps) <= typed.l1, query.text
                        moved += any(gaps)
    assert moved > 5


def _others(table, unit, person):
    return np.array([value != person for value in table[unit].to_pylist()])

"""Rows that meet others by comparisons: the same integers as exact arithmetic, and one person changes little."""

import random
from dataclasses import replace

import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.plan_records import record, relation
from lapwing.kernel.release.plans import Protection, rows_of
from lapwing.query import sensitivity
from lapwing.query.expressions import Call, Column, Word
from lapwing.query.lowering import lower
from lapwing.query.plan import Function, Match, Meeting, Where
from tests.query.lowering import evaluator, plans
from tests.query.test_neighbouring_tables import distance, neighbours

POLICY = Protection(Neighbours.ADDED, {"people": "person", "visits": "guest"}, frozenset({"towns"}))


def found(table):
    columns = [column.to_pylist() for column in table.columns]
    return {tuple(row[:-1]): row[-1] for row in zip(*columns, strict=True)}


def engine(made, public):
    given = {"towns": plans.arrow(public, plans.TOWNS)}
    given |= {
        name: plans.arrow(made[name], kinds) for name, kinds in (("people", plans.PEOPLE), ("visits", plans.VISITS))
    }
    return DuckDB.over(given, public=["towns"])


@pytest.mark.parametrize("seed", range(6))
def test_matches_equal_exact_arithmetic(seed):
    r = random.Random(seed)
    public = plans.towns(r)
    made = plans.tables(r, [plans.person_rows(r, person, most=4) for person in [*range(5), None]])
    drawn = plans.MatchingPlans(random.Random(100 + seed))
    with engine(made, public) as asked:
        for _ in range(25):
            query = drawn.query()
            (statement,) = lower(query.aggregate, "duckdb", plans.SAMPLING_KEY).statements
            (table,) = asked.fetch(plans.receipt(), [statement.sql])
            (measurement,) = query.aggregate.measurements
            wanted = evaluator.measure(query.aggregate, measurement, made | {"towns": public}, plans.SAMPLING_KEY)
            assert found(table) == wanted, query


def _of_own_rows(drawn):
    """A question in which rows are counted or not by what else their person has."""
    while True:
        query = drawn.query(sound=True, owned=True)
        (measurement,) = query.aggregate.measurements
        names = query.aggregate.source.type.columns
        marked = "public=False" in str(query) and any(each.startswith("mark ") for each in names)
        if marked and measurement.function in (Function.ROWS, Function.TOTAL, Function.UNITS):
            where = Call(Word.NOT, (Column(_mark(query.aggregate.source)),))
            source = Where(query.aggregate.source, where, query.aggregate.source.type)
            return replace(query, aggregate=replace(query.aggregate, source=source))


def _mark(node):
    return next(name for name in node.type.columns if name.startswith("mark "))


def test_neighbours_stay_as_near_as_the_kernel_derives():
    moved = 0
    for seed in range(60):
        r = random.Random(seed)
        (before, after), notion = neighbours(r, owned=True)
        public, drawn = plans.towns(r), plans.MatchingPlans(random.Random(900 + seed))
        query = _of_own_rows(drawn)
        (statement,) = lower(query.aggregate, "duckdb", plans.SAMPLING_KEY).statements
        sides = []
        for made in (before, after):
            with engine(made, public) as asked:
                sides.append(found(asked.fetch(plans.receipt(), [statement.sql])[0]))
        (measurement,) = query.aggregate.measurements
        l1, l2_squared = distance(measurement, *sides)
        typed = sensitivity.change(measurement, bool(query.aggregate.keys), notion)
        assert (l1, l2_squared) <= (typed.l1, typed.l2_squared), query
        moved += l1 > 0
    assert moved > 10


def a_match(**changes):
    """Marks of people by their own visits."""
    drawn = plans.MatchingPlans(random.Random(1))
    people, visits = drawn._scan("people", plans.PEOPLE, "person"), drawn._scan("visits", plans.VISITS, "guest")
    given = {
        "source": people,
        "other": visits,
        "on": (),
        "columns": (),
        "how": Meeting.MARK,
        "mark": "m",
        "public": False,
    }
    given |= changes
    known = dict(people.type.columns) | {"m": evaluator_type()}
    return Match(**given, type=type(people.type)(known, people.type.unit, None))


def evaluator_type():
    from lapwing.query.expressions import Kind
    from lapwing.query.types import ColumnType

    return ColumnType(Kind.BOOLEAN)


def test_the_kernel_follows_marks_and_refuses_what_looks_elsewhere():
    assert rows_of(a_match(), POLICY).unit == "person"
    assert relation(record(a_match())) == a_match()
    with pytest.raises(Doubt):  # a private table that says it is public
        rows_of(a_match(public=True), POLICY)
    nobody = a_match().other
    alone = type(nobody)("visits", type(nobody.type)(nobody.type.columns, None, None))
    with pytest.raises(Doubt):  # rows of others, by leaving out whose they are
        rows_of(a_match(other=alone), POLICY)
    with pytest.raises(Doubt):
        rows_of(a_match(other=alone, public=True), POLICY)
    with pytest.raises(Doubt):  # a mark that takes the place of the person
        rows_of(a_match(mark="Person"), POLICY)
    with pytest.raises(Doubt):
        rows_of(a_match(mark=None), POLICY)

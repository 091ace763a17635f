"""The test of the type system: on neighbouring tables, what comes before noise never differs by more than was typed.

A person is added, removed or changed, all rows are shuffled, and the difference of every measurement is held against
``sensitivity.change``. The same search finds the mistake when a rule is broken on purpose.
"""

import random
from dataclasses import replace

import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.query import sensitivity
from lapwing.query.lowering import bounding, lower, rows, sql
from lapwing.query.plan import Bounding, Function
from tests.query.lowering import fixtures
from tests.query.lowering.plans import (
    PEOPLE,
    SAMPLING_KEY,
    TOWNS,
    VISITS,
    Plans,
    arrow,
    person_rows,
    receipt,
    tables,
    towns,
)

PAIRS = 330


def neighbours(r, owned):
    """Two groups of people that differ in one person, and which notion of neighbours they are an instance of."""
    few, many = (5, 9) if owned else (1, 1)
    others = [person_rows(r, person, few) for person in [*range(r.randint(0, 4)), None]]
    one, two = person_rows(r, 77, many), person_rows(r, r.choice([77, 78]), many)
    added = r.random() < 0.5
    left, right = ([*others, one], others) if added else ([*others, one], [*others, two])
    pair = [tables(r, left), tables(r, right)]
    r.shuffle(pair)
    return pair, Neighbours.ADDED if added else Neighbours.REPLACED


def distance(measurement, before, after):
    """(Σ|d|, Σd²) over groups; for a quantile, of the largest move of a bucket's score in each group."""
    if measurement.function is not Function.QUANTILE:
        moves = [abs(before.get(key, 0) - after.get(key, 0)) for key in before.keys() | after.keys()]
        return sum(moves), sum(move**2 for move in moves)
    groups = {key[:-1] for key in before.keys() | after.keys()}
    moves = []
    for group in groups:
        sides = [{key[-1]: weight for key, weight in found.items() if key[:-1] == group} for found in (before, after)]
        # what lies below an edge changes only behind a bucket with rows, of either side
        edges = sorted({0, *(bucket + 1 for side in sides for bucket in side)})
        old, new = (scores(measurement, side, edges) for side in sides)
        moves.append(max(abs(a - b) for a, b in zip(old, new, strict=True)))
    return sum(moves), sum(move**2 for move in moves)


def scores(measurement, weights, edges):
    numerator, denominator = measurement.fraction.numerator, measurement.fraction.denominator
    below = [sum(weight for bucket, weight in weights.items() if bucket < edge) for edge in edges]
    return [-abs(denominator * each - numerator * sum(weights.values())) for each in below]


def violations(seed, pairs, functions=None):
    """How many of so many pairs of neighbouring tables are further apart than their query's type says."""
    r = random.Random(seed)
    owned = [r.random() < 0.85 for _ in range(pairs)]
    made = [neighbours(r, each) for each in owned]
    given = {"towns": arrow(towns(r), TOWNS)}
    for at, (pair, _) in enumerate(made):
        for side, each in zip("ab", pair, strict=True):
            given[f"people_{at}{side}"] = arrow(each["people"], PEOPLE)
            given[f"visits_{at}{side}"] = arrow(each["visits"], VISITS)
    statements, queries = [], []
    for at in range(pairs):
        plans = Plans(random.Random(seed * 1_000_003 + at), f"_{at}a")
        query = plans.query(sound=True, owned=owned[at])
        while functions and query.aggregate.measurements[0].function not in functions:
            query = plans.query(sound=True, owned=owned[at])
        queries.append(query)
        (statement,) = lower(query.aggregate, "duckdb", SAMPLING_KEY).statements
        statements += [statement.sql, statement.sql.replace(f'_{at}a"', f'_{at}b"')]
    with DuckDB.over(given, public=["towns"]) as engine:
        results = engine.fetch(receipt(), statements)
    worse, moved = 0, 0
    for at, (query, (_, notion)) in enumerate(zip(queries, made, strict=True)):
        (measurement,) = query.aggregate.measurements
        before, after = (
            {tuple(row.values())[:-1]: tuple(row.values())[-1] for row in results[2 * at + side].to_pylist()}
            for side in (0, 1)
        )
        l1, l2_squared = distance(measurement, before, after)
        typed = sensitivity.change(measurement, bool(query.aggregate.keys), notion)
        worse += l1 > typed.l1 or l2_squared > typed.l2_squared
        moved += l1 > 0
    return worse, moved


@pytest.mark.parametrize("seed", range(6))
def test_neighbouring_tables_are_within_the_typed_sensitivity(seed):
    worse, moved = violations(seed, PAIRS // 6)
    assert worse == 0
    assert moved > PAIRS // 6 // 3  # the pairs do differ: an empty search would show nothing


@pytest.mark.parametrize("notion", [Neighbours.ADDED, Neighbours.REPLACED])
def test_accepted_fixtures_are_within_the_typed_sensitivity(notion):
    """Every accepted query of the corpus: what the rules typed, on tables that break the ranges the policy declares."""
    r = random.Random(notion is Neighbours.ADDED)
    pairs, checked = {}, 0
    for at, (name, policy, query) in enumerate(fixtures.accepted()):
        place = (policy.name, at % 5)
        if place not in pairs:
            pairs[place] = fixture_pair(r, policy, notion)
        found = [measured(engine, query) for engine in pairs[place]]
        for measurement in (*query.aggregate.measurements, query.aggregate.selection):
            if measurement is not None:
                l1, l2_squared = distance(measurement, *(each[measurement.name] for each in found))
                typed = sensitivity.change(measurement, bool(query.aggregate.keys), notion)
                assert l1 <= typed.l1, (name, measurement)
                assert l2_squared <= typed.l2_squared, (name, measurement)
                checked += l1 > 0
    for pair in pairs.values():
        for engine in pair:
            engine.close()
    assert checked > 60  # so many measurements did differ


def fixture_pair(r, policy, notion):
    """Two engines over neighbouring tables of a policy."""
    others = [fixtures.person(r, policy, person) for person in [*range(3), None]]
    one, two = (fixtures.person(r, policy, person, most=25) for person in (77, r.choice([77, 78])))
    changed = [one] if notion is Neighbours.ADDED else [one, two]
    groups = [[*others, changed[0]], others if len(changed) == 1 else [*others, changed[1]]]
    public = fixtures.public_rows(r, policy)
    names = list(public)
    tables = [fixtures.gathered(r, policy, people) | public for people in groups]
    return [DuckDB.over(fixtures.arrow(policy, each), public=names) for each in tables]


def measured(engine, query):
    """{measurement: {keys (and bucket): value}}."""
    return fetched(engine, lower(query.aggregate, engine.dialect, SAMPLING_KEY).statements)


def fetched(engine, statements):
    """The same of a query that was lowered."""
    results = engine.fetch(receipt(), [statement.sql for statement in statements])
    found = {}
    for statement, result in zip(statements, results, strict=True):
        width = len(statement.keys) + statement.bucketed
        columns = [column.to_pylist() for column in result.columns]
        for at, name in enumerate(statement.values, start=width):
            found[name] = {row[:width]: row[at] for row in zip(*columns, strict=True)}
    return found


def test_weights_that_are_not_shared_out_are_found(monkeypatch):
    monkeypatch.setattr(bounding, "less_of", lambda _: sql.whole(0))
    worse, _ = violations(100, 40, {Function.ROWS, Function.TOTAL})
    assert worse > 0


def test_a_sample_of_one_row_too_many_is_found(monkeypatch):
    kept = bounding.sample
    monkeypatch.setattr(bounding, "sample", lambda columns, limit, key, dialect: kept(columns, limit + 1, key, dialect))
    worse, _ = violations(101, 40, {Function.ROWS, Function.DISTINCT, Function.UNITS})
    assert worse > 0


def test_values_that_are_clipped_to_another_range_are_found(monkeypatch):
    kept = rows.measured
    monkeypatch.setattr(rows, "measured", lambda value, m, d: kept(value, replace(m, high=m.high + 100 * m.step), d))
    worse, _ = violations(102, 40, {Function.TOTAL})
    assert worse > 0


def test_bounding_none_is_only_for_rows_that_are_bounded():
    """The plans of this test use no bounding only where the relation bounds the rows of a person, by as many."""
    for seed in range(200):
        query = Plans(random.Random(seed)).query(sound=True)
        for measurement in query.aggregate.measurements:
            if measurement.bounding is Bounding.NONE:
                assert query.aggregate.source.type.rows_per_unit == measurement.rows_per_unit

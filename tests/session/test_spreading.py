"""What is measured for a query: rows divided where that is better, filters together, and no person costs more."""

import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import lapwing
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.noise import Exponential, Gaussian, Laplace
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.prepare import prepare
from lapwing.session.groups import public_groups
from lapwing.session.noise_reach import reach_of_sum
from lapwing.session.noising import exact_values
from lapwing.session.pricing import price
from lapwing.session.spreading import arranged
from tests.bugs.before_noise import session_on
from tests.session.tables import protected

COLUMNS = (
    Column("k", "integer", 0, 1),
    Column("x", "integer", -2, 6),
    Column("y", "real", 0, 1),
    Column("a", "boolean"),
)
SURE = "x IS NOT NULL AND y IS NOT NULL"


def query(text, unit=None, neighbours=Neighbours.ADDED):
    columns = (*([Column("p", "integer")] if unit else []), *COLUMNS)
    table = Table("t", "t.parquet", "private", unit, 3 if unit else None, columns)
    return prepare(text, Policy("t", (table,), Budget(1), neighbours, ()))


def measured(text, *, pure=True, unit=None, neighbours=Neighbours.ADDED):
    """The functions that are measured, by what one price pays for, and among how many it is shared."""
    way = arranged(query(text, unit, neighbours), neighbours, pure=pure)
    functions = {each.name: each.function.value for each in way.aggregate.measurements}
    families = [*way.together, *([name] for name in functions if name not in itertools.chain(*way.together))]
    return sorted(" ".join(functions[name] for name in family) for family in families), way.shares


@pytest.mark.parametrize(
    ("asked", "pure", "families"),
    [
        ("COUNT(*), AVG(x)", True, ["share share rows"]),
        ("COUNT(x), AVG(x)", True, ["share share"]),
        ("AVG(x)", True, ["share share"]),
        ("AVG(x), SUM(x), COUNT(x)", True, ["share share"]),
        ("SUM(x), COUNT(*)", True, ["share share rows"]),
        ("SUM(x), COUNT(*)", False, ["rows", "total"]),  # for ρ the rows without a value would cost more
        ("SUM(x)", True, ["total"]),
        ("COUNT(*)", True, ["rows"]),
        ("VARIANCE(x)", True, ["share share share"]),
        ("COUNT(*), AVG(x), STDDEV(x)", True, ["share share share rows"]),
        ("COUNT(*), AVG(x), STDDEV(x)", False, ["share share share rows"]),
        ("COUNT_IF(a), COUNT(*)", True, ["rows rows"]),
        ("COUNT(*) FILTER (WHERE a), COUNT(*) FILTER (WHERE NOT a)", True, ["rows rows"]),
        ("COUNT_IF(a), COUNT_IF(NOT a), COUNT(*)", True, ["rows rows rows"]),
        ("AVG(x) FILTER (WHERE a), AVG(x) FILTER (WHERE NOT a)", True, ["share share share share"]),
        ("SUM(CASE WHEN a THEN x ELSE 0 END), SUM(CASE WHEN NOT a THEN x ELSE 0 END)", True, ["total total"]),
        ("MEDIAN(x) FILTER (WHERE a), MEDIAN(x) FILTER (WHERE NOT a)", True, ["quantile quantile"]),
        ("MEDIAN(x), AVG(x)", True, ["quantile", "share share"]),
        ("COUNT_IF(a), COUNT_IF(x > 1)", True, ["rows", "rows"]),
        ("AVG(x), AVG(y)", True, ["share share", "share share"]),
    ],
)
def test_what_is_measured(asked, pure, families):
    assert measured(f"SELECT {asked} FROM t", pure=pure)[0] == families


def test_three_means_are_better_by_themselves():
    text = f"SELECT AVG(x), AVG(y), AVG(x * y), COUNT(*) FROM t WHERE {SURE}"
    assert measured(text) == (["rows", "total", "total", "total"], 4)
    assert measured(f"SELECT AVG(x), AVG(y), COUNT(*) FROM t WHERE {SURE}")[1] == 2
    assert measured(f"SELECT AVG(x), AVG(y), COUNT(*) FROM t WHERE {SURE}", pure=False)[1] == 3


@pytest.mark.parametrize(
    ("asked", "families", "shares"),
    [
        ("COUNT(x), AVG(x)", ["rows", "total rows"], 1),
        ("AVG(x)", ["rows", "total rows"], 1),
        ("AVG(COALESCE(x, 2))", ["rows", "total"], 1),
        ("COUNT(*), SUM(x)", ["rows", "total"], 1),
        ("AVG(x), AVG(y)", ["rows", "total rows", "total rows"], 2),
        ("STDDEV(x)", ["rows", "squares", "total"], 3),  # a count of rows without a value would be noisier
        ("SUM(x)", ["total"], 1),
        ("SUM(x) / COUNT(*), MEDIAN(y)", ["quantile", "rows", "total"], 2),
        ("COUNT(*)", ["rows"], 1),  # nothing is paid for
        ("COUNT(x)", ["rows"], 1),
    ],
)
@pytest.mark.parametrize("pure", [True, False])
def test_where_a_person_is_changed_all_rows_are_counted_for_nothing(asked, families, shares, pure):
    assert measured(f"SELECT {asked} FROM t", pure=pure, neighbours=Neighbours.REPLACED) == (families, shares)


@pytest.mark.parametrize(
    ("text", "unit", "families"),
    [
        ("SELECT k, COUNT(x), AVG(x) FROM t GROUP BY k", None, ["share share"]),
        ("SELECT COUNT(x), AVG(x) FROM t WHERE a", None, ["rows", "total"]),
        ("SELECT COUNT(x), AVG(x) FROM (SELECT x FROM t WHERE a)", None, ["rows", "total"]),
        ("SELECT COUNT(x), AVG(x) FROM t", "p", ["rows", "total"]),
    ],
)
def test_rows_that_a_changed_person_may_leave_are_measured(text, unit, families):
    assert measured(text, unit=unit, neighbours=Neighbours.REPLACED)[0] == families


def test_a_mean_where_a_person_is_changed_has_the_whole_price_for_its_sum(tmp_path):
    values = np.random.default_rng(3).uniform(0, 40, 500)
    settings = {"epsilon": 10_000, "bounds": {"x": (0, 100)}, "keys": {}, "neighbours": Neighbours.REPLACED}
    with protected(tmp_path, pa.table({"x": values}), **settings) as session:
        found = [session.sql(f"SELECT AVG(x) AS a{n} FROM people", epsilon=1) for n in range(200)]
        counted = session.sql("SELECT COUNT(*) AS n, AVG(x) AS a FROM people", epsilon=1)
    assert (counted.table["n"][0].as_py(), counted.margins["n"][0].as_py()) == (500, 0)
    assert any("whichever person is changed" in note for note in counted.notes)
    assert not any("whichever person is changed" in note for note in found[0].notes)
    errors = [each.table.column(0)[0].as_py() - values.mean() for each in found]
    # √2 · 100/500 where the sum has all of ε; 1.6 times as much where it shares it with a count
    assert np.sqrt(np.mean(np.square(errors))) < 1.3 * np.sqrt(2) * 100 / 500


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.05"}])
def test_how_many_rows_there_are_costs_nothing_where_a_person_is_changed(tmp_path, price):
    settings = {"epsilon": 2, "delta": "1e-6", "bounds": {}, "keys": {}, "neighbours": Neighbours.REPLACED}
    with protected(tmp_path, pa.table({"x": np.arange(500)}), **settings) as session:
        before = session.remaining
        counted = session.sql("SELECT COUNT(*) AS n FROM people", **price)
        assert (counted.table["n"][0].as_py(), counted.margins["n"][0].as_py()) == (500, 0)
        assert session.remaining == before
        assert set(counted.spent.values()) == {"0"}
        path = tmp_path / "answer.json"
        path.write_text(json.dumps(counted.to_json()))
        assert lapwing.check(path, source=tmp_path / "people.parquet")
        filtered = session.sql("SELECT COUNT(*) AS n FROM people WHERE x >= 0", **price)
        assert filtered.margins["n"][0].as_py() > 0
        assert session.remaining != before


def test_with_weights_squares_that_would_be_coarse_are_added_as_before():
    assert measured("SELECT VARIANCE(x) FROM t", unit="p")[0] == ["share share share"]
    assert measured("SELECT VARIANCE(y) FROM t", unit="p")[0] == ["share share", "squares"]


# --- one person ----------------------------------------------------------------------------------------------

ASKED = (
    *("COUNT(*)", "COUNT(x)", "COUNT_IF(a)", "COUNT(*) FILTER (WHERE NOT a)", "SUM(x)", "AVG(x)", "AVG(y)"),
    *("VARIANCE(x)", "STDDEV(y)", "AVG(x) FILTER (WHERE a)", "SUM(x) FILTER (WHERE x > 1)", "COUNT_IF(x <= 1)"),
    *("AVG(y) FILTER (WHERE x > 1 AND a)", "SUM(CASE WHEN a THEN x ELSE 0 END)", "COUNT_IF(x IS NULL)"),
    *("SUM(CASE WHEN NOT a THEN -x ELSE 0 END)", "VARIANCE(x) FILTER (WHERE NOT a)", "COUNT_IF(x IN (1, 2))"),
)


def cells(r, owned):
    # at the ends more often than between them, and beyond them
    row = {"p": 1} if owned else {}
    return row | {
        "k": r.choice((0, 1)),
        "x": r.choice((None, -2, -2, 0, 1, 2, 6, 6, 50)),
        "y": r.choice((None, 0.0, 0.3, 1.0, 1.0, 7.5)),
        "a": r.choice((None, True, False)),
    }


def table(rows, owned):
    kinds = {"k": pa.int64(), "x": pa.int64(), "y": pa.float64(), "a": pa.bool_()}
    schema = pa.schema({"p": pa.int64(), **kinds} if owned else kinds)
    return pa.Table.from_pylist(rows, schema)


def before_noise(folder, rows, text, owned, neighbours, wanted):
    """The price of a query on these rows, and what each of its measurements is in each group before noise."""
    settings = {"bounds": {"x": (-2, 6), "y": (0, 1)}, "keys": {"k": [0, 1]}, "neighbours": neighbours}
    settings |= {"unit": "p", "rows_per_unit": 3} if owned else {"unit": None}
    with session_on(folder, table(rows, owned), **settings) as session:
        made = price(session._prepared(text), neighbours, wanted, None)
        lowered = [session.road.lowered(made.asked.aggregate, session.ledger)]
        (fetched,) = session.road._fetched(_paid(session, text), lowered, None)
        groups = public_groups(made.asked.aggregate.keys)
        found = {}
        for part in made.parts:
            source = next(each for each in fetched if part.measurement.name in each.statement.values)
            found[part.measurement.name] = exact_values(part.measurement, source, groups)
    return made, found


def _paid(session, text):
    return session.ledger.charge(session.analyst, PureDP("1/1000"), query="q", snapshot="s", text=text)


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_neighbours_lose_no_more_than_the_price(tmp_path, seed, changed):
    """The loss that the noise of all measurements leaves together, on tables in an engine, is at most the price."""
    r = random.Random(seed)
    owned, neighbours = r.random() < 0.5, r.choice(list(Neighbours))
    wanted = r.choice([PureDP(1), ZCDP("1/2")])
    asked = ", ".join(r.sample(ASKED, r.randint(2, 4)))
    text = f"SELECT {asked} FROM people" if r.random() < 0.5 else f"SELECT k, {asked} FROM people GROUP BY k"
    if changed:  # where all rows are counted for nothing
        owned, neighbours, text = False, Neighbours.REPLACED, f"SELECT {asked} FROM people"
    others = [cells(r, owned) | ({"p": 2} if owned else {}) for _ in range(3)]
    for at in range(4):
        alike = cells(r, owned)
        many = r.randint(1, 6) if owned else 1
        mine = [alike if r.random() < 0.6 else cells(r, owned) for _ in range(many)]
        theirs = [cells(r, owned) for _ in range(many)] if neighbours is Neighbours.REPLACED else []
        priced, here = before_noise(tmp_path / f"{at}a", [*others, *mine], text, owned, neighbours, wanted)
        _, there = before_noise(tmp_path / f"{at}b", [*others, *theirs], text, owned, neighbours, wanted)
        assert loss(priced, here, there) <= _amount(priced.price) <= _amount(wanted)


def loss(priced, here, there):
    found = Fraction(0)
    for part in priced.parts:
        for one, other in zip(here[part.measurement.name], there[part.measurement.name], strict=True):
            moved = Fraction(abs(int(one) - int(other)))
            if isinstance(part.mechanism, Laplace):
                found += moved / part.mechanism.scale
            elif isinstance(part.mechanism, Gaussian):
                found += moved**2 / (2 * part.mechanism.squared)
            assert not isinstance(part.mechanism, Exponential)
    return found


def _amount(found):
    return found.epsilon if isinstance(found, PureDP) else found.rho


# --- what it is for ------------------------------------------------------------------------------------------


def test_counts_and_means_are_off_by_less(tmp_path):
    """Two shares of ε = 1 would have errors of √8 in the count; together, of 2."""
    values = np.random.default_rng(1).uniform(0, 100, 4_000)
    groups = np.arange(4_000) % 100
    frame = pa.table({"g": groups, "x": values})
    with protected(tmp_path, frame, epsilon=1000, bounds={"x": (0, 100)}, keys={"g": list(range(100))}) as session:
        found = [
            session.sql(f"SELECT g, COUNT(*) AS n, AVG(x) AS m FROM people WHERE x > -{at + 1} GROUP BY g", epsilon=1)
            for at in range(20)
        ]
        means = np.array([values[groups == g].mean() for g in range(100)])
    counts = np.concatenate([each.table["n"].to_numpy() - 40 for each in found])
    errors = np.concatenate([each.table["m"].to_numpy() - means for each in found])
    assert 1.8 < np.sqrt(np.mean(counts**2.0)) < 2.2  # 2.83 before
    assert np.sqrt(np.mean(errors**2.0)) < 2.9  # 100/40 of √2 times 0.7; 3.6 before


@pytest.mark.parametrize("sizes", [(1, 1), (1, 1, 1), (1, Fraction(1, 3)), (2, 5, Fraction(1, 10))])
@pytest.mark.parametrize("confidence", [Fraction(9, 10), Fraction(99, 100)])
@pytest.mark.parametrize("noise", [Laplace(40), Gaussian(squared=1600)])
def test_a_sum_of_noises_is_within_its_reach(sizes, confidence, noise):
    many = 40_000
    drawn = sum(float(size) * noise.release(np.zeros(many, np.int64)) for size in sizes)
    reach = reach_of_sum(tuple((Fraction(size), noise) for size in sizes), confidence)
    inside = np.mean(np.abs(drawn) <= reach)
    assert float(confidence) - 0.006 <= inside <= float(confidence) + 0.03 * float(1 - confidence) ** 0.5 + 0.006

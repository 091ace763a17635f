"""On every engine one person changes little: neighbouring tables never differ by more than was typed."""

import random

import pytest

from lapwing.query import sensitivity
from lapwing.query.lowering import bounding, sql
from lapwing.query.lowering.dialects import real_arithmetic
from lapwing.query.plan import Function
from tests.contracts import odd, postgresql
from tests.contracts.gathering import gathered, only
from tests.contracts.loading import loaded, policy_over
from tests.contracts.test_same_integers import drawn, found
from tests.query.lowering import plans
from tests.query.test_neighbouring_tables import distance, neighbours

#: Tables with a neighbour each, and how many pairs each is gathered from.
WORLDS = {"postgresql": (120, 1), "spark": (6, 10)}


class World:
    """Pairs of neighbouring tables in one engine, or of tables that are each gathered from the sides of several."""

    def __init__(self, seed, tables, parts):
        r = random.Random(seed)
        self.parts = parts
        # rows that are nobody's cannot be told apart by whose they are
        self.owned = [parts > 1 or r.random() < 0.85 for _ in range(tables)]
        self.made = [[neighbours(r, each) for _ in range(parts)] for each in self.owned]
        self.given, self.kinds = {"towns": plans.arrow(plans.towns(r), plans.TOWNS)}, {"towns": plans.TOWNS}
        for at, pairs in enumerate(self.made):
            for i, side in enumerate("ab"):
                for name, columns in (("people", plans.PEOPLE), ("visits", plans.VISITS)):
                    rows = gathered([pair[i][name] for pair, _ in pairs], next(iter(columns)))
                    self.given[f"{name}_{at}{side}"] = plans.arrow(rows, columns)
                    self.kinds[f"{name}_{at}{side}"] = columns

    def violations(self, engine, seed, functions=None):
        """How many pairs are further apart than their query's type says, and how many differ at all."""
        worse = moved = 0
        quote = "`" if engine.dialect == "spark" else '"'
        queries, statements = [], []
        for at in range(len(self.made)):
            made = plans.Plans(random.Random(seed * 1_000_003 + at), f"_{at}a")
            query, statement = self._query(made, at, engine.dialect, functions)
            queries.append(query)
            statements += [statement.sql, statement.sql.replace(f"_{at}a{quote}", f"_{at}b{quote}")]
        results = list(map(found, engine.fetch(plans.receipt(), statements)))
        for query, pairs, before, after in zip(queries, self.made, results[::2], results[1::2], strict=True):
            (measurement,) = query.aggregate.measurements
            for part, (_, notion) in enumerate(pairs):
                sides = (before, after) if self.parts == 1 else (only(before, part), only(after, part))
                l1, l2_squared = distance(measurement, *sides)
                grouped = len(query.aggregate.keys) > (self.parts > 1)
                typed = sensitivity.change(measurement, grouped, notion)
                worse += l1 > typed.l1 or l2_squared > typed.l2_squared
                moved += l1 > 0
        return worse, moved

    def _query(self, made, at, dialect, functions):
        usual, owned = made.query, self.owned[at]
        made.query = lambda: usual(sound=True, owned=owned)
        while True:
            ((query, (statement,)),) = drawn(made, (dialect,), 1, self.parts)
            if not functions or query.aggregate.measurements[0].function in functions:
                return query, statement


@pytest.fixture(scope="module", params=["postgresql", "spark"])
def world(request, tmp_path_factory):
    made = World(11, *WORLDS[request.param])
    with loaded(request.param, tmp_path_factory.mktemp("people"), made.given, made.kinds, public=["towns"]) as engine:
        yield made, engine


@pytest.mark.parametrize("seed", range(3))
def test_no_pair_is_further_apart_than_typed(world, seed):
    made, engine = world
    if engine.dialect == "spark" and seed:
        pytest.skip("once is enough for the time that Spark takes")
    worse, moved = made.violations(engine, seed)
    assert worse == 0
    assert moved > len(made.made) * made.parts / 5


def test_weights_that_are_not_shared_out_are_found(world, monkeypatch):
    made, engine = world
    monkeypatch.setattr(bounding, "weight_of", lambda weight, _: sql.whole(weight.steps))
    worse, _ = made.violations(engine, 7, {Function.ROWS, Function.TOTAL})
    assert worse > 0


def test_bare_arithmetic_of_reals_is_found(monkeypatch):
    """The odd tables would show a statement that fails: the guards of reals are what keeps them from it."""
    from lapwing.engines.postgresql import PostgreSQL
    from lapwing.errors import LapwingError

    database = postgresql.Database()
    r = random.Random(3)
    database.load("t", odd_0=odd.arrow(odd.rows(r, 6, 8)))
    policy = policy_over({"odd_0": (database.url, "t.odd_0")}, {"odd_0": odd.COLUMNS})
    monkeypatch.setattr(real_arithmetic, "total", lambda operator, left, right: sql.binary(operator, left, right))
    failed = 0
    with PostgreSQL(policy) as engine:
        for _, (statement,) in drawn(odd.OddPlans(r, "_0"), (engine.dialect,), 60):
            try:
                engine.fetch(plans.receipt(), [statement.sql])
            except LapwingError:
                failed += 1
    database.drop()
    assert failed > 0

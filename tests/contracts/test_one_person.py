"""On every engine one person changes little: neighbouring tables never differ by more than was typed."""

import random

import pytest

from lapwing.query import sensitivity
from lapwing.query.lowering import bounding, lower, sql
from lapwing.query.lowering.dialects import reals
from lapwing.query.plan import Function
from tests.contracts import odd, postgresql
from tests.contracts.loading import loaded, policy_over
from tests.contracts.test_same_integers import drawn, found
from tests.query.lowering import plans
from tests.query.test_neighbouring_tables import distance, neighbours

PAIRS, SPARK_PAIRS = 120, 20


class World:
    """Pairs of neighbouring tables in one engine."""

    def __init__(self, seed, pairs):
        r = random.Random(seed)
        self.owned = [r.random() < 0.85 for _ in range(pairs)]
        self.made = [neighbours(r, each) for each in self.owned]
        self.given, self.kinds = {"towns": plans.arrow(plans.towns(r), plans.TOWNS)}, {"towns": plans.TOWNS}
        for at, (pair, _) in enumerate(self.made):
            for side, each in zip("ab", pair, strict=True):
                for name, columns in (("people", plans.PEOPLE), ("visits", plans.VISITS)):
                    self.given[f"{name}_{at}{side}"] = plans.arrow(each[name], columns)
                    self.kinds[f"{name}_{at}{side}"] = columns

    def violations(self, engine, seed, functions=None):
        """How many pairs are further apart than their query's type says, and how many differ at all."""
        worse = moved = 0
        for at, (_, notion) in enumerate(self.made):
            made = plans.Plans(random.Random(seed * 1_000_003 + at), f"_{at}a")
            query = self._query(made, at, engine.dialect, functions)
            (statement,) = lower(query, engine.dialect, plans.SAMPLING_KEY).statements
            quote = "`" if engine.dialect == "spark" else '"'
            other = statement.sql.replace(f"_{at}a{quote}", f"_{at}b{quote}")
            before, after = map(found, engine.fetch(plans.receipt(), [statement.sql, other]))
            (measurement,) = query.aggregate.measurements
            l1, l2_squared = distance(measurement, before, after)
            typed = sensitivity.change(measurement, bool(query.aggregate.keys), notion)
            worse += l1 > typed.l1 or l2_squared > typed.l2_squared
            moved += l1 > 0
        return worse, moved

    def _query(self, made, at, dialect, functions):
        usual, owned = made.query, self.owned[at]
        made.query = lambda: usual(sound=True, owned=owned)
        while True:
            ((query, _),) = drawn(made, (dialect,), 1)
            if not functions or query.aggregate.measurements[0].function in functions:
                return query


@pytest.fixture(scope="module", params=["postgresql", "spark"])
def world(request, tmp_path_factory):
    made = World(11, PAIRS if request.param == "postgresql" else SPARK_PAIRS)
    with loaded(request.param, tmp_path_factory.mktemp("people"), made.given, made.kinds, public=["towns"]) as engine:
        yield made, engine


@pytest.mark.parametrize("seed", range(3))
def test_no_pair_is_further_apart_than_typed(world, seed):
    made, engine = world
    if engine.dialect == "spark" and seed:
        pytest.skip("once is enough for the time that Spark takes")
    worse, moved = made.violations(engine, seed)
    assert worse == 0
    assert moved > len(made.made) / 5


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
    monkeypatch.setattr(reals, "total", lambda operator, left, right: sql.binary(operator, left, right))
    failed = 0
    with PostgreSQL(policy) as engine:
        for _, (statement,) in drawn(odd.OddPlans(r, "_0"), (engine.dialect,), 60):
            try:
                engine.fetch(plans.receipt(), [statement.sql])
            except LapwingError:
                failed += 1
    database.drop()
    assert failed > 0

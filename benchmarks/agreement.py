"""Random tables of the worst cells, random questions over the whole vocabulary: every engine against DuckDB.

A pair is a table and a question. Questions are drawn until so many pairs were compared; those whose numbers need not be
the same (letters of other alphabets, samples by a timestamp's text) come on top, and only must not fail. Counted are
statements that failed, pairs with other whole numbers than DuckDB's, and neighbouring tables further apart than the
question's type says; the target of each is none. ``LAPWING_BENCH_PAIRS`` asks for another number of compared pairs,
``LAPWING_BENCH_SEED`` for others.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from lapwing.engines import DuckDB, Engine
from lapwing.errors import LapwingError

PAIRS, SEED = int(os.environ.get("LAPWING_BENCH_PAIRS", "1000")), int(os.environ.get("LAPWING_BENCH_SEED", "1"))
#: Compared plans over each table, and of how many tables each is gathered.
PLANS, PARTS = 25, {"postgresql": 1, "spark": 10}


@dataclass(slots=True)
class Tally:
    """What came of the pairs of one engine."""

    pairs: int = 0
    compared: int = 0
    failed: int = 0
    different: int = 0


def main() -> bool:
    """Print the table; whether all engines that are here agree with DuckDB and keep their sensitivities."""
    from tests.contracts import postgresql, spark

    here = [("postgresql", None)] if postgresql.available() else []
    if here and (spoken := postgresql.language()) is not None:
        here.append(("postgresql", spoken))
    missing = spark.lacking()
    if missing:
        print(f"Spark is left out ({missing}); run: {spark.BRINGS}")
    else:
        here.append(("spark", None))
    met = True
    for name, spoken in here:
        tally = _same(name, spoken)
        worse, neighbours = _apart(name)
        title = name if spoken is None else f"{name} in {spoken}"
        print(f"{title}: {tally.pairs} pairs, {tally.failed} failed, {tally.compared} compared with DuckDB,")
        print(f"  {tally.different} different; {neighbours} neighbouring tables, {worse} further apart than typed")
        met &= not (tally.failed or tally.different or worse)
    return met


def _same(name: str, spoken: str | None) -> Tally:
    from tests.contracts import odd
    from tests.contracts.gathering import gathered
    from tests.contracts.loading import loaded

    r, parts = random.Random(SEED), PARTS[name]
    tables = -(-PAIRS // (PLANS * parts))
    rows = [gathered([odd.rows(r, r.randint(1, 6), 6) for _ in range(parts)]) for _ in range(tables)]
    made = {f"odd_{at}": odd.arrow(each) for at, each in enumerate(rows)}
    kinds = dict.fromkeys(made, odd.COLUMNS)
    tally = Tally()
    with (
        tempfile.TemporaryDirectory(prefix="lapwing-bench-") as folder,
        DuckDB.over(made) as duckdb,
        loaded(name, Path(folder), made, kinds, spoken=spoken) as other,
    ):
        for at in range(tables):
            for compared, same in _held(duckdb, other, at, parts):
                tally.pairs += parts
                tally.failed += parts * (same is None)
                tally.compared += parts * compared
                tally.different += parts * (compared and same is False)
    return tally


def _held(duckdb: Engine, other: Engine, at: int, parts: int) -> Iterator[tuple[bool, bool | None]]:
    """For each plan over a table: whether its numbers are to be the same, and whether they are; None if it failed."""
    from tests.contracts import odd
    from tests.contracts.test_same_integers import drawn, found, is_compared
    from tests.query.lowering import plans

    made = odd.OddPlans(random.Random(1_000_003 * SEED + at), f"_{at}")
    queries = drawn(made, ("duckdb", other.dialect), PLANS, parts, is_compared)
    ones = duckdb.fetch(plans.receipt(), [first.sql for _, (first, _) in queries])
    twos = _fetched(other, [second.sql for _, (_, second) in queries])
    for (query, _), one, two in zip(queries, ones, twos, strict=True):
        yield is_compared(query), None if two is None else found(one) == found(two)


def _fetched(engine: Engine, statements: list[str]) -> list[pa.Table | None]:
    """The results of statements, all at once; where that fails one by one, None for each that does."""
    from tests.query.lowering import plans

    try:
        return list(engine.fetch(plans.receipt(), statements))
    except LapwingError:
        if len(statements) == 1:
            return [None]
        return [found for each in statements for found in _fetched(engine, [each])]


def _apart(name: str) -> tuple[int, int]:
    from tests.contracts.loading import loaded
    from tests.contracts.test_one_person import World

    parts = PARTS[name]
    world = World(SEED, max(1, PAIRS // (4 * parts)), parts)
    with (
        tempfile.TemporaryDirectory(prefix="lapwing-bench-") as folder,
        loaded(name, Path(folder), world.given, world.kinds, public=["towns"]) as engine,
    ):
        worse, _ = world.violations(engine, SEED)
    return worse, len(world.made) * parts

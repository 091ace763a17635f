"""Small protected tables to ask about."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from lapwing.algebra.neighbours import Neighbours
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect

PEOPLE = 2000


def people() -> pa.Table:
    random = np.random.default_rng(7)
    age = random.integers(0, 100, PEOPLE)
    return pa.table(
        {
            "person": np.arange(PEOPLE),
            "age": age,
            "region": random.choice(["north", "south", "east"], PEOPLE),
            "income": random.integers(0, 100_000, PEOPLE),
            "ill": random.random(PEOPLE) < age / 200,
        }
    )


def visits() -> pa.Table:
    """Some people have none, most have a few, one has a thousand."""
    random = np.random.default_rng(8)
    who = np.concatenate([random.integers(0, PEOPLE, 6000), np.full(1000, 3)])
    return pa.table(
        {"person": who, "cost": random.gamma(2.0, 50.0, len(who)), "month": random.integers(1, 13, len(who))}
    )


def wishes(**changes: object) -> Wishes:
    given: dict[str, object] = {
        "unit": None,
        "epsilon": 10,
        "bounds": {"age": (0, 100), "income": (0, 100_000)},
        "keys": {"region": ["north", "south", "east", "west"]},
        "neighbours": Neighbours.ADDED,
    }
    return Wishes(**(given | changes))


def protected(folder: Path, table: pa.Table | None = None, **changes: object):
    """A session on a protected copy of the people."""
    path = folder / "people.parquet"
    pa.parquet.write_table(people() if table is None else table, path)
    protect(path, wishes(**changes))
    return open_session(path)

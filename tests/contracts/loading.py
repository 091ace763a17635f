"""Arrow tables in every engine that is a server, for comparing it with DuckDB and with exact arithmetic."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import Engine
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.expressions import Kind
from tests.contracts import postgresql, spark

Kinds = Mapping[str, Mapping[str, Kind]]


def policy_over(places: Mapping[str, tuple[str, str | None]], kinds: Kinds, public: Sequence[str] = ()) -> Policy:
    """A policy of tables with these kinds of columns; the first column of a private table is its unit."""
    tables = []
    for name, columns in kinds.items():
        listed = tuple(Column(column, kind.value) for column, kind in columns.items())
        role, unit, rows = ("public", None, None) if name in public else ("private", listed[0].name, 2)
        path, relation = places[name]
        tables.append(Table(name, path, role, unit, rows, listed, relation))
    return Policy("odd", tuple(tables), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),))


@contextlib.contextmanager
def loaded(
    engine: str, folder: Path, given: Mapping[str, pa.Table], kinds: Kinds, public: Sequence[str] = (), spoken=None
) -> Iterator[Engine]:
    """An engine over these tables; ``spoken`` is the language that a database sorts by."""
    if engine == "spark":
        spark.server()
        from lapwing.engines.spark import Spark

        spark.write(folder, **given)
        places = {name: (spark.address(folder / name), None) for name in given}
        with Spark(policy_over(places, kinds, public)) as opened:
            yield opened
        return
    postgresql.superuser()
    from lapwing.engines.postgresql import PostgreSQL

    database = postgresql.Database(spoken)
    database.load("t", **given)
    places = {name: (database.url, f"t.{name}") for name in given}
    with PostgreSQL(policy_over(places, kinds, public)) as opened:
        yield opened
    database.drop()

"""What an engine hands to the noise, and how far apart it is on two tables: the facts that sensitivities are about."""

import pyarrow.parquet
import pytest

from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import LapwingError
from lapwing.query.sensitivity import change
from lapwing.session import open_session
from lapwing.session.groups import Fetched, public_groups
from lapwing.session.noising import exact_values
from lapwing.session.protecting import protect
from tests.session.tables import wishes


def session_on(folder, table, **changes):
    """A session on a protected copy of the table, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    path = folder / "people.parquet"
    pyarrow.parquet.write_table(table, path)
    protect(path, wishes(**{"bounds": {}, "keys": {}, "epsilon": 1000} | changes))
    return open_session(path)


def before_noise(session, text):
    """Each measurement of a query with its exact values, one for each group."""
    query = session._prepared(text)
    lowered = session.road.lowered(query.aggregate, session.ledger)
    receipt = session.ledger.charge(
        session.analyst,
        PureDP(1),
        query=text,
        snapshot=session.road.snapshot(session.ledger),
        text=text,
        partition=session.part,
    )
    found = session.engine.fetch(receipt, [statement.sql for statement in lowered.statements])
    fetched = [Fetched(statement, table) for statement, table in zip(lowered.statements, found, strict=True)]
    groups = public_groups(query.aggregate.keys)
    return [
        (each, exact_values(each, next(f for f in fetched if each.name in f.statement.values), groups).tolist())
        for each in query.aggregate.measurements
    ]


def assert_neighbours_stay_close(folder, text, one, other, **changes):
    """On these two neighbouring tables no measurement differs by more than noise is made for; returns how far.

    ``text`` is a query, or several.
    """
    texts = [text] if isinstance(text, str) else text
    found = []
    for name, table in (("one", one), ("other", other)):
        with session_on(folder / name, table, **changes) as session:
            queries = [session._prepared(each) for each in texts]
            grouped = [bool(query.aggregate.keys) for query in queries for _ in query.aggregate.measurements]
            found.append([pair for each in texts for pair in before_noise(session, each)])
    distances = []
    for (measurement, here), (_, there), in_groups in zip(*found, grouped, strict=True):
        bound = change(measurement, grouped=in_groups, neighbours=changes.get("neighbours", Neighbours.ADDED))
        apart = [abs(a - b) for a, b in zip(here, there, strict=True)]
        assert sum(apart) <= bound.l1
        assert sum(distance**2 for distance in apart) <= bound.l2_squared
        distances.append(sum(apart))
    return distances


def answers(session, text, times=8):
    """The answers to a query at prices that hardly differ, so that each has noise of its own."""
    found = []
    for i in range(times):
        before = session.remaining.epsilon
        release = session.sql(text, epsilon=f"0.0{1000 + i}")
        assert before - session.remaining.epsilon == pytest.approx(float(f"0.0{1000 + i}"), rel=1e-9)
        found.append(tuple(column.to_pylist()[0] for column in release.table.columns))
    return found


def assert_refused_for_free(session, text, **price):
    """A query is refused, and nothing is charged."""
    before = session.remaining.epsilon
    with pytest.raises(LapwingError) as refused:
        session.sql(text, **price or {"epsilon": 1})
    assert session.remaining.epsilon == before
    assert all(entry.kind != "charge" or entry.text != text for entry in session.ledger.entries())
    return refused.value.code

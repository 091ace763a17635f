"""Joins with public tables, looked at before anything is charged: a few public rows for each private one, no more.

The one idea: an analyst who can turn one person's row into a billion can see on the clock whether it is there. The
public tables alone say how many rows one row becomes, so a query that makes too many is refused for everybody alike.
"""

from __future__ import annotations

from collections.abc import Iterable

from lapwing.engines import Engine
from lapwing.errors import InvalidInput
from lapwing.query.lowering import PublicKeys

#: One private row may become at most so many in all joins of a query together.
MOST_COPIES = 1000


def check_joins(engine: Engine, joins: Iterable[PublicKeys]) -> None:
    """Refuses joins that would multiply a person where each row is one, or multiply anybody's rows beyond the limit."""
    copies = 1
    for join in joins:
        most = engine.multiplicity(join.table, join.keys)
        if join.unique and most > 1:
            columns = ", ".join(name for name, _ in join.keys)
            raise InvalidInput(
                "S135",
                f"table {join.table!r} has several rows for one {columns}: a join could multiply a person",
                "Join on columns that are unique in the public table, or protect the private table with --unit",
            )
        copies *= max(most, 1)
    if copies > MOST_COPIES:
        raise InvalidInput(
            "S145",
            f"the joins with public tables can make {copies:,} rows of one, and at most {MOST_COPIES:,} are answered",
            "Join on columns that single out fewer public rows, or join fewer tables",
        )

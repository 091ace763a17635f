"""The first rows of each person: ROW_NUMBER() OVER (PARTITION BY person ORDER BY day) = 1, FIRST(x ORDER BY day)."""

from __future__ import annotations

from dataclasses import replace

from lapwing.query.plan import Foremost, Relation
from lapwing.query.refusals import Refuses

#: More rows of each person are not asked for by number.
_MOST = 10_000


def foremost(
    source: Relation, most: int, within: tuple[str, ...], order: tuple[tuple[str, bool], ...], place: Refuses
) -> Foremost:
    """So many rows of each person, the first in an order of their columns.

    Which rows these are is decided by the person's own rows and by the secret key alone, which also decides between
    rows that tie: never by another person's rows, nor by the order of the file. So a person has at most ``most`` rows;
    with further columns to number within, nothing new bounds them.
    """
    unit = source.type.unit
    if unit is None:
        raise place.invalid(
            "Q116", "each row is a person here, and rows of several people have no order", "Aggregate with GROUP BY"
        )
    if not 1 <= most <= _MOST:
        raise place.invalid("Q122", "rows of a person are numbered from 1", "Compare the number with 1 to 10000")
    kept = source.type.rows_per_unit
    rows = kept if within else most if kept is None else min(kept, most)
    return Foremost(source, most, within, order, replace(source.type, rows_per_unit=rows))

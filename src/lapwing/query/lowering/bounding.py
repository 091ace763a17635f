"""One person's rows kept to a limit: by weights, or by a sample that only that person's rows and a key decide.

The one idea: whatever is kept of a person is a function of that person's rows alone, so another person's coming or
going changes nothing of it. Weights: m > k rows count floor(k·S/m)/S each, k together at most; every row is first added
in full, and then what those rows count less, so that only they are looked up. Samples: the k rows with the smallest
keyed hash; rows that tie are ordered by their values, so only identical rows can stand in for one another.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.sql import binary, column, named, relation

#: Names inside a statement. Those of relations have a space, which no table of a policy has.
UNIT, ROWS, HEAVY, KEPT, PARTS, PLACE = "unit", "the rows", "the heavy", "the kept", "the parts", "place"
MANY = "the many"
_COUNT = exp.Count(this=exp.Star())
#: Stands for the secret key where a relation is lowered; ``lower`` puts the key in.
KEY_TO_COME = exp.Placeholder(this="sampling_key")


@dataclass(frozen=True, slots=True)
class Weight:
    """The limit on a person's rows and how many steps the weight 1 has."""

    limit: int
    steps: int


def heavy(weights: Iterable[Weight], dialect: Dialect, rows: str = ROWS) -> exp.Select:
    """The people with more rows than the smallest limit, and by how much less than 1 each of their rows counts.

    m rows of floor(k·S/m) are at most k·S together, and m <= k rows of S are, too.
    """
    listed = list(weights)
    chosen = [column(UNIT, rows)]
    for i, weight in enumerate(listed):
        share = dialect.divided(sql.whole(weight.limit * weight.steps), _COUNT)
        over = binary(exp.GT, _COUNT, sql.whole(weight.limit))
        less = sql.case([(over, binary(exp.Sub, share, sql.whole(weight.steps)))], sql.whole(0))
        # 32 bits hold it, and the join that carries it is a quarter faster.
        chosen.append(named(sql.sure_cast(less, "INT"), f"less_{i}"))
    return _grouped(chosen, rows, min(weight.limit for weight in listed))


def _grouped(chosen: list[exp.Expr], rows: str, limit: int) -> exp.Select:
    people = sql.select(chosen, relation(rows))
    return sql.grouped(people, [column(UNIT, rows)], binary(exp.GT, _COUNT, sql.whole(limit)))


def of_heavy(rows: exp.Select) -> exp.Select:
    """Only the ``rows`` of people in ``heavy``, with what is said of them there."""
    same = binary(exp.EQ, column(UNIT, ROWS), column(UNIT, HEAVY))
    return sql.joined(rows, relation(HEAVY), same, left=False)


def less_of(index: int) -> exp.Expr:
    """By how much less than 1 a row ``of_heavy`` counts, in steps: 0 or negative."""
    return column(f"less_{index}", HEAVY)


def windowed(columns: list[str]) -> exp.Expr:
    """The rows, each with how many its person has: as good as ``heavy``, in one pass."""
    many = exp.Window(this=_COUNT, partition_by=[column(UNIT, ROWS)])
    counted = sql.select([*(column(name, ROWS) for name in columns), named(many, MANY)], relation(ROWS))
    return sql.as_relation(counted, ROWS)


def weight_of(weight: Weight, dialect: Dialect) -> exp.Expr:
    """What a row of ``windowed`` counts, in steps: m > k rows of floor(k·S/m), or m <= k rows of S."""
    many = column(MANY, ROWS)
    share = dialect.divided(sql.whole(weight.limit * weight.steps), many)
    return sql.case([(binary(exp.GT, many, sql.whole(weight.limit)), share)], sql.whole(weight.steps))


def over(limit: int) -> exp.Select:
    """The people with more rows than the limit."""
    return _grouped([column(UNIT, ROWS)], ROWS, limit)


def sample(columns: list[str], limit: int, key: int, dialect: Dialect) -> exp.Select:
    """At most ``limit`` rows of each person. Only people over the limit are ordered, so it costs what they do."""
    same = binary(exp.EQ, column(UNIT, ROWS), column(UNIT, HEAVY))
    listed = [column(name, ROWS) for name in columns]
    light = sql.joined(sql.select(listed, relation(ROWS)), relation(HEAVY), same, left=True)
    light = sql.where(light, sql.is_null(column(UNIT, HEAVY)))
    hashed = keyed_hash(listed, exp.Literal.string(f"{key:x}"), dialect)
    order = [exp.Ordered(this=item) for item in (hashed, *listed)]
    place = exp.Window(this=exp.RowNumber(), partition_by=[column(UNIT, ROWS)], order=exp.Order(expressions=order))
    ordered = sql.joined(sql.select([*listed, named(place, PLACE)], relation(ROWS)), relation(HEAVY), same, left=False)
    few = binary(exp.LTE, column(PLACE, MANY), sql.whole(limit))
    first = sql.where(sql.select([column(name, MANY) for name in columns], sql.as_relation(ordered, MANY)), few)
    both = exp.Union(this=light, expression=first, distinct=False)
    return sql.select([column(name, KEPT) for name in columns], sql.as_relation(both, KEPT))


def keyed_hash(cells: list[exp.Expr], key: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A hash of the key and the row, unpredictable without the key."""
    absent = exp.Literal.string("-")
    parts: list[exp.Expr] = [key.copy()]
    for cell in cells:
        text = exp.Coalesce(this=dialect.cell(cell), expressions=[absent.copy()])
        parts += [exp.Literal.string("|"), text]
    return exp.MD5(this=functools.reduce(lambda left, right: exp.DPipe(this=left, expression=right), parts))

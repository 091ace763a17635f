"""What must be known of public tables before a query is answered: how many of their rows one private row can meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.sql import Typed, column, named
from lapwing.query.plan import PublicJoin, Relation, Scan, UnitJoin


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """A join with a public table: its columns, the kinds they are compared as, and whether they must be unique.

    A key that is there twice where it must be unique joins nothing, so privacy does not rest on the check.
    """

    table: str
    keys: tuple[tuple[str, Kind], ...]
    unique: bool


def public_keys(node: Relation) -> Iterator[PublicKeys]:
    """Every join with a public table below a node, as often as it is there."""
    match node:
        case Scan():
            return
        case UnitJoin():
            yield from public_keys(node.first)
            yield from public_keys(node.second)
        case _:
            yield from public_keys(node.source)
            if isinstance(node, PublicJoin):
                given = node.source.type.columns
                yield PublicKeys(node.table, tuple((theirs, given[mine].kind) for mine, theirs in node.on), node.unique)


def most_alike(table: str, keys: Sequence[tuple[str, Kind]], dialect: str) -> str:
    """A statement for the most rows of a table that one key can meet, read as a join reads them; 0 for no rows."""
    read = [sql.settled(Typed(sql.read(column(name), kind), kind)) for name, kind in keys]
    known = sql.every(sql.is_known(each) for each in read)
    rows = sql.select([named(exp.Count(this=exp.Star()), "alike")], sql.relation(table))
    counted = sql.grouped(rows if known is None else sql.where(rows, known), read)
    most = exp.Coalesce(this=exp.Max(this=column("alike")), expressions=[exp.Literal.number(0)])
    return sql.select([most], sql.as_relation(counted, "keys")).sql(dialect=dialect)

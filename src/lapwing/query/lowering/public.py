"""What must be known of public tables before a query is answered: how many of their rows one private row can meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Column, Kind, Word
from lapwing.kernel.evidence.plan import Match, Meeting, Project, PublicJoin, Relation, Scan, UnitJoin, Where
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import dialect_named
from lapwing.query.lowering.dialects.dialect import settled
from lapwing.query.lowering.sql import Typed, column, named


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
            if isinstance(node, Match):
                yield from _met(node)
            if isinstance(node, PublicJoin):
                given = node.source.type.columns
                yield PublicKeys(node.table, tuple((theirs, given[mine].kind) for mine, theirs in node.on), node.unique)


def _met(node: Match) -> Iterator[PublicKeys]:
    """The joins in a relation that is matched, and how many of its rows one row meets; a mark adds none."""
    equal = [(theirs, node.source.type.columns[mine].kind) for mine, word, theirs in node.on if word is Word.EQUAL]
    if not node.public:
        yield from public_keys(node.other)
        return
    yield from public_keys(node.other)
    if node.how is Meeting.MARK and equal:
        return
    yield from _rows(node.other, equal)


def _rows(node: Relation, equal: list[tuple[str, Kind]]) -> Iterator[PublicKeys]:
    """How many rows of a public relation have the same values of these columns, at most: from its tables."""
    match node:
        case Scan(table):
            yield PublicKeys(table, tuple(equal), unique=False)
        case Where(source):
            yield from _rows(source, equal)
        case Project(source, columns):
            plain = {name: value.name for name, value in columns if isinstance(value, Column)}
            yield from _rows(source, [(plain[name], kind) for name, kind in equal if name in plain])
        case Match(source):  # what the second table adds was counted where it is joined
            mine = set(source.type.columns)
            yield from _rows(source, [(name, kind) for name, kind in equal if name in mine])
        case _:
            return


def most_alike(table: str, keys: Sequence[tuple[str, Kind]], dialect: str) -> str:
    """A statement for the most rows of a table that one key can meet, read as a join reads them; 0 for no rows."""
    said = dialect_named(dialect)
    read = [settled(Typed(said.read(column(name, "t"), kind), kind)) for name, kind in keys]
    known = sql.every(sql.is_known(each) for each in read)
    rows = sql.select([named(exp.Count(this=exp.Star()), "alike")], sql.stored(table, "t"))
    counted = sql.grouped(rows if known is None else sql.where(rows, known), read)
    most = exp.Coalesce(this=exp.Max(this=column("alike", "keys")), expressions=[exp.Literal.number(0)])
    return said.printed(sql.select([most], sql.as_relation(counted, "keys")))

"""The keys of a query as SQL: their values, and which rows belong to a listed group."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lapwing.query.expressions import Constant, Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.scalars import scalar
from lapwing.query.lowering.sql import Typed, binary
from lapwing.query.plan import Key, Relation

#: Longer lists are joined with, as a table of values, rather than compared one by one.
_LONG = 200


def key_value(key: Key, source: Relation) -> exp.Expr:
    """What a row has for a key."""
    value = sql.cast(scalar(key.expression, source.type.columns), key.type.kind)
    return sql.settled(value)


def listed(key: Key, value: exp.Expr) -> exp.Expr | None:
    """The condition that a row's key is one of those known in advance; None where they are not."""
    if key.values is None:
        return None
    known = [item for item in key.values if item is not None]
    condition = _among(known, key.type.kind, value)
    if None not in key.values:
        return condition
    return binary(exp.Or, sql.is_null(value), condition)


def _among(known: Sequence[Constant], kind: Kind, value: exp.Expr) -> exp.Expr:
    whole = sorted({item for item in known if isinstance(item, int) and not isinstance(item, bool)})
    if kind is Kind.INTEGER and len(whole) == len(known) > 1 and whole[-1] - whole[0] == len(whole) - 1:
        return exp.Between(this=sql.bracketed(value), low=sql.whole(whole[0]), high=sql.whole(whole[-1]))
    members = [_member(item, kind) for item in known]
    if not members:
        return exp.false()
    if len(members) < _LONG:
        return exp.In(this=sql.bracketed(value), expressions=members)
    rows = exp.Values(expressions=[exp.Tuple(expressions=[member]) for member in members])
    table = sql.select([exp.Star()], exp.alias_(rows, "listed", table=["key"], copy=False))
    return exp.In(this=sql.bracketed(value), query=exp.Subquery(this=table))


def _member(item: Constant, kind: Kind) -> exp.Expr:
    typed: Typed = sql.cast(sql.literal(item, kind), kind)
    return typed.sql

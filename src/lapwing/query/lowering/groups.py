"""The keys of a query as SQL: their values, and which rows belong to a listed group."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Constant, Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.scalars import scalar
from lapwing.query.lowering.sql import Typed, binary, column, named
from lapwing.query.plan import Key, Relation

#: Longer lists are joined with, as a table, rather than compared one by one.
_LONG = 200
#: Control characters that have no business in a key, tried in order.
_SEPARATORS = "\x1f\x1e\x1d\x1c"


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
    if not known:
        return exp.false()
    if len(known) < _LONG:
        return exp.In(this=sql.bracketed(value), expressions=[sql.cast(sql.literal(k, kind), kind).sql for k in known])
    return exp.In(this=sql.bracketed(value), query=exp.Subquery(this=_table_of(known, kind)))


def _table_of(known: Sequence[Constant], kind: Kind) -> exp.Select:
    """The listed keys as rows, from one text that is split: a million constants would take a minute to parse."""
    words = [_word(item) for item in known]
    letters = set("".join(words))
    apart = next((letter for letter in _SEPARATORS if letter not in letters), None)
    if apart is None or "\0" in letters:
        raise sql.refused("keys that hold every character a list could be split at", "List fewer keys, or others")
    split = exp.Split(this=exp.Literal.string(apart.join(words)), expression=exp.Literal.string(apart))
    rows = sql.select([named(exp.Explode(this=split), "word")], None)
    word = Typed(column("word", "listed"), Kind.TEXT)
    return sql.select([sql.cast(word, kind).sql], sql.as_relation(rows, "listed"))


def _word(item: Constant) -> str:
    """A constant as a text that its cast reads back."""
    if isinstance(item, Fraction):
        return repr(sql.nearest(item))
    return str(item)

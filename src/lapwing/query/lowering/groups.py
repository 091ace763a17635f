"""The keys of a query as SQL: their values, and which rows belong to a listed group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Constant, Kind
from lapwing.kernel.evidence.plan import Key
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.dialects.dialect import settled
from lapwing.query.lowering.naming import Names
from lapwing.query.lowering.scalars import scalar
from lapwing.query.lowering.sql import binary

#: Longer lists are joined with, as a table, rather than compared one by one.
_LONG = 200
#: Control characters that have no business in a key, tried in order.
_SEPARATORS = "\x1f\x1e\x1d\x1c"


def key_value(key: Key, names: Names) -> exp.Expr:
    """What a row has for a key."""
    value = names.cast(scalar(key.expression, names), key.type.kind)
    return names.once(replace(value, sql=settled(value))).sql


def listed(key: Key, value: exp.Expr, dialect: Dialect) -> exp.Expr | None:
    """The condition that a row's key is one of those known in advance; None where they are not.

    That a key is not NULL is said besides: DuckDB has let rows through whose key is a CASE without ELSE, or not, by
    what a file says of the least and greatest values in it.
    """
    if key.values is None:
        return None
    known = [item for item in key.values if item is not None]
    condition = binary(exp.And, sql.is_known(value), _among(known, key.type.kind, value, dialect))
    if None not in key.values:
        return condition
    return binary(exp.Or, sql.is_null(value), condition)


def _among(known: Sequence[Constant], kind: Kind, value: exp.Expr, dialect: Dialect) -> exp.Expr:
    whole = sorted({item for item in known if isinstance(item, int) and not isinstance(item, bool)})
    if kind is Kind.INTEGER and len(whole) == len(known) > 1 and whole[-1] - whole[0] == len(whole) - 1:
        return exp.Between(this=sql.bracketed(value), low=sql.whole(whole[0]), high=sql.whole(whole[-1]))
    if not known:
        return exp.false()
    if len(known) < _LONG:
        members = [dialect.cast(dialect.literal(item, kind), kind).sql for item in known]
        return exp.In(this=sql.bracketed(value), expressions=members)
    return exp.In(this=sql.bracketed(value), query=exp.Subquery(this=_table_of(known, kind, dialect)))


def _table_of(known: Sequence[Constant], kind: Kind, dialect: Dialect) -> exp.Select:
    """The listed keys as rows, from one text that is split: a million constants would take a minute to parse."""
    words = [_word(item) for item in known]
    letters = set("".join(words))
    apart = next((letter for letter in _SEPARATORS if letter not in letters), None)
    if apart is None or "\0" in letters:
        raise sql.refused("keys that hold every character a list could be split at", "List fewer keys, or others")
    return dialect.words(apart.join(words), apart, kind)


def _word(item: Constant) -> str:
    """A constant as a text that its cast reads back."""
    if isinstance(item, Fraction):
        return repr(sql.nearest(item))
    return str(item)

"""The few SQL phrases that lowering is written in, as sqlglot trees: quoted names, typed literals, total casts."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.query.expressions import Constant, Kind

#: The range of a BIGINT, which holds every INTEGER of a plan.
SMALLEST, LARGEST = -(2**63), 2**63 - 1
WIDE = "INT128"
_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.REAL: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
_NUMBERS = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.REAL})
_DAYS = frozenset({Kind.DATE, Kind.TIMESTAMP})


@dataclass(frozen=True, slots=True)
class Typed:
    """A piece of SQL and its kind (None: NULL). An INTEGER is a BIGINT in [low, high], whatever the data hold."""

    sql: exp.Expr
    kind: Kind | None
    low: int = SMALLEST
    high: int = LARGEST


def refused(problem: str, remedy: str) -> InvalidInput:
    """The error for a plan that has no meaning as a statement."""
    return InvalidInput("Q351", problem, remedy)


def column(name: str, of: str | None = None) -> exp.Expr:
    """A quoted column, of the relation with the given alias."""
    table = None if of is None else exp.to_identifier(of, quoted=True)
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=table)


def relation(name: str) -> exp.Expr:
    """A quoted table, or part of the same statement."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def named(expression: exp.Expr, name: str) -> exp.Expr:
    """``expression AS "name"``."""
    return exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True))


def binary(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """``left operator right`` with brackets around whatever is not a name, a constant or a call."""
    return operator(this=bracketed(left), expression=bracketed(right))


def bracketed(expression: exp.Expr) -> exp.Expr:
    """The expression in brackets where another operator beside it could take it apart."""
    loose = isinstance(expression, exp.Binary | exp.Unary | exp.Predicate) and not isinstance(expression, exp.Paren)
    return exp.Paren(this=expression) if loose else expression


def every(conditions: Iterable[exp.Expr]) -> exp.Expr | None:
    """All of the conditions; None where there is none."""
    listed = list(conditions)
    return functools.reduce(lambda left, right: binary(exp.And, left, right), listed) if listed else None


def is_null(expression: exp.Expr) -> exp.Expr:
    """``expression IS NULL``."""
    return binary(exp.Is, expression, exp.null())


def is_known(expression: exp.Expr) -> exp.Expr:
    """``expression IS NOT NULL``."""
    return exp.Not(this=bracketed(is_null(expression)))


def try_cast(expression: exp.Expr, to: str) -> exp.Expr:
    """``TRY_CAST(expression AS to)``: NULL where there is no such value."""
    return exp.TryCast(this=expression, to=_type(to))


def sure_cast(expression: exp.Expr, to: str) -> exp.Expr:
    """``CAST(expression AS to)``, for values that are known to fit."""
    return exp.Cast(this=expression, to=_type(to))


@functools.cache
def _type(name: str) -> exp.DataType:
    """A type of the engine. Trees share it as they do other parts: only printing looks at parents, and it copies."""
    return exp.DataType.build(name)


def whole(number: int) -> exp.Expr:
    """A whole number as a BIGINT."""
    return sure_cast(exp.Literal.number(number), "BIGINT")


def real(number: Fraction | int | float) -> exp.Expr:
    """The double nearest to a number; beyond the largest double, an infinity."""
    return sure_cast(exp.Literal.string(repr(nearest(number))), "DOUBLE")


def nearest(number: Fraction | int | float) -> float:
    """The double nearest to a number."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def without_nan(expression: exp.Expr) -> exp.Expr:
    """NaN is NULL: the engines count NaN equal to itself."""
    return exp.Nullif(this=expression, expression=sure_cast(exp.Literal.string("nan"), "DOUBLE"))


def without_infinity(expression: exp.Expr) -> exp.Expr:
    """An infinite date is NULL: it has no year, and nothing to show it as."""
    return case([(exp.Anonymous(this="ISFINITE", expressions=[expression]), expression)])


def literal(value: Constant, kind: Kind | None) -> Typed:
    """A constant of a query, typed; a date that is none is NULL."""
    if value is None:
        return Typed(exp.null(), None)
    if isinstance(value, bool):
        return Typed(exp.true() if value else exp.false(), Kind.BOOLEAN)
    if isinstance(value, int) and kind is not Kind.REAL and SMALLEST <= value <= LARGEST:
        return Typed(whole(value), Kind.INTEGER, value, value)
    if isinstance(value, int | Fraction):
        return Typed(real(value), Kind.REAL)
    if "\0" in value:
        raise refused("a text with a zero character has no place in a statement", "Write the text without it")
    text = Typed(exp.Literal.string(value), Kind.TEXT)
    return text if kind in (None, Kind.TEXT) else cast(text, kind)


def cast(value: Typed, kind: Kind | None) -> Typed:
    """The value as another kind, NULL where there is none. Kinds that are far apart go by way of their text."""
    if kind is None or value.kind is kind:
        return value
    if value.kind is None:
        return Typed(try_cast(value.sql, _TYPES[kind]), kind)
    sql = value.sql
    near = any({value.kind, kind} <= family for family in (_NUMBERS, _DAYS))
    if not near and Kind.TEXT not in (value.kind, kind):
        sql = try_cast(sql, _TYPES[Kind.TEXT])
    sql = try_cast(sql, _TYPES[kind])
    if kind is Kind.REAL and value.kind not in _NUMBERS:
        sql = without_nan(sql)
    if kind in _DAYS and value.kind not in _DAYS:
        sql = without_infinity(sql)
    return Typed(sql, kind, 0, 1) if value.kind is Kind.BOOLEAN and kind is Kind.INTEGER else Typed(sql, kind)


def read(expression: exp.Expr, kind: Kind) -> exp.Expr:
    """A stored column as its declared kind; NaN, infinite dates, and what does not fit the kind, are NULL."""
    sql = try_cast(expression, _TYPES[kind])
    if kind in _DAYS:
        return without_infinity(sql)
    return without_nan(sql) if kind is Kind.REAL else sql


def settled(value: Typed) -> exp.Expr:
    """The value with one zero: -0.0 equals 0.0, so which of them a group shows would depend on the order of rows."""
    return binary(exp.Add, value.sql, real(0)) if value.kind is Kind.REAL else value.sql


def common(values: Sequence[Typed], *, text_wins: bool) -> list[Typed]:
    """The values as one kind, so that no engine casts on its own (and fails on a text that is no number)."""
    kinds = {value.kind for value in values if value.kind is not None}
    if not text_wins and len(kinds) > 1:
        kinds.discard(Kind.TEXT)
    if len(kinds) <= 1:
        kind = next(iter(kinds), Kind.TEXT)
    elif kinds <= _NUMBERS:
        kind = Kind.REAL if Kind.REAL in kinds else Kind.INTEGER
    else:
        kind = Kind.TIMESTAMP if kinds <= _DAYS else Kind.TEXT
    return [cast(value, kind) for value in values]


def number(value: Typed) -> Typed:
    """A value that arithmetic can use: INTEGER or REAL."""
    if value.kind in _DAYS:
        raise refused("arithmetic on a date", "Use YEAR, MONTH or DAY of it")
    if value.kind in (Kind.INTEGER, Kind.REAL):
        return value
    return cast(value, Kind.INTEGER if value.kind is Kind.BOOLEAN else Kind.REAL)


def least(*values: exp.Expr) -> exp.Expr:
    """LEAST, which ignores NULLs."""
    return exp.Least(this=values[0], expressions=list(values[1:]), ignore_nulls=True)


def greatest(*values: exp.Expr) -> exp.Expr:
    """GREATEST, which ignores NULLs."""
    return exp.Greatest(this=values[0], expressions=list(values[1:]), ignore_nulls=True)


def clipped(value: exp.Expr, low: exp.Expr, high: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Expr:
    """The value in [low, high], NULL if it is NULL (LEAST and GREATEST would make NULL a bound)."""
    choices = ((binary(exp.LT, value, low), low), (binary(exp.GT, value, high), high))
    return case(choices, value if otherwise is None else otherwise)


def case(choices: Iterable[tuple[exp.Expr, exp.Expr]], otherwise: exp.Expr | None = None) -> exp.Expr:
    """``CASE WHEN condition THEN value ... ELSE otherwise END``."""
    return exp.Case(ifs=[exp.If(this=condition, true=value) for condition, value in choices], default=otherwise)


def select(columns: Iterable[exp.Expr], source: exp.Expr | None) -> exp.Select:
    """``SELECT columns FROM source``, built without the copies that sqlglot's own builder makes at every step."""
    return exp.Select(expressions=list(columns), from_=None if source is None else exp.From(this=source))


def where(rows: exp.Select, condition: exp.Expr) -> exp.Select:
    """``rows WHERE condition``."""
    return rows.where(condition, copy=False)


def joined(rows: exp.Select, other: exp.Expr, condition: exp.Expr, *, left: bool) -> exp.Select:
    """``rows [LEFT] JOIN other ON condition``."""
    return rows.join(other, on=condition, join_type="left" if left else "inner", copy=False)


def grouped(rows: exp.Select, by: Iterable[exp.Expr], having: exp.Expr | None = None) -> exp.Select:
    """``rows GROUP BY by HAVING having``."""
    result = rows.group_by(*by, copy=False)
    return result if having is None else result.having(having, copy=False)


def as_relation(rows: exp.Query, name: str) -> exp.Expr:
    """The rows under a name, to select from."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))

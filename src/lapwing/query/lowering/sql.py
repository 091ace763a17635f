"""The SQL that all engines read alike, as sqlglot trees: quoted names, typed constants, CASE, SELECT."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Kind

#: The range of a BIGINT, which holds every INTEGER of a plan.
SMALLEST, LARGEST = -(2**63), 2**63 - 1
#: Begins the names of a plan's columns in a statement, and of nothing else.
MARK = "."


@dataclass(frozen=True, slots=True)
class Typed:
    """A piece of SQL and its kind (None: NULL). An INTEGER is a BIGINT in [low, high], whatever the data hold.

    A TEXT has at most so many ``letters``; None where the data decide.
    """

    sql: exp.Expr
    kind: Kind | None
    low: int = SMALLEST
    high: int = LARGEST
    letters: int | None = None


def refused(problem: str, remedy: str) -> InvalidInput:
    """The error for a plan that has no meaning as a statement."""
    return InvalidInput("Q351", problem, remedy)


def column(name: str, of: str | None = None) -> exp.Expr:
    """A quoted column, of the relation with the given alias."""
    table = None if of is None else exp.to_identifier(of, quoted=True)
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=table)


def of_plan(name: str, of: str) -> exp.Expr:
    """A column of a plan. It carries a mark that no invented name has, so neither can be taken for the other.

    Names of tables and invented names are words; those that an analyst gives to columns can be any text.
    """
    return column(MARK + name, of)


def relation(name: str) -> exp.Expr:
    """A quoted table, or part of the same statement."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def stored(name: str, alias: str) -> exp.Expr:
    """A table of the policy, under an alias that its columns can be told by."""
    return exp.alias_(relation(name), alias, table=True, quoted=True)


def named(expression: exp.Expr, name: str) -> exp.Expr:
    """``expression AS "name"``."""
    return exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True))


def as_plan(expression: exp.Expr, name: str) -> exp.Expr:
    """``expression`` as the column of a plan with this name."""
    return named(expression, MARK + name)


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
    return exp.TryCast(this=expression, to=_type(to), safe=True)  # as it is said: Spark's printer doubts it


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


def least(*values: exp.Expr) -> exp.Expr:
    """LEAST, which ignores NULLs; of two at a time, since DuckDB fails where three are the same column."""
    return functools.reduce(lambda a, b: exp.Least(this=a, expressions=[b], ignore_nulls=True), values)


def greatest(*values: exp.Expr) -> exp.Expr:
    """GREATEST, which ignores NULLs; of two at a time, as above."""
    return functools.reduce(lambda a, b: exp.Greatest(this=a, expressions=[b], ignore_nulls=True), values)


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

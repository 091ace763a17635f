"""Expressions on one row as SQL in which nothing can fail: each word has one meaning for every value.

The one idea: an INTEGER is a BIGINT always. Where a result may leave its range, by bounds that do not trust the data,
it is computed in twice the width and is NULL if it does not fit; reals follow IEEE 754 with NaN read as NULL.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.query.lowering import sql
from lapwing.query.lowering.sql import LARGEST, SMALLEST, Typed, binary
from lapwing.query.types import ColumnType

#: Years that a date or timestamp of an engine can have, with room to spare.
_YEARS = 1_000_000


def scalar(expression: Expression, columns: Mapping[str, ColumnType], of: str | None = None) -> Typed:
    """The SQL of an expression on a row with these columns, and its kind."""
    match expression:
        case Column(name):
            return Typed(sql.column(name, of), columns[name].kind)
        case Literal(value, kind):
            return sql.literal(value, kind)
        case Call(word, arguments):
            return _WORDS[word]([scalar(argument, columns, of) for argument in arguments])


def boolean(expression: Expression, columns: Mapping[str, ColumnType], of: str | None = None) -> exp.Expr:
    """The SQL of a condition."""
    return sql.cast(scalar(expression, columns, of), Kind.BOOLEAN).sql


def _ranged(operation: Callable[..., exp.Expr], operands: Sequence[Typed], low: int, high: int) -> Typed:
    """An operation on integers with a result in [low, high], NULL where that is not a BIGINT."""
    if low >= SMALLEST and high <= LARGEST:
        return Typed(operation(*(operand.sql for operand in operands)), Kind.INTEGER, low, high)
    wide = operation(*(sql.sure_cast(operand.sql, sql.WIDE) for operand in operands))
    return Typed(sql.try_cast(wide, "BIGINT"), Kind.INTEGER, max(low, SMALLEST), min(high, LARGEST))


def _arithmetic(operator: type[exp.Binary]) -> Callable[[Sequence[Typed]], Typed]:
    def ends(left: Typed, right: Typed) -> list[int]:
        if operator is exp.Add:
            return [left.low + right.low, left.high + right.high]
        if operator is exp.Sub:
            return [left.low - right.high, left.high - right.low]
        return [a * b for a in (left.low, left.high) for b in (right.low, right.high)]

    def lowered(arguments: Sequence[Typed]) -> Typed:
        left, right = (sql.number(argument) for argument in arguments)
        if left.kind is right.kind is Kind.INTEGER:
            found = ends(left, right)
            return _ranged(functools.partial(binary, operator), (left, right), min(found), max(found))
        left, right = sql.cast(left, Kind.REAL), sql.cast(right, Kind.REAL)
        return Typed(sql.without_nan(binary(operator, left.sql, right.sql)), Kind.REAL)

    return lowered


def _nonzero(value: Typed) -> exp.Expr:
    return exp.Nullif(this=value.sql, expression=sql.whole(0) if value.kind is Kind.INTEGER else sql.real(0))


def _divide(arguments: Sequence[Typed]) -> Typed:
    left, right = (sql.cast(sql.number(argument), Kind.REAL) for argument in arguments)
    return Typed(sql.without_nan(binary(exp.Div, left.sql, _nonzero(right))), Kind.REAL)


def _modulo(arguments: Sequence[Typed]) -> Typed:
    left, right = (sql.number(argument) for argument in arguments)
    if left.kind is right.kind is Kind.INTEGER:
        divisor = Typed(_nonzero(right), Kind.INTEGER, right.low, right.high)
        # SMALLEST % -1 is 0, but processors divide first and the quotient is no BIGINT.
        low, high = (SMALLEST - 1, LARGEST) if left.low == SMALLEST else (-LARGEST, LARGEST)
        return _ranged(functools.partial(binary, exp.Mod), (left, divisor), low, high)
    left, right = sql.cast(left, Kind.REAL), sql.cast(right, Kind.REAL)
    return Typed(sql.without_nan(binary(exp.Mod, left.sql, _nonzero(right))), Kind.REAL)


def _negate(arguments: Sequence[Typed]) -> Typed:
    value = sql.number(arguments[0])
    if value.kind is Kind.REAL:
        return Typed(exp.Neg(this=sql.bracketed(value.sql)), Kind.REAL)
    return _ranged(lambda operand: exp.Neg(this=sql.bracketed(operand)), (value,), -value.high, -value.low)


def _abs(arguments: Sequence[Typed]) -> Typed:
    value = sql.number(arguments[0])
    if value.kind is Kind.REAL:
        return Typed(exp.Abs(this=value.sql), Kind.REAL)
    return _ranged(lambda operand: exp.Abs(this=operand), (value,), 0, max(abs(value.low), abs(value.high)))


def _to_whole(function: type[exp.Func]) -> Callable[[Sequence[Typed]], Typed]:
    def lowered(arguments: Sequence[Typed]) -> Typed:
        value = sql.number(arguments[0])
        return value if value.kind is Kind.INTEGER else Typed(function(this=value.sql), Kind.REAL)

    return lowered


def _round(arguments: Sequence[Typed]) -> Typed:
    value = sql.number(arguments[0])
    digits = arguments[1].low if len(arguments) > 1 else 0
    if len(arguments) > 1 and (arguments[1].kind is not Kind.INTEGER or digits != arguments[1].high):
        raise sql.refused("ROUND to a number of digits that is not written out", "Write the digits as a whole number")
    if value.kind is Kind.INTEGER and digits >= 0:
        return value
    # Beyond 30 digits either way nothing of a double is left to round.
    decimals = exp.Literal.number(max(-30, min(30, digits)))
    value = sql.cast(value, Kind.REAL)
    return Typed(sql.without_nan(exp.Round(this=value.sql, decimals=decimals)), Kind.REAL)


def _sqrt(arguments: Sequence[Typed]) -> Typed:
    value = sql.cast(sql.number(arguments[0]), Kind.REAL).sql
    return Typed(sql.case([(binary(exp.GTE, value, sql.real(0)), exp.Sqrt(this=value))]), Kind.REAL)


def _hull(result: exp.Expr, values: Sequence[Typed]) -> Typed:
    return Typed(result, values[0].kind, min(v.low for v in values), max(v.high for v in values))


def _extreme(function: Callable[..., exp.Expr]) -> Callable[[Sequence[Typed]], Typed]:
    def lowered(arguments: Sequence[Typed]) -> Typed:
        values = sql.common(arguments, text_wins=True)
        return _hull(function(*(value.sql for value in values)), values)

    return lowered


def _clip(arguments: Sequence[Typed]) -> Typed:
    value, low, high = sql.common(arguments, text_wins=False)
    result = sql.clipped(value.sql, low.sql, high.sql)
    constant = all(bound.kind is Kind.INTEGER and bound.low == bound.high for bound in (low, high))
    return _hull(result, (low, high) if constant else (value, low, high))


def _compare(operator: type[exp.Binary]) -> Callable[[Sequence[Typed]], Typed]:
    def lowered(arguments: Sequence[Typed]) -> Typed:
        left, right = sql.common(arguments, text_wins=False)
        return Typed(binary(operator, left.sql, right.sql), Kind.BOOLEAN)

    return lowered


def _connect(operator: type[exp.Binary]) -> Callable[[Sequence[Typed]], Typed]:
    def lowered(arguments: Sequence[Typed]) -> Typed:
        conditions = [sql.cast(argument, Kind.BOOLEAN).sql for argument in arguments]
        return Typed(functools.reduce(functools.partial(binary, operator), conditions), Kind.BOOLEAN)

    return lowered


def _not(arguments: Sequence[Typed]) -> Typed:
    return Typed(exp.Not(this=sql.bracketed(sql.cast(arguments[0], Kind.BOOLEAN).sql)), Kind.BOOLEAN)


def _in(arguments: Sequence[Typed]) -> Typed:
    value, *members = sql.common(arguments, text_wins=False)
    return Typed(exp.In(this=sql.bracketed(value.sql), expressions=[m.sql for m in members]), Kind.BOOLEAN)


def _like(arguments: Sequence[Typed]) -> Typed:
    text, pattern = (sql.cast(argument, Kind.TEXT).sql for argument in arguments)
    return Typed(binary(exp.Like, text, pattern), Kind.BOOLEAN)


def _case(arguments: Sequence[Typed]) -> Typed:
    conditions = [sql.cast(condition, Kind.BOOLEAN).sql for condition in arguments[:-1:2]]
    values = sql.common([*arguments[1:-1:2], arguments[-1]], text_wins=True)
    chosen = sql.case(zip(conditions, (value.sql for value in values[:-1]), strict=True), values[-1].sql)
    return _hull(chosen, values)


def _coalesce(arguments: Sequence[Typed]) -> Typed:
    values = sql.common(arguments, text_wins=True)
    return _hull(exp.Coalesce(this=values[0].sql, expressions=[value.sql for value in values[1:]]), values)


def _text(function: type[exp.Func]) -> Callable[[Sequence[Typed]], Typed]:
    return lambda arguments: Typed(function(this=sql.cast(arguments[0], Kind.TEXT).sql), Kind.TEXT)


def _length(arguments: Sequence[Typed]) -> Typed:
    length = exp.Length(this=sql.cast(arguments[0], Kind.TEXT).sql)
    return Typed(sql.sure_cast(length, "BIGINT"), Kind.INTEGER, 0, 2**40)


def _part(name: str) -> Callable[[Sequence[Typed]], Typed]:
    def lowered(arguments: Sequence[Typed]) -> Typed:
        day = arguments[0] if arguments[0].kind is Kind.DATE else sql.cast(arguments[0], Kind.TIMESTAMP)
        extracted = exp.Extract(this=exp.var(name), expression=day.sql)
        return Typed(sql.sure_cast(extracted, "BIGINT"), Kind.INTEGER, -_YEARS, _YEARS)

    return lowered


def _cast_to(kind: Kind) -> Callable[[Sequence[Typed]], Typed]:
    return lambda arguments: sql.cast(arguments[0], kind)


_WORDS: dict[Word, Callable[[Sequence[Typed]], Typed]] = {
    Word.ADD: _arithmetic(exp.Add),
    Word.SUBTRACT: _arithmetic(exp.Sub),
    Word.MULTIPLY: _arithmetic(exp.Mul),
    Word.DIVIDE: _divide,
    Word.MODULO: _modulo,
    Word.NEGATE: _negate,
    Word.ABS: _abs,
    Word.FLOOR: _to_whole(exp.Floor),
    Word.CEIL: _to_whole(exp.Ceil),
    Word.ROUND: _round,
    Word.SQRT: _sqrt,
    Word.LEAST: _extreme(sql.least),
    Word.GREATEST: _extreme(sql.greatest),
    Word.CLIP: _clip,
    Word.EQUAL: _compare(exp.EQ),
    Word.NOT_EQUAL: _compare(exp.NEQ),
    Word.LESS: _compare(exp.LT),
    Word.AT_MOST: _compare(exp.LTE),
    Word.GREATER: _compare(exp.GT),
    Word.AT_LEAST: _compare(exp.GTE),
    Word.AND: _connect(exp.And),
    Word.OR: _connect(exp.Or),
    Word.NOT: _not,
    Word.IS_NULL: lambda arguments: Typed(sql.is_null(arguments[0].sql), Kind.BOOLEAN),
    Word.IN: _in,
    Word.LIKE: _like,
    Word.CASE: _case,
    Word.COALESCE: _coalesce,
    Word.LOWER: _text(exp.Lower),
    Word.UPPER: _text(exp.Upper),
    Word.LENGTH: _length,
    Word.YEAR: _part("year"),
    Word.MONTH: _part("month"),
    Word.DAY: _part("day"),
    Word.TO_INTEGER: _cast_to(Kind.INTEGER),
    Word.TO_REAL: _cast_to(Kind.REAL),
    Word.TO_TEXT: _cast_to(Kind.TEXT),
    Word.TO_BOOLEAN: _cast_to(Kind.BOOLEAN),
    Word.TO_DATE: _cast_to(Kind.DATE),
    Word.TO_TIMESTAMP: _cast_to(Kind.TIMESTAMP),
}

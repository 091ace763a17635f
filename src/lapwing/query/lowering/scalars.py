"""Expressions on one row as SQL in which nothing can fail: each word has one meaning for every value.

The one idea: an INTEGER is a BIGINT always. Where a result may leave its range, by bounds that do not trust the data,
it is computed in twice the width and is NULL if it does not fit; reals follow IEEE 754 with NaN read as NULL.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from sqlglot import exp

from lapwing.kernel.evidence.expressions import LONGEST, Column, Expression, Kind, Literal, Word
from lapwing.query.lowering import sql
from lapwing.query.lowering.calendars import CALENDAR, Lowering
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.naming import FIRST, Names
from lapwing.query.lowering.sql import LARGEST, SMALLEST, Typed, binary

#: Words whose SQL has an operand more than once in every dialect.
_REPEATING = {Word.CLIP, Word.SQRT}
#: Beyond this EXP is that of this.
FARTHEST = 700


def scalar(expression: Expression, names: Names) -> Typed:
    """The SQL of an expression on a row with the columns of ``names``, and its kind."""
    names.count(expression)
    return _scalar(expression, names)


def _scalar(expression: Expression, names: Names) -> Typed:
    match expression:
        case Column(name):
            return Typed(sql.of_plan(name, FIRST), names.columns[name].kind)
        case Literal(value, kind):
            return names.dialect.literal(value, kind)
    before = names.lowered.get(id(expression))
    if before is not None:
        return before[1]
    given = [_scalar(argument, names) for argument in expression.arguments]
    if expression.word in _REPEATING:
        given = [names.once(each) for each in given]
    found = _WORDS[expression.word](given, names)
    if names.uses[id(expression)] > 1:
        found = names.once(found)
    names.lowered[id(expression)] = expression, found
    return found


def boolean(expression: Expression, names: Names) -> exp.Expr:
    """The SQL of a condition."""
    return names.cast(scalar(expression, names), Kind.BOOLEAN).sql


def _ranged(
    operation: Callable[..., exp.Expr], operands: Sequence[Typed], low: int, high: int, dialect: Dialect
) -> Typed:
    """An operation on integers with a result in [low, high], NULL where that is not a BIGINT."""
    if low >= SMALLEST and high <= LARGEST:
        return Typed(operation(*(operand.sql for operand in operands)), Kind.INTEGER, low, high)
    wide = operation(*(dialect.widened(operand.sql) for operand in operands))
    return Typed(dialect.narrowed(wide), Kind.INTEGER, max(low, SMALLEST), min(high, LARGEST))


def _arithmetic(operator: type[exp.Binary]) -> Lowering:
    def ends(left: Typed, right: Typed) -> list[int]:
        if operator is exp.Add:
            return [left.low + right.low, left.high + right.high]
        if operator is exp.Sub:
            return [left.low - right.high, left.high - right.low]
        return [a * b for a in (left.low, left.high) for b in (right.low, right.high)]

    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        left, right = (names.number(argument) for argument in arguments)
        if left.kind is right.kind is Kind.INTEGER:
            found = ends(left, right)
            return _ranged(functools.partial(binary, operator), (left, right), min(found), max(found), names.dialect)
        left, right = names.cast(left, Kind.REAL), names.cast(right, Kind.REAL)
        return Typed(sql.without_nan(names.real(operator, left.sql, right.sql)), Kind.REAL)

    return lowered


def _nonzero(value: Typed) -> exp.Expr:
    return exp.Nullif(this=value.sql, expression=sql.whole(0) if value.kind is Kind.INTEGER else sql.real(0))


def _divide(arguments: Sequence[Typed], names: Names) -> Typed:
    left, right = (names.cast(names.number(argument), Kind.REAL) for argument in arguments)
    return Typed(sql.without_nan(names.real(exp.Div, left.sql, _nonzero(right))), Kind.REAL)


def _modulo(arguments: Sequence[Typed], names: Names) -> Typed:
    left, right = (names.number(argument) for argument in arguments)
    if left.kind is right.kind is Kind.INTEGER:
        divisor = Typed(_nonzero(right), Kind.INTEGER, right.low, right.high)
        # SMALLEST % -1 is 0, but processors divide first and the quotient is no BIGINT.
        low, high = (SMALLEST - 1, LARGEST) if left.low == SMALLEST else (-LARGEST, LARGEST)
        return _ranged(functools.partial(binary, exp.Mod), (left, divisor), low, high, names.dialect)
    left, right = names.cast(left, Kind.REAL), names.cast(right, Kind.REAL)
    return Typed(sql.without_nan(names.real(exp.Mod, left.sql, _nonzero(right))), Kind.REAL)


def _negate(arguments: Sequence[Typed], names: Names) -> Typed:
    value = names.number(arguments[0])
    if value.kind is Kind.REAL:
        return Typed(exp.Neg(this=sql.bracketed(value.sql)), Kind.REAL)
    return _ranged(
        lambda operand: exp.Neg(this=sql.bracketed(operand)), (value,), -value.high, -value.low, names.dialect
    )


def _abs(arguments: Sequence[Typed], names: Names) -> Typed:
    value = names.number(arguments[0])
    if value.kind is Kind.REAL:
        return Typed(exp.Abs(this=value.sql), Kind.REAL)
    most = max(abs(value.low), abs(value.high))
    return _ranged(lambda operand: exp.Abs(this=operand), (value,), 0, most, names.dialect)


def _to_whole(whole: Callable[[exp.Expr, Names], exp.Expr]) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        value = names.number(arguments[0])
        return value if value.kind is Kind.INTEGER else Typed(whole(value.sql, names), Kind.REAL)

    return lowered


def _round(arguments: Sequence[Typed], names: Names) -> Typed:
    value = names.number(arguments[0])
    digits = arguments[1].low if len(arguments) > 1 else 0
    if len(arguments) > 1 and (arguments[1].kind is not Kind.INTEGER or digits != arguments[1].high):
        raise sql.refused("ROUND to a number of digits that is not written out", "Write the digits as a whole number")
    if value.kind is Kind.INTEGER and digits >= 0:
        return value
    # Beyond 30 digits either way nothing of a double is left to round.
    digits = max(-30, min(30, digits))
    value = names.cast(value, Kind.REAL)
    return Typed(sql.without_nan(names.dialect.rounded(value.sql, digits, names.short)), Kind.REAL)


def _sqrt(arguments: Sequence[Typed], names: Names) -> Typed:
    value = names.cast(names.number(arguments[0]), Kind.REAL).sql
    return Typed(sql.case([(binary(exp.GTE, value, sql.real(0)), exp.Sqrt(this=value))]), Kind.REAL)


def _logarithm(name: str) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        value = names.once(names.cast(names.number(arguments[0]), Kind.REAL)).sql
        found = exp.Anonymous(this=name, expressions=[value])
        return Typed(sql.case([(binary(exp.GT, value, sql.real(0)), found)]), Kind.REAL)

    return lowered


def _exp(arguments: Sequence[Typed], names: Names) -> Typed:
    """Held between two ends, beyond which some engines fail."""
    value = names.once(names.cast(names.number(arguments[0]), Kind.REAL)).sql
    held = sql.clipped(value, sql.real(-FARTHEST), sql.real(FARTHEST))
    return Typed(exp.Anonymous(this="EXP", expressions=[held]), Kind.REAL)


def _matches(arguments: Sequence[Typed], names: Names) -> Typed:
    written = arguments[1].sql.find(exp.Literal)
    if written is None or not written.is_string:
        raise sql.refused("a regular expression that is not written out", "Write the pattern as 'text'")
    return Typed(names.dialect.matches(names.cast(arguments[0], Kind.TEXT).sql, str(written.this)), Kind.BOOLEAN)


def _hull(result: exp.Expr, values: Sequence[Typed]) -> Typed:
    letters = [v.letters for v in values if v.letters is not None]
    most = max(letters) if len(letters) == len(values) else None
    return Typed(result, values[0].kind, min(v.low for v in values), max(v.high for v in values), most)


def _extreme(function: Callable[..., exp.Expr]) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        values = names.common(arguments, text_wins=True)
        return _hull(function(*(value.sql for value in values)), values)

    return lowered


def _clip(arguments: Sequence[Typed], names: Names) -> Typed:
    value, low, high = names.common(arguments, text_wins=False)
    result = sql.clipped(value.sql, low.sql, high.sql)
    constant = all(bound.kind is Kind.INTEGER and bound.low == bound.high for bound in (low, high))
    return _hull(result, (low, high) if constant else (value, low, high))


def _compare(operator: type[exp.Binary]) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        left, right = names.common(arguments, text_wins=False)
        return Typed(binary(operator, left.sql, right.sql), Kind.BOOLEAN)

    return lowered


def _connect(operator: type[exp.Binary]) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        conditions = [names.cast(argument, Kind.BOOLEAN).sql for argument in arguments]
        return Typed(functools.reduce(functools.partial(binary, operator), conditions), Kind.BOOLEAN)

    return lowered


def _not(arguments: Sequence[Typed], names: Names) -> Typed:
    return Typed(exp.Not(this=sql.bracketed(names.cast(arguments[0], Kind.BOOLEAN).sql)), Kind.BOOLEAN)


def _in(arguments: Sequence[Typed], names: Names) -> Typed:
    value, *members = names.common(arguments, text_wins=False)
    return Typed(exp.In(this=sql.bracketed(value.sql), expressions=[m.sql for m in members]), Kind.BOOLEAN)


def _like(arguments: Sequence[Typed], names: Names) -> Typed:
    text, pattern = (names.cast(argument, Kind.TEXT).sql for argument in arguments)
    return Typed(names.dialect.like(text, pattern), Kind.BOOLEAN)


def _case(arguments: Sequence[Typed], names: Names) -> Typed:
    conditions = [names.cast(condition, Kind.BOOLEAN).sql for condition in arguments[:-1:2]]
    values = names.common([*arguments[1:-1:2], arguments[-1]], text_wins=True)
    chosen = sql.case(zip(conditions, (value.sql for value in values[:-1]), strict=True), values[-1].sql)
    return _hull(chosen, values)


def _coalesce(arguments: Sequence[Typed], names: Names) -> Typed:
    values = names.common(arguments, text_wins=True)
    return _hull(exp.Coalesce(this=values[0].sql, expressions=[value.sql for value in values[1:]]), values)


def _text(function: type[exp.Func]) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        text = names.cast(arguments[0], Kind.TEXT).sql
        return Typed(names.dialect.letters(function, text), Kind.TEXT)

    return lowered


def _length(arguments: Sequence[Typed], names: Names) -> Typed:
    return Typed(_letters(names.cast(arguments[0], Kind.TEXT).sql), Kind.INTEGER, 0, 2**40)


def _trim(arguments: Sequence[Typed], names: Names) -> Typed:
    return Typed(names.dialect.trimmed(names.cast(arguments[0], Kind.TEXT).sql), Kind.TEXT)


def _substring(arguments: Sequence[Typed], names: Names) -> Typed:
    ends = arguments[1:]
    if any(end.kind is not Kind.INTEGER or end.low != end.high or end.low < 0 for end in ends):
        raise sql.refused("letters from a place that is not written out", "Write SUBSTRING(x, 1, 3)")
    first, *many = (end.low for end in ends)
    if first == 0:  # the place before the first letter, which some engines take for the first
        first, many = 1, [max(0, many[0] - 1)] if many else []
    start, *length = (exp.Literal.number(each) for each in (first, *many))
    text = names.cast(arguments[0], Kind.TEXT).sql
    part = exp.Substring(this=text, start=start, length=length[0] if length else None)
    return Typed(names.dialect.computed(part), Kind.TEXT, letters=many[0] if many else arguments[0].letters)


def _changed(function: str) -> Lowering:
    """SPLIT_PART and RIGHT, of constants that all engines read alike: no empty text, no number below 1."""

    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        text = names.cast(arguments[0], Kind.TEXT)
        written = [_written_out(each) for each in arguments[1:]]
        found = exp.Anonymous(this=function, expressions=[text.sql, *written])
        return Typed(names.dialect.computed(found), Kind.TEXT, letters=text.letters)

    return lowered


def _written_out(constant: Typed) -> exp.Expr:
    """A constant that stands in the plan as one."""
    written = constant.sql.find(exp.Literal)
    if written is None or (constant.kind is Kind.INTEGER and (constant.low != constant.high or constant.low < 1)):
        raise sql.refused("a part of a text that is not written out", "Write SPLIT_PART(x, '.', 1)")
    if constant.kind is Kind.TEXT and not written.this:
        raise sql.refused("an empty text that is looked for", "Write REPLACE(x, 'a', 'b')")
    return exp.Literal.number(constant.low) if constant.kind is Kind.INTEGER else constant.sql


def _replace(arguments: Sequence[Typed], names: Names) -> Typed:
    """REPLACE, NULL where it makes a text longer than LONGEST: how often it finds something is what it takes away."""
    text, (old, new) = names.cast(arguments[0], Kind.TEXT), arguments[1:]
    given = [_written_out(old), new.sql]
    if new.sql.find(exp.Literal) is None or old.letters is None or new.letters is None:
        raise sql.refused("a text in the place of another that is not written out", "Write REPLACE(x, 'a', 'b')")

    def replaced(by: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="REPLACE", expressions=[text.sql, given[0], by])

    if new.letters <= old.letters:
        return Typed(names.dialect.computed(replaced(given[1])), Kind.TEXT, letters=text.letters)
    text = names.once(text)
    whole, rest = _letters(text.sql), _letters(replaced(names.dialect.text("")))
    # in parts of a letter, so that nothing is divided: whole + found/old · (new - old) <= LONGEST
    grown = binary(exp.Mul, binary(exp.Sub, whole, rest), sql.whole(new.letters - old.letters))
    many = binary(exp.Add, binary(exp.Mul, whole, sql.whole(old.letters)), grown)
    return _no_longer(replaced(given[1]), many, LONGEST * old.letters, names)


def _concat(arguments: Sequence[Typed], names: Names) -> Typed:
    """Two texts as one, NULL where it is longer than LONGEST."""
    first, second = (names.cast(each, Kind.TEXT) for each in arguments)
    if first.letters is not None and second.letters is not None and first.letters + second.letters <= LONGEST:
        together = names.dialect.computed(binary(exp.DPipe, first.sql, second.sql))
        return Typed(together, Kind.TEXT, letters=first.letters + second.letters)
    first, second = names.once(first), names.once(second)
    many = binary(exp.Add, _letters(first.sql), _letters(second.sql))
    return _no_longer(binary(exp.DPipe, first.sql, second.sql), many, LONGEST, names)


def _letters(text: exp.Expr) -> exp.Expr:
    return sql.sure_cast(exp.Length(this=text), "BIGINT")


def _no_longer(text: exp.Expr, many: exp.Expr, most: int, names: Names) -> Typed:
    """A text that is made only where it has room: a CASE looks before it computes, on every engine."""
    kept = sql.case([(binary(exp.LTE, many, sql.whole(most)), names.dialect.computed(text))])
    return Typed(kept, Kind.TEXT, letters=LONGEST)


def _ilike(arguments: Sequence[Typed], names: Names) -> Typed:
    """LIKE of both in small letters, which is what engines mean by it."""
    text, pattern = (names.dialect.letters(exp.Lower, names.cast(each, Kind.TEXT).sql) for each in arguments)
    return Typed(names.dialect.like(text, pattern), Kind.BOOLEAN)


def _cast_to(kind: Kind) -> Lowering:
    return lambda arguments, names: names.cast(arguments[0], kind)


_WORDS: dict[Word, Lowering] = {
    Word.ADD: _arithmetic(exp.Add),
    Word.SUBTRACT: _arithmetic(exp.Sub),
    Word.MULTIPLY: _arithmetic(exp.Mul),
    Word.DIVIDE: _divide,
    Word.MODULO: _modulo,
    Word.NEGATE: _negate,
    Word.ABS: _abs,
    Word.FLOOR: _to_whole(lambda value, names: names.dialect.floor(value, names.short)),
    Word.CEIL: _to_whole(lambda value, names: names.dialect.ceil(value, names.short)),
    Word.ROUND: _round,
    Word.SQRT: _sqrt,
    Word.LN: _logarithm("LN"),
    Word.LOG10: _logarithm("LOG10"),
    Word.EXP: _exp,
    Word.MATCHES: _matches,
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
    Word.IS_NULL: lambda arguments, _: Typed(sql.is_null(arguments[0].sql), Kind.BOOLEAN),
    Word.IN: _in,
    Word.LIKE: _like,
    Word.CASE: _case,
    Word.COALESCE: _coalesce,
    Word.LOWER: _text(exp.Lower),
    Word.UPPER: _text(exp.Upper),
    Word.LENGTH: _length,
    **CALENDAR,
    Word.SUBSTRING: _substring,
    Word.CONCAT: _concat,
    Word.TRIM: _trim,
    Word.SPLIT: _changed("SPLIT_PART"),
    Word.REPLACE: _replace,
    Word.ENDING: _changed("RIGHT"),
    Word.ILIKE: _ilike,
    Word.TO_INTEGER: _cast_to(Kind.INTEGER),
    Word.TO_REAL: _cast_to(Kind.REAL),
    Word.TO_TEXT: _cast_to(Kind.TEXT),
    Word.TO_BOOLEAN: _cast_to(Kind.BOOLEAN),
    Word.TO_DATE: _cast_to(Kind.DATE),
    Word.TO_TIMESTAMP: _cast_to(Kind.TIMESTAMP),
}

"""Words about days and moments as SQL: whatever leaves the years 1 to 9999 is NULL, on every engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Kind, Word
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.naming import Names
from lapwing.query.lowering.sql import Typed, binary

#: How a word is said of its operands.
Lowering = Callable[[Sequence[Typed], Names], Typed]
#: Years that a date or timestamp of an engine can have, with room to spare.
_YEARS = 1_000_000
#: Days between any two of the years 1 to 9999.
_DAYS = 4_000_000
#: What a day is truncated to, and what it is moved by.
_UNITS, _MOVES = ("year", "quarter", "month", "week", "day"), ("day", "month")


def _hour(arguments: Sequence[Typed], names: Names) -> Typed:
    """A date is midnight of its day."""
    moment = names.cast(arguments[0], Kind.TIMESTAMP)
    return Typed(names.dialect.part("hour", moment.sql, names.short), Kind.INTEGER, 0, 23)


def _truncate(arguments: Sequence[Typed], names: Names) -> Typed:
    unit, day = arguments[0], names.once(arguments[1])
    # a day long before our era, or after, has no first day of its year that fits
    inside = sql.case([(_in_calendar(day, names.dialect), day.sql)])
    return Typed(names.dialect.truncated(_unit(unit, _UNITS), inside), Kind.DATE)


def _days_between(arguments: Sequence[Typed], names: Names) -> Typed:
    days = [names.once(each) for each in arguments]
    first, second = (sql.sure_cast(sql.case([(_in_calendar(each, names.dialect), each.sql)]), "DATE") for each in days)
    return Typed(sql.sure_cast(names.dialect.days(first, second), "BIGINT"), Kind.INTEGER, -_DAYS, _DAYS)


def _shift(arguments: Sequence[Typed], names: Names) -> Typed:
    day, amount, unit = names.once(arguments[0]), arguments[1], arguments[2]
    if amount.kind is not Kind.INTEGER or amount.low != amount.high:
        raise sql.refused("a day moved by a number that is not written out", "Write INTERVAL 3 DAY")
    by = names.dialect.interval(amount.low, _unit(unit, _MOVES))
    said = names.dialect
    kind = said.types[_moment(day)]
    start = sql.sure_cast(day.sql, kind) if isinstance(day.sql, exp.Null) else day.sql  # else it is an interval, too
    added = sql.sure_cast(binary(exp.Add, start, by), kind)
    moved = names.once(Typed(sql.case([(_in_calendar(day, said), added)]), day.kind))
    # engines write days before our era in ways of their own: what leaves the calendar is NULL
    return Typed(sql.case([(_in_calendar(moved, said), moved.sql)]), day.kind)


def _unit(unit: Typed, known: Sequence[str]) -> str:
    """The word of a constant: one of ours, since it becomes a part of the statement."""
    written = unit.sql.find(exp.Literal)
    if written is None or written.this not in known:
        raise sql.refused("a unit of time that is not known", "Name year, quarter, month, week or day")
    return str(written.this)


def _moment(day: Typed) -> Kind:
    return Kind.DATE if day.kind is Kind.DATE else Kind.TIMESTAMP


def _in_calendar(day: Typed, dialect: Dialect) -> exp.Expr:
    """Whether a day lies in the years 1 to 9999: everything that is computed from it then has room."""
    kind = dialect.types[_moment(day)]
    low, high = (sql.sure_cast(exp.Literal.string(end), kind) for end in ("0001-01-01", "9999-12-31"))
    return binary(exp.And, binary(exp.GTE, day.sql, low), binary(exp.LTE, day.sql, high))


def _part(name: str) -> Lowering:
    def lowered(arguments: Sequence[Typed], names: Names) -> Typed:
        day = arguments[0] if arguments[0].kind is Kind.DATE else names.cast(arguments[0], Kind.TIMESTAMP)
        return Typed(names.dialect.part(name, day.sql, names.short), Kind.INTEGER, -_YEARS, _YEARS)

    return lowered


CALENDAR: dict[Word, Lowering] = {
    Word.YEAR: _part("year"),
    Word.MONTH: _part("month"),
    Word.DAY: _part("day"),
    Word.QUARTER: _part("quarter"),
    Word.WEEK: _part("week"),
    Word.WEEKDAY: _part("dow"),
    Word.HOUR: _hour,
    Word.TRUNCATE: _truncate,
    Word.DAYS_BETWEEN: _days_between,
    Word.SHIFT: _shift,
}

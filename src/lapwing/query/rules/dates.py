"""Dates: their parts, the first day of their month, days between two, and days later."""

from __future__ import annotations

import calendar
import datetime
from fractions import Fraction

from lapwing.query.expressions import Constant, Kind, Literal, Word
from lapwing.query.parsing import constants
from lapwing.query.refusals import Refuses
from lapwing.query.typed import DAYS, MOST_KEYS, Typed, call, literal
from lapwing.query.types import ColumnType

_ENDS = {
    Word.MONTH: (1, 12),
    Word.DAY: (1, 31),
    Word.QUARTER: (1, 4),
    Word.WEEK: (1, 53),
    Word.WEEKDAY: (0, 6),
    Word.HOUR: (0, 23),
}
PARTS = frozenset({Word.YEAR, *_ENDS})
#: What a day is truncated to, and what it is moved by: days or months.
UNITS = ("year", "quarter", "month", "week", "day")
SHIFTS = {"day": ("day", 1), "week": ("day", 7), "month": ("month", 1), "quarter": ("month", 3), "year": ("month", 12)}
#: Longer shifts leave the calendar.
LONGEST = 100_000


def dates(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """A whole number; months and days are few, years are bounded by the range of the column, or by the query."""
    subject = dated(arguments[0], place)
    low, high = _ENDS.get(word, (None, None))
    first, last = _range(subject)
    if word is Word.YEAR and first is not None and last is not None:
        low, high = (datetime.date.fromordinal(int(end)).year for end in (first, last))
    return call(
        word,
        (subject,),
        ColumnType(
            Kind.INTEGER,
            subject.type.nullable,
            None if low is None else Fraction(low),
            None if high is None else Fraction(high),
            () if subject.type.keys == () else None,  # of no day there is no month either
        ),
    )


def dated(subject: Typed, place: Refuses) -> Typed:
    """The argument as a date or timestamp; a constant text is read as one."""
    if subject.kind is Kind.TEXT and isinstance(subject.constant, str):
        return literal(constants.day(subject.constant, place))
    if subject.kind not in DAYS or subject.is_null:
        raise place.invalid(
            "Q120", f"a date is needed here, and this is {subject.kind.value}", "Give a date, or CAST it AS DATE"
        )
    return subject


def truncated(unit: str, argument: Typed, place: Refuses) -> Typed:
    """The first day of the year, quarter, month or week (which begins on Monday) that a day is in."""
    if unit not in UNITS:
        raise place.invalid("Q122", "days are truncated to year, quarter, month, week or day", "Name one of these")
    subject = dated(argument, place)
    ends = [subject.type.low, subject.type.high]
    low, high = (None if end is None else Fraction(first_day(_day(end), unit).toordinal()) for end in ends)
    keys: tuple[Constant, ...] | None = None
    if subject.type.keys == ():
        keys = ()
    elif low is not None and high is not None and high - low < MOST_KEYS * _LEAST_DAYS[unit]:
        days = {first_day(_day(at), unit) for at in range(int(low), int(high) + 1, _LEAST_DAYS[unit])} | {_day(high)}
        keys = tuple(sorted(first_day(day, unit).isoformat() for day in days))
    known = ColumnType(Kind.DATE, subject.type.nullable, low, high, keys)
    return call(Word.TRUNCATE, (literal(Literal(unit, Kind.TEXT)), subject), known)


def clocked(day: ColumnType, unit: str) -> ColumnType:
    """The type of the first moments of hours, minutes or seconds; of known days all of them are known."""
    many = {"hour": 24, "minute": 1_440, "second": 86_400}[unit]
    keys = None
    if day.low is not None and day.high is not None and (day.high - day.low + 1) * many <= MOST_KEYS:
        first = datetime.datetime.combine(_day(day.low), datetime.time.min)
        step = datetime.timedelta(days=1) / many
        keys = tuple(str(first + at * step) for at in range(int(day.high - day.low + 1) * many))
    return ColumnType(Kind.TIMESTAMP, day.nullable, day.low, day.high, keys)


def days_between(first: Typed, second: Typed, place: Refuses) -> Typed:
    """Whole days from one date to another; below 0 where the second is earlier."""
    a, b = dated(first, place), dated(second, place)
    ends = [end for each in (a, b) for end in _range(each)]
    low = high = None
    if all(end is not None for end in ends):
        (a_low, a_high), (b_low, b_high) = _range(a), _range(b)
        low, high = Fraction(b_low or 0) - Fraction(a_high or 0), Fraction(b_high or 0) - Fraction(a_low or 0)
    known = ColumnType(Kind.INTEGER, a.type.nullable or b.type.nullable, low, high)
    return call(Word.DAYS_BETWEEN, (a, b), known)


def shifted(argument: Typed, count: int, unit: str, place: Refuses) -> Typed:
    """A day so many days, weeks, months or years later; NULL outside the years 1 to 9999."""
    if unit not in SHIFTS or abs(count) > LONGEST:
        raise place.invalid(
            "Q122", "this interval is not a constant number of days, weeks, months or years", "Write INTERVAL 3 DAY"
        )
    subject = dated(argument, place)
    word, times = SHIFTS[unit]
    if subject.kind is Kind.DATE and isinstance(subject.constant, str):
        moved = later(datetime.date.fromisoformat(subject.constant), count * times, word)
        if moved is not None:
            return literal(Literal(moved.isoformat(), Kind.DATE))
    amount = (literal(Literal(count * times, Kind.INTEGER)), literal(Literal(word, Kind.TEXT)))
    ends = [None if end is None else later(_day(end), count * times, word) for end in _range(subject)]
    low, high = (None if end is None else Fraction(end.toordinal()) for end in ends)
    known = ColumnType(subject.kind, nullable=True, low=low, high=high, keys=_moved(subject.type, count * times, word))
    return call(Word.SHIFT, (subject, *amount), known)


def _moved(known: ColumnType, count: int, word: str) -> tuple[Constant, ...] | None:
    """The days that known days are moved to; those off the calendar are NULL, and none of them."""
    if known.kind is not Kind.DATE or known.keys is None:
        return None
    days = (later(datetime.date.fromisoformat(key), count, word) for key in known.keys if isinstance(key, str))
    return tuple(dict.fromkeys(day.isoformat() for day in days if day is not None))


def later(day: datetime.date, count: int, word: str) -> datetime.date | None:
    """A day so many days or months later, or the last of a month that is shorter; None off the calendar."""
    try:
        if word == "day":
            return day + datetime.timedelta(days=count)
        months = day.year * 12 + day.month - 1 + count
        year, month = months // 12, months % 12 + 1
        return datetime.date(year, month, min(day.day, calendar.monthrange(year, month)[1]))
    except (ValueError, OverflowError, calendar.IllegalMonthError):
        return None


#: At least so many days lie between the first days of two.
_LEAST_DAYS = {"year": 365, "quarter": 90, "month": 28, "week": 7, "day": 1}


def first_day(day: datetime.date, unit: str) -> datetime.date:
    """The first day of the unit that a day is in."""
    match unit:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            return day.replace(day=1)
        case "week":
            return day - datetime.timedelta(days=day.weekday()) if day.toordinal() > day.weekday() else day
    return day


def _day(ordinal: Fraction | int) -> datetime.date:
    return datetime.date.fromordinal(int(ordinal))


def _range(value: Typed) -> tuple[Fraction | None, Fraction | None]:
    written = value.constant
    if isinstance(written, str):
        at = Fraction(datetime.date.fromisoformat(written[:10]).toordinal())
        return at, at
    return value.type.low, value.type.high

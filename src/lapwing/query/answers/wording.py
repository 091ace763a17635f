"""Texts and days over answers: keys in other words. They are shown anyway, so none of this has noise."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

from lapwing.query.answers.cells import Cells
from lapwing.query.expressions import Word
from lapwing.query.rules.dates import first_day, later
from lapwing.query.rules.text import changed, joined

_PARTS: dict[Word, Callable[[datetime.date], int]] = {
    Word.YEAR: lambda day: day.year,
    Word.QUARTER: lambda day: (day.month + 2) // 3,
    Word.MONTH: lambda day: day.month,
    Word.WEEK: lambda day: day.isocalendar().week,
    Word.DAY: lambda day: day.day,
    Word.WEEKDAY: lambda day: day.isoweekday() % 7,
}
#: What ``worded`` computes.
WORDS = frozenset(
    {*_PARTS, Word.CONCAT, Word.SUBSTRING, Word.TRIM, Word.TRUNCATE, Word.SHIFT, Word.DAYS_BETWEEN, Word.TO_DATE}
    | {Word.SPLIT, Word.REPLACE, Word.ENDING, Word.HOUR, Word.TO_TIMESTAMP}
)


def worded(word: Word, given: Sequence[Cells]) -> Cells:
    """The word on every row; NULL where something is, or where a text is no day."""
    lists = [[None if gone else value for value, gone in zip(c.values, c.missing, strict=True)] for c in given]
    return Cells.known([None if None in each else _one(word, each) for each in zip(*lists, strict=True)])


def _one(word: Word, given: Sequence[object]) -> object:
    match word, given:
        case Word.CONCAT, (first, second):
            return joined(str(first), str(second))
        case Word.SUBSTRING, (text, start, *length):
            at = int(str(start)) - 1
            return str(text)[at : at + int(str(length[0])) if length else None]
        case Word.TRIM, (text,):
            return str(text).strip(" ")
        case Word.SPLIT, (text, apart, place):
            return changed(word, str(text), [str(apart), int(str(place))])
        case Word.REPLACE, (text, old, new):
            return changed(word, str(text), [str(old), str(new)])
        case Word.ENDING, (text, many):
            return changed(word, str(text), [int(str(many))])
        case Word.TRUNCATE, (unit, text):
            return _written(None if (day := _day(text)) is None else first_day(day, str(unit)))
        case Word.SHIFT, (text, count, unit):
            return _written(None if (day := _day(text)) is None else later(day, round(float(str(count))), str(unit)))
        case Word.DAYS_BETWEEN, (start, end):
            first, last = _day(start), _day(end)
            return None if first is None or last is None else (last - first).days
        case Word.HOUR, (text,):
            return None if (moment := _moment(text)) is None else moment.hour
        case Word.TO_TIMESTAMP, (text,):
            return None if (moment := _moment(text)) is None else str(moment)
        case Word.TO_DATE, (text,):
            return _written(_day(text))
        case _, (text,):
            return None if (day := _day(text)) is None else _PARTS[word](day)
    return None


def _day(text: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(text)[:10])
    except ValueError:
        return None


def _moment(text: object) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _written(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()

"""YEAR, MONTH and DAY of a date."""

from __future__ import annotations

from fractions import Fraction

from lapwing.query.expressions import Kind, Word
from lapwing.query.refusals import Refuses
from lapwing.query.typed import DAYS, Typed, call
from lapwing.query.types import ColumnType

_ENDS = {Word.MONTH: (1, 12), Word.DAY: (1, 31)}


def dates(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """A whole number; months and days are few, years are bounded by nothing but the query."""
    subject = arguments[0]
    if subject.kind not in DAYS:
        raise place.invalid(
            "Q120", f"a date is needed here, and this is {subject.kind.value}", "Give a date, or CAST it AS DATE"
        )
    low, high = _ENDS.get(word, (None, None))
    return call(
        word,
        (subject,),
        ColumnType(
            Kind.INTEGER,
            subject.type.nullable,
            None if low is None else Fraction(low),
            None if high is None else Fraction(high),
        ),
    )

"""CAST: what cannot be cast is NULL, so that no error can depend on a value."""

from __future__ import annotations

from fractions import Fraction

from lapwing.query import ranges
from lapwing.query.expressions import Kind, Word
from lapwing.query.parsing import constants
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.typed import NUMBERS, Typed, call, literal, numeric, ranged
from lapwing.query.types import ColumnType

_WORDS = {
    Kind.INTEGER: Word.TO_INTEGER,
    Kind.REAL: Word.TO_REAL,
    Kind.TEXT: Word.TO_TEXT,
    Kind.BOOLEAN: Word.TO_BOOLEAN,
    Kind.DATE: Word.TO_DATE,
    Kind.TIMESTAMP: Word.TO_TIMESTAMP,
}
#: Which kinds can become which; a cast that is not here has no meaning that all engines share.
_POSSIBLE = {
    Kind.INTEGER: {Kind.INTEGER, Kind.REAL, Kind.TEXT, Kind.BOOLEAN},
    Kind.REAL: {Kind.INTEGER, Kind.REAL, Kind.TEXT},
    Kind.TEXT: set(Kind),
    Kind.BOOLEAN: {Kind.INTEGER, Kind.REAL, Kind.TEXT, Kind.BOOLEAN},
    Kind.DATE: {Kind.TEXT, Kind.DATE, Kind.TIMESTAMP},
    Kind.TIMESTAMP: {Kind.TEXT, Kind.DATE, Kind.TIMESTAMP},
}


def casts(kind: Kind, argument: Typed, place: Refuses) -> Typed:
    """The argument as another kind; a range goes along with a number, rounded outward for whole numbers."""
    if argument.is_null or argument.kind is kind:
        return argument
    if isinstance(argument.constant, str) and kind in (Kind.DATE, Kind.TIMESTAMP):
        return literal((constants.day if kind is Kind.DATE else constants.moment)(argument.constant, place))
    if argument.number is not None and kind is Kind.REAL:
        return literal(constants.settled(argument.number, kind, place))
    if kind not in _POSSIBLE[argument.kind]:
        raise place.invalid(
            "Q123", f"{argument.kind.value} cannot be cast to {kind.value}", "Use it as the kind that it is"
        )
    if kind in NUMBERS and argument.kind in (*NUMBERS, Kind.BOOLEAN):
        value = numeric(argument, place)
        if value.kind is kind:
            return value
        within = ranges.rounded(value.range, 0) if kind is Kind.INTEGER else value.range
        # a real number beyond 64 bits cannot be a whole number, and is NULL
        fits = kind is Kind.REAL or (within.bounded and _fits(within))
        return call(_WORDS[kind], (value,), ranged(kind, within, nullable=argument.type.nullable or not fits))
    sure = not argument.type.nullable and (kind is Kind.TEXT or argument.kind in (Kind.DATE, Kind.TIMESTAMP))
    return call(_WORDS[kind], (argument,), ColumnType(kind, nullable=not sure))


def _fits(within: Range) -> bool:
    return within.low is not None and within.high is not None and max(-within.low, within.high) < Fraction(2**62)

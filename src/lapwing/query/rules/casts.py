"""CAST: what cannot be cast is NULL, so that no error can depend on a value."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from fractions import Fraction

from lapwing.query import ranges
from lapwing.query.expressions import Constant, Kind, Word
from lapwing.query.parsing import constants
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.typed import DAYS, MOST_KEYS, NUMBERS, Typed, call, literal, numeric, ranged
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
    sure = not argument.type.nullable and (kind is Kind.TEXT or argument.kind in DAYS)
    known = ColumnType(kind, nullable=not sure)
    if kind is Kind.TEXT:
        known = replace(known, keys=_written(argument.type))
    elif kind in DAYS and argument.kind in DAYS:  # a moment lies in the day that it is of
        known = replace(known, low=argument.type.low, high=argument.type.high)
    return call(_WORDS[kind], (argument,), known)


def _written(known: ColumnType) -> tuple[Constant, ...] | None:
    """The texts of a few whole numbers or days, which every engine writes alike."""
    if known.kind is Kind.INTEGER and known.keys:
        return tuple(str(key) for key in known.keys if key is not None)
    if known.low is None or known.high is None or known.high - known.low >= MOST_KEYS:
        return None
    whole = range(math.ceil(known.low), math.floor(known.high) + 1)
    if known.kind is Kind.INTEGER:
        return tuple(str(number) for number in whole) or None
    if known.kind is Kind.DATE:
        return tuple(datetime.date.fromordinal(day).isoformat() for day in whole) or None
    return None


def _fits(within: Range) -> bool:
    return within.low is not None and within.high is not None and max(-within.low, within.high) < Fraction(2**62)

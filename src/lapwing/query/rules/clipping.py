"""LEAST, GREATEST and CLIP: how a query bounds a number by itself."""

from __future__ import annotations

from lapwing.query import ranges
from lapwing.query.expressions import Kind, Word
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.typed import Typed, call, numeric, ranged


def limits(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """The least, the greatest, or a number kept between two constants.

    CLIP of NULL is NULL. LEAST and GREATEST leave NULLs out, as DuckDB does, so only what cannot be NULL bounds them.
    """
    if word is Word.CLIP:
        return _clip(arguments, place)
    given = tuple(numeric(each, place) for each in arguments if not each.is_null)
    if not given:
        raise place.invalid("Q120", "there is nothing but NULL here", "Give at least one number")
    kind = Kind.INTEGER if all(each.kind is Kind.INTEGER for each in given) else Kind.REAL
    sure = [each.range for each in given if not each.type.nullable]
    whole = ranges.hull(each.range for each in given)
    if sure and word is Word.LEAST:
        highs = [each.high for each in sure if each.high is not None]
        whole = Range(whole.low, min(highs) if highs else None)
    elif sure:
        lows = [each.low for each in sure if each.low is not None]
        whole = Range(max(lows) if lows else None, whole.high)
    return call(word, given, ranged(kind, whole, nullable=not sure))


def _clip(arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    if len(arguments) != 3:
        raise place.invalid("Q122", "CLIP takes a number and two constants", "Write CLIP(x, low, high)")
    value = numeric(arguments[0], place)
    low, high = arguments[1].number, arguments[2].number
    if low is None or high is None or low > high:
        raise place.invalid(
            "Q122", "the ends of CLIP are not two constants in order", "Write CLIP(x, low, high) with numbers"
        )
    whole = value.kind is Kind.INTEGER and low.denominator == high.denominator == 1
    kind = Kind.INTEGER if whole else Kind.REAL
    return call(
        Word.CLIP,
        (value, *arguments[1:]),
        ranged(kind, ranges.clip(value.range, low, high), nullable=value.type.nullable),
    )

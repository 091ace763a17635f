"""FLOOR, CEIL and ROUND: the range is rounded with the numbers, by ROUND outward."""

from __future__ import annotations

import math
from dataclasses import replace

from lapwing.query import ranges
from lapwing.query.expressions import Kind, Word
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.rules.casts import casts
from lapwing.query.typed import MOST_KEYS, Typed, call, numeric, ranged


def rounding(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """A number rounded to whole numbers, or to a constant number of digits.

    What is rounded to whole numbers and bounded is a whole number from there on, so that it can be a key.
    """
    value = numeric(arguments[0], place)
    digits = 0
    if len(arguments) == 2:
        wanted = arguments[1].number
        if wanted is None or wanted.denominator != 1 or abs(wanted) > 15:
            raise place.invalid("Q122", "the number of digits is not a constant", "Write a whole number from -15 to 15")
        digits = int(wanted)
    within = ranges.rounded(value.range, digits, down=word is not Word.CEIL, up=word is not Word.FLOOR)
    result = call(word, (value, *arguments[1:]), ranged(value.kind, within, nullable=value.type.nullable))
    if digits > 0 or not within.bounded:
        return result
    whole = casts(Kind.INTEGER, result, place)
    return replace(whole, type=replace(whole.type, keys=_few(within, 10**-digits)))


def _few(within: Range, step: int) -> tuple[int, ...] | None:
    """All whole numbers of a range that are rounded so, where they are few: FLOOR(age / 10) makes groups."""
    assert within.low is not None  # noqa: S101  # the caller saw both ends
    assert within.high is not None  # noqa: S101  # as above
    few = (within.high - within.low) / step < MOST_KEYS
    return tuple(range(math.ceil(within.low / step) * step, int(within.high) + 1, step)) if few else None

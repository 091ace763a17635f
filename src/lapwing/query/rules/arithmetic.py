"""+ - * / % and their relatives: the range of the result is that of interval arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from lapwing.query import ranges
from lapwing.query.expressions import Constant, Kind, Word
from lapwing.query.parsing.constants import settled
from lapwing.query.refusals import Refuses
from lapwing.query.rules.casts import casts
from lapwing.query.typed import MOST_KEYS, Typed, call, literal, numeric, ranged

_EXACT: dict[Word, Callable[[int, int], int]] = {
    Word.ADD: operator.add,
    Word.SUBTRACT: operator.sub,
    Word.MULTIPLY: operator.mul,
}


def arithmetic(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """A number computed from numbers; NULL where one is NULL, or where a division has no value.

    Whole numbers whose ranges say that they may leave 64 bits are computed as reals: there they would be NULL.
    """
    given = tuple(numeric(each, place) for each in arguments)
    folded = _folded(word, given, place)
    if folded is not None:
        return folded
    a, b = given[0], given[-1]
    whole = all(each.kind is Kind.INTEGER for each in given)
    nullable = any(each.type.nullable for each in given)
    # an infinite value of an unbounded real column makes NaN of inf - inf, and NaN is NULL
    nullable = nullable or not (whole or all(each.range.bounded for each in given))
    match word:
        case Word.ADD:
            result = ranges.add(a.range, b.range)
        case Word.SUBTRACT:
            result = ranges.add(a.range, ranges.negate(b.range))
        case Word.MULTIPLY:
            result = ranges.multiply(a.range, b.range)
        case Word.DIVIDE:
            nullable = nullable or b.range.contains(0)
            result = ranges.divide(a.range, b.range, whole_divisor=b.kind is Kind.INTEGER)
            whole = False
        case Word.MODULO:
            nullable = nullable or b.range.contains(0)
            result = ranges.modulo(a.range, b.range, whole=whole)
        case Word.NEGATE:
            result = ranges.negate(a.range)
        case Word.ABS:
            result = ranges.absolute(a.range)
        case Word.LN | Word.LOG10:
            nullable = nullable or a.range.low is None or a.range.low <= 0
            result = ranges.increasing(math.log if word is Word.LN else math.log10, a.range, Fraction(0))
            whole = False
        case Word.EXP:
            far = Fraction(ranges.FARTHEST)
            result = ranges.increasing(math.exp, ranges.clip(a.range, -far, far), None)
            whole = False
        case _:  # SQRT
            nullable = nullable or a.range.low is None or a.range.low < 0
            result = ranges.root(a.range)
            whole = False
    if whole and result.low is not None and result.high is not None and max(-result.low, result.high) >= 2**63:
        return arithmetic(word, tuple(casts(Kind.REAL, each, place) for each in given), place)
    known = ranged(Kind.INTEGER if whole else Kind.REAL, result, nullable=nullable)
    return call(word, given, replace(known, keys=_keys(word, given) if whole else None))


def _keys(word: Word, given: tuple[Typed, ...]) -> tuple[Constant, ...] | None:
    """Values of a few whole numbers, moved or stretched: MONTH(day) + 12 * YEAR(day)."""
    operation = _EXACT.get(word)
    if operation is None or len(given) != 2:
        return None
    first, second = (_few(each) for each in given)
    if len(first) * len(second) > MOST_KEYS:
        return None
    return tuple(dict.fromkeys(operation(a, b) for a in first for b in second)) or None


def _few(value: Typed) -> Sequence[int]:
    """The values of a whole number of which there are few; empty where there are many."""
    if value.type.keys is not None:
        return [key for key in value.type.keys if isinstance(key, int)]
    low, high = value.range.low, value.range.high
    if low is None or high is None or high - low >= MOST_KEYS:
        return ()
    return range(math.ceil(low), math.floor(high) + 1)


def _folded(word: Word, given: tuple[Typed, ...], place: Refuses) -> Typed | None:
    """Constants are computed at once, exactly; what has no exact result is left to the engine."""
    numbers = [each.number for each in given]
    known = [number for number in numbers if number is not None]
    if len(known) != len(numbers):
        return None
    a, b = known[0], known[-1]
    value: Fraction
    match word:
        case Word.ADD:
            value = a + b
        case Word.SUBTRACT:
            value = a - b
        case Word.MULTIPLY:
            value = a * b
        case Word.NEGATE:
            value = -a
        case Word.DIVIDE if b != 0:
            value = a / b
        case _:
            return None
    whole = word is not Word.DIVIDE and all(each.kind is Kind.INTEGER for each in given)
    return literal(settled(value, Kind.INTEGER if whole else Kind.REAL, place))

"""HISTOGRAM(x, bins): a count in each of equal parts of the range, which is a key with known values."""

from __future__ import annotations

from fractions import Fraction

from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.query.plan import Key
from lapwing.query.refusals import Refuses
from lapwing.query.rules.total import bounded
from lapwing.query.typed import MOST_KEYS, Typed
from lapwing.query.types import ColumnType


def histogram(name: str, argument: Typed, bins: int, place: Refuses) -> tuple[Key, Expression, Expression]:
    """The key (the number of the bucket) and the edges of a bucket as expressions over it.

    Values outside the range are in the first or last bucket; which one depends on the row alone.
    """
    if not 1 <= bins <= MOST_KEYS:
        raise place.invalid("Q124", f"a histogram has 1 to {MOST_KEYS} buckets", "Write HISTOGRAM(x, 20)")
    value = bounded(argument, "histogram", place)
    low, high = value.range.low, value.range.high
    assert low is not None  # noqa: S101  # seen by bounded
    assert high is not None  # noqa: S101  # as above
    width = (high - low) / bins if high > low else Fraction(1)
    inside = Call(Word.CLIP, (value.expression, _real(low), _real(high)))
    position = Call(Word.DIVIDE, (Call(Word.SUBTRACT, (inside, _real(low))), _real(width)))
    bucket = Call(Word.CLIP, (Call(Word.FLOOR, (position,)), _whole(0), _whole(bins - 1)))  # the last holds its end
    known = ColumnType(Kind.INTEGER, value.type.nullable, Fraction(0), Fraction(bins - 1))
    key = Key(name, Call(Word.TO_INTEGER, (bucket,)), known, tuple(range(bins)))
    return key, _edge(name, low, width, 0), _edge(name, low, width, 1)


def _edge(name: str, low: Fraction, width: Fraction, ahead: int) -> Expression:
    start = Call(Word.MULTIPLY, (Column(name), _real(width)))
    return Call(Word.ADD, (start, _real(low + ahead * width)))


def _real(value: Fraction) -> Literal:
    return Literal(value, Kind.REAL)


def _whole(value: int) -> Literal:
    return Literal(value, Kind.INTEGER)

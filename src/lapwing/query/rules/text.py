"""LOWER, UPPER and LENGTH."""

from __future__ import annotations

from fractions import Fraction

from lapwing.query import typed
from lapwing.query.expressions import Constant, Kind, Word
from lapwing.query.refusals import Refuses
from lapwing.query.typed import Typed, call
from lapwing.query.types import ColumnType


def text(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """Text in one case, or how long it is."""
    subject = typed.text(arguments[0], place)
    if word is Word.LENGTH:
        return call(word, (subject,), ColumnType(Kind.INTEGER, subject.type.nullable, low=Fraction(0)))
    return call(word, (subject,), ColumnType(Kind.TEXT, subject.type.nullable, keys=_keys(word, subject.type.keys)))


def _keys(word: Word, keys: tuple[Constant, ...] | None) -> tuple[Constant, ...] | None:
    # outside ASCII engines and Python do not agree on every letter
    if keys is None or not all(isinstance(key, str) and key.isascii() for key in keys):
        return None
    return tuple(dict.fromkeys(str(key).lower() if word is Word.LOWER else str(key).upper() for key in keys))

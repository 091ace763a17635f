"""LOWER, UPPER, LENGTH, TRIM, SUBSTRING, SPLIT_PART, REPLACE, RIGHT and ||."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapwing.query import typed
from lapwing.query.expressions import LONGEST, Constant, Kind, Word
from lapwing.query.refusals import Refuses
from lapwing.query.typed import MOST_KEYS, Typed, call
from lapwing.query.types import ColumnType


def text(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """Text in one case, or how long it is."""
    subject = typed.text(arguments[0], place)
    if word is Word.CONCAT:
        other = typed.text(arguments[1], place)
        nullable = subject.type.nullable or other.type.nullable
        return call(word, (subject, other), ColumnType(Kind.TEXT, nullable, keys=_pairs(subject.type, other.type)))
    if word is Word.TRIM:
        return call(word, (subject,), ColumnType(Kind.TEXT, subject.type.nullable))
    if word is Word.SUBSTRING:
        return _substring(subject, arguments[1:], place)
    if word in (Word.SPLIT, Word.REPLACE, Word.ENDING):
        return _changed(word, subject, arguments[1:], place)
    if word is Word.LENGTH:
        return call(word, (subject,), ColumnType(Kind.INTEGER, subject.type.nullable, low=Fraction(0)))
    return call(word, (subject,), ColumnType(Kind.TEXT, subject.type.nullable, keys=_keys(word, subject.type.keys)))


def _substring(subject: Typed, ends: tuple[Typed, ...], place: Refuses) -> Typed:
    """Some letters, from a constant first one; of known keys the same letters are known."""
    numbers = [each.number for each in ends]
    if not numbers or any(n is None or n.denominator != 1 or not 0 <= n <= 10_000 for n in numbers) or numbers[0] == 0:
        raise place.invalid(
            "Q122", "SUBSTRING takes constants: the first letter, from 1, and how many", "Write SUBSTRING(x, 1, 3)"
        )
    first, *length = (int(n) for n in numbers if n is not None)
    keys = None
    if subject.type.keys is not None and all(isinstance(key, str) and key.isascii() for key in subject.type.keys):
        last = None if not length else first - 1 + length[0]
        keys = tuple(dict.fromkeys(str(key)[first - 1 : last] for key in subject.type.keys))
    return call(Word.SUBSTRING, (subject, *ends), ColumnType(Kind.TEXT, subject.type.nullable, keys=keys))


def _changed(word: Word, subject: Typed, given: tuple[Typed, ...], place: Refuses) -> Typed:
    """A part of a text, its last letters, or the text with another text in it: what is looked for is written out."""
    words = [each.constant for each in given if isinstance(each.constant, str)]
    numbers = [int(n) for each in given if (n := each.number) is not None and n.denominator == 1 and 1 <= n <= 10_000]
    wanted, written = {
        Word.SPLIT: ((1, 1), "SPLIT_PART(x, '.', 1)"),
        Word.REPLACE: ((2, 0), "REPLACE(x, 'a', 'b')"),
        Word.ENDING: ((0, 1), "RIGHT(x, 3)"),
    }[word]
    if (len(words), len(numbers)) != wanted or len(given) != sum(wanted) or "" in words[:1]:
        raise place.invalid(
            "Q122", "this takes constants: a text that is not empty, or a number from 1", f"Write {written}"
        )
    keys = None
    if subject.type.keys is not None and all(isinstance(key, str) and key.isascii() for key in subject.type.keys):
        made = (changed(word, str(key), [*words, *numbers]) for key in subject.type.keys)
        keys = tuple(dict.fromkeys(text for text in made if text is not None))
    return call(word, (subject, *given), ColumnType(Kind.TEXT, subject.type.nullable, keys=keys))


def joined(first: str, second: str) -> str | None:
    """Two texts as one, as engines make it; None where that is too long."""
    return first + second if len(first) + len(second) <= LONGEST else None


def changed(word: Word, text: str, given: Sequence[str | int]) -> str | None:
    """What engines make of a text; None where it becomes too long."""
    match word, given:
        case Word.SPLIT, (str(apart), int(place)):
            parts = text.split(apart)
            return parts[place - 1] if place <= len(parts) else ""
        case Word.REPLACE, (str(old), str(new)):
            grown = len(text) + text.count(old) * (len(new) - len(old))
            return text.replace(old, new) if grown <= LONGEST or len(new) <= len(old) else None
        case _, (int(many),):
            return text[-many:]
    raise AssertionError(word)  # pragma: no cover  # the rule above has seen the arguments


def _pairs(first: ColumnType, second: ColumnType) -> tuple[Constant, ...] | None:
    """Every key before every other, where they are few."""
    if not first.keys or not second.keys or len(first.keys) * len(second.keys) > MOST_KEYS:
        return None
    made = (joined(str(a), str(b)) for a in first.keys for b in second.keys if None not in (a, b))
    return tuple(dict.fromkeys(text for text in made if text is not None))


def _keys(word: Word, keys: tuple[Constant, ...] | None) -> tuple[Constant, ...] | None:
    # outside ASCII engines and Python do not agree on every letter
    if keys is None or not all(isinstance(key, str) and key.isascii() for key in keys):
        return None
    return tuple(dict.fromkeys(str(key).lower() if word is Word.LOWER else str(key).upper() for key in keys))

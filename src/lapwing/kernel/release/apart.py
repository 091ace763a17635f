"""Do two expressions ever have a value in the same row? Decided from the conditions they stand under; a doubt is a no.

The one idea: where ``CASE WHEN c THEN x END`` has a value, c is true: not false, and not NULL. Such facts about a row
are collected for both expressions, and when two of them cannot both hold, no row has both values. Facts are about the
same expressions, computed from the same row, so they have the same values in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from lapwing.kernel.evidence.expressions import Call, Constant, Expression, Kind, Literal, Word
from lapwing.kernel.evidence.plan import Function, Measurement


class Is(Enum):
    """What is known of an expression in a row."""

    TRUE = "true"
    FALSE = "false"
    NOT_TRUE = "false or NULL"
    NULL = "NULL"
    KNOWN = "not NULL"


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of an expression wherever a value is."""

    known: Is
    of: Expression


_COMPARED = {
    Word.EQUAL: Word.NOT_EQUAL,
    Word.NOT_EQUAL: Word.EQUAL,
    Word.LESS: Word.AT_LEAST,
    Word.AT_LEAST: Word.LESS,
    Word.GREATER: Word.AT_MOST,
    Word.AT_MOST: Word.GREATER,
}
_MIRRORED = {
    Word.LESS: Word.GREATER,
    Word.GREATER: Word.LESS,
    Word.AT_LEAST: Word.AT_MOST,
    Word.AT_MOST: Word.AT_LEAST,
}
#: Words without a value where an argument has none.
_STRICT = {
    *(Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE, Word.MODULO, Word.NEGATE, Word.ABS, Word.FLOOR, Word.CEIL),
    *(Word.ROUND, Word.SQRT, Word.CLIP, Word.NOT, Word.LIKE, Word.LOWER, Word.UPPER, Word.LENGTH, *_COMPARED),
    *(Word.YEAR, Word.MONTH, Word.DAY, Word.TO_INTEGER, Word.TO_REAL),
}
_CONTRARY = {
    frozenset({Is.TRUE, Is.FALSE}),
    frozenset({Is.TRUE, Is.NOT_TRUE}),
    frozenset({Is.TRUE, Is.NULL}),
    frozenset({Is.FALSE, Is.NULL}),
    frozenset({Is.KNOWN, Is.NULL}),
}
#: Longer lists of constants are not compared one with another.
_LONGEST = 1_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: Whole numbers of this size and all floats near them compare as the real numbers do.
_EXACT = 2**52


def apart(one: Measurement, other: Measurement) -> bool:
    """Whether every row adds to one of the two measurements at most."""
    if one.argument is None or other.argument is None:
        return False
    return not _together([*_adds(one, one.argument), *_adds(other, other.argument)])


# --- what holds where there is a value -------------------------------------------------------------------


def _adds(measurement: Measurement, argument: Expression) -> Iterator[Said]:
    """What holds where a row adds something: its argument has a value, and in a sum around 0 not a written 0."""
    low, high = measurement.low, measurement.high
    plain = measurement.function is Function.TOTAL and measurement.centre == 0
    return _known(argument, zero=plain and low is not None and high is not None and low <= 0 <= high)


def _known(expression: Expression, *, zero: bool = False) -> Iterator[Said]:
    """What holds where the expression is not NULL; with ``zero``, where it is not a 0 that is written down either."""
    yield Said(Is.KNOWN, expression)
    match expression:
        case Call(Word.CASE, arguments):
            yield from _case(arguments, zero=zero)
        case Call(Word.CLIP, (inner, Literal(int() | Fraction() as low), Literal(int() | Fraction() as high))) if zero:
            yield from _known(inner, zero=low <= 0 <= high)  # where it is, a 0 stays one
        case Call(Word.IN, (inner, *_)):
            yield from _known(inner)
        case Call(word, arguments) if word in _STRICT:
            for each in arguments:
                yield from _known(each)


def _case(arguments: tuple[Expression, ...], *, zero: bool) -> Iterator[Said]:
    """Of a CASE with one branch that can have a value: its condition is true, and none before it is."""
    conditions, values = arguments[:-1:2], [*arguments[1:-1:2], arguments[-1]]
    counting = [at for at, value in enumerate(values) if not _nothing(value, zero=zero)]
    if len(counting) != 1:
        return
    at = counting[0]
    yield from (Said(Is.NOT_TRUE, each) for each in conditions[:at])
    if at < len(conditions):
        yield from _true(conditions[at])
    yield from _known(values[at], zero=zero)


def _nothing(value: Expression, *, zero: bool) -> bool:
    if not isinstance(value, Literal):
        return False
    number = isinstance(value.value, int | Fraction) and not isinstance(value.value, bool)
    return value.value is None or (zero and number and value.value == 0)


def _true(condition: Expression) -> Iterator[Said]:
    yield Said(Is.TRUE, condition)
    match condition:
        case Call(Word.AND, arguments):
            for each in arguments:
                yield from _true(each)
        case Call(Word.NOT, (inner,)):
            yield from _false(inner)
        case Call(Word.IS_NULL, (inner,)):
            yield Said(Is.NULL, inner)
        case Call(Word.EQUAL, (inner, Literal(bool() as value))):
            yield from _true(inner) if value else _false(inner)
        case _:
            yield from _known(condition)


def _false(condition: Expression) -> Iterator[Said]:
    yield Said(Is.FALSE, condition)
    match condition:
        case Call(Word.OR, arguments):
            for each in arguments:
                yield from _false(each)
        case Call(Word.NOT, (inner,)):
            yield from _true(inner)
        case Call(Word.IS_NULL, (inner,)):
            yield from _known(inner)
        case Call(Word.EQUAL, (inner, Literal(bool() as value))):
            yield from _false(inner) if value else _true(inner)
        case Call(word, arguments) if word in _COMPARED:
            yield Said(Is.TRUE, Call(_COMPARED[word], arguments))
            yield from _known(condition)
        case _:
            yield from _known(condition)


# --- what cannot hold together ---------------------------------------------------------------------------


def _together(facts: list[Said]) -> bool:
    """Whether all facts could hold in one row, as far as is seen here."""
    known: dict[Expression, set[Is]] = {}
    for fact in facts:
        known.setdefault(fact.of, set()).add(fact.known)
    if any(pair <= each for each in known.values() for pair in _CONTRARY):
        return False
    compared: dict[Expression, list[tuple[Word, tuple[Literal, ...]]]] = {}
    for fact in facts:
        for subject, word, constants in _comparison(fact):
            compared.setdefault(subject, []).append((word, constants))
    return all(_possible(each) for each in compared.values())


def _comparison(fact: Said) -> Iterator[tuple[Expression, Word, tuple[Literal, ...]]]:
    """What a fact says of an expression and constants: that it is among them, or how it compares with one."""
    match fact:
        case Said(Is.TRUE, Call(Word.IN, (subject, *members))) if all(isinstance(each, Literal) for each in members):
            yield subject, Word.IN, tuple(each for each in members if isinstance(each, Literal))
        case Said(Is.TRUE, Call(word, (subject, Literal() as constant))) if word in _COMPARED:
            yield subject, Word.IN if word is Word.EQUAL else word, (constant,)
        case Said(Is.TRUE, Call(word, (Literal() as constant, subject))) if word in _COMPARED:
            turned = _MIRRORED.get(word, word)
            yield subject, Word.IN if turned is Word.EQUAL else turned, (constant,)


def _possible(compared: list[tuple[Word, tuple[Literal, ...]]]) -> bool:
    """Whether one value could compare so with all of these constants."""
    listed = [constants for word, constants in compared if word is Word.IN]
    ordered = [(word, constants[0]) for word, constants in compared if word is not Word.IN]
    if sum(map(len, listed)) + len(ordered) > _LONGEST:
        return True
    for members in listed:  # some member must agree with everything else
        others = [each for each in listed if each is not members]
        if not any(
            all(any(_equal(member, each) for each in other) for other in others)
            and all(_agrees(member, word, constant) for word, constant in ordered)
            for member in members
        ):
            return False
    below = [(word, constant) for word, constant in ordered if word in (Word.LESS, Word.AT_MOST)]
    above = [(word, constant) for word, constant in ordered if word in (Word.GREATER, Word.AT_LEAST)]
    return not any(
        _less(top, bottom) or (_same(top, bottom) and (upper is Word.LESS or lower is Word.GREATER))
        for upper, top in below
        for lower, bottom in above
    )


def _agrees(member: Literal, word: Word, constant: Literal) -> bool:
    """Whether a value equal to ``member`` could compare so with ``constant``."""
    match word:
        case Word.NOT_EQUAL:
            return not _same(member, constant)
        case Word.LESS:
            return not (_same(member, constant) or _less(constant, member))
        case Word.AT_MOST:
            return not _less(constant, member)
        case Word.GREATER:
            return not (_same(member, constant) or _less(member, constant))
        case _:
            return not _less(member, constant)


def _equal(one: Literal, other: Literal) -> bool:
    """Whether two constants could both be what a value equals; texts are compared letter by letter everywhere."""
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return first == second
    if _day(one) is not None and _day(other) is not None:
        return _day(one) == _day(other)
    alike = one.kind is other.kind and one.kind in (Kind.TEXT, Kind.BOOLEAN)
    return one.value == other.value if alike else True


def _same(one: Literal, other: Literal) -> bool:
    """Whether two constants surely are one value."""
    first, second = _number(one), _number(other)
    return one == other or (first is not None and first == second)


def _less(one: Literal, other: Literal) -> bool:
    """Whether the first constant surely is below the second. Of texts nothing is said: their order is an engine's."""
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return first < second
    day, later = _day(one), _day(other)
    return day is not None and later is not None and day < later


def _day(constant: Literal) -> str | None:
    """A day as YYYY-MM-DD, which sorts as days do; None for anything else, and for days written otherwise."""
    value = constant.value
    plain = constant.kind is Kind.DATE and isinstance(value, str) and _DAY.fullmatch(value)
    return value if plain and isinstance(value, str) else None


def _number(constant: Literal) -> float | None:
    """A number as engines compare it: the nearest float. Two constants may be one float, and then are one value."""
    value: Constant = constant.value
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    return float(value) if -_EXACT < value < _EXACT else None

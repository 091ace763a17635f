"""Comparisons, AND, OR, NOT, IS NULL, IN and LIKE: conditions, which are true, false or NULL."""

from __future__ import annotations

import re

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.parsing import constants
from lapwing.query.refusals import Refuses
from lapwing.query.typed import DAYS, NUMBERS, Typed, call, condition, literal, text
from lapwing.query.types import ColumnType

#: Texts that every database reads as the same number of this kind.
_DIGITS = {Kind.INTEGER: re.compile("[0-9]{1,18}"), Kind.REAL: re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")}


def comparison(word: Word, arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """A condition on one row. Both sides are of one kind: an engine that had to cast could fail on a value."""
    match word:
        case Word.AND | Word.OR | Word.NOT:
            given = tuple(condition(each, place) for each in arguments)
            return call(word, given, _truth(nullable=any(each.type.nullable for each in given)))
        case Word.IS_NULL:
            return call(word, arguments, _truth(nullable=False))
        case Word.LIKE | Word.ILIKE | Word.MATCHES:
            subject = text(arguments[0], place)
            if not isinstance(arguments[1].constant, str):
                raise place.invalid("Q122", "the pattern of LIKE is not a constant", "Write the pattern as 'text'")
            return call(word, (subject, arguments[1]), _truth(nullable=subject.type.nullable))
        case Word.IN:
            return _among(arguments, place)
        case _:
            a, b = _alike(arguments[0], arguments[1], place)
            return call(word, (a, b), _truth(nullable=a.type.nullable or b.type.nullable))


def _among(arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    subject = arguments[0]
    members = []
    for each in arguments[1:]:
        if not isinstance(each.expression, Literal):
            raise place.invalid("Q122", "IN holds something that is not a constant", "List constants: IN ('a', 'b')")
        members.append(_alike(subject, each, place)[1])
    nullable = subject.type.nullable or any(each.is_null for each in members)
    return call(Word.IN, (subject, *members), _truth(nullable=nullable))


def _alike(a: Typed, b: Typed, place: Refuses) -> tuple[Typed, Typed]:
    """The two sides in one kind: text constants beside a date, a number or a truth value are read as such."""
    a, b = _read(a, b.kind, place), _read(b, a.kind, place)
    same = a.kind is b.kind or {a.kind, b.kind} <= set(NUMBERS) or {a.kind, b.kind} <= set(DAYS)
    if not (same or a.is_null or b.is_null):
        raise place.invalid(
            "Q123", f"{a.kind.value} is compared with {b.kind.value}", "CAST one side to the other's kind"
        )
    return a, b


def _read(value: Typed, beside: Kind, place: Refuses) -> Typed:
    written = value.constant
    if value.kind is not Kind.TEXT or not isinstance(written, str):
        return value
    if beside in DAYS:
        return literal((constants.day if beside is Kind.DATE else constants.moment)(written, place))
    if beside is Kind.BOOLEAN and (truth := constants.truth(written)) is not None:
        return literal(Literal(truth, Kind.BOOLEAN))
    digits = _DIGITS.get(beside)
    return literal(constants.number(written, place)) if digits and digits.fullmatch(written) else value


def _truth(*, nullable: bool) -> ColumnType:
    return ColumnType(Kind.BOOLEAN, nullable, keys=(False, True))

"""WHERE: fewer rows of the same people, of which more is known."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from fractions import Fraction

from lapwing.query import ranges
from lapwing.query.expressions import Call, Column, Constant, Expression, Kind, Literal, Word, columns_of
from lapwing.query.plan import Relation, Where
from lapwing.query.ranges import Range
from lapwing.query.typed import NUMBERS, Typed, union
from lapwing.query.types import ColumnType, RelationType

_TURNED = {
    Word.LESS: Word.GREATER,
    Word.AT_MOST: Word.AT_LEAST,
    Word.GREATER: Word.LESS,
    Word.AT_LEAST: Word.AT_MOST,
    Word.EQUAL: Word.EQUAL,
    Word.NOT_EQUAL: Word.NOT_EQUAL,
}
#: Stands for a value; no column has this name.
_ITSELF = ""
#: What holds where a comparison of two values does not.
_DENIED = {
    Word.LESS: Word.AT_LEAST,
    Word.AT_MOST: Word.GREATER,
    Word.GREATER: Word.AT_MOST,
    Word.AT_LEAST: Word.LESS,
    Word.EQUAL: Word.NOT_EQUAL,
    Word.NOT_EQUAL: Word.EQUAL,
}


def where(source: Relation, condition: Typed) -> Where:
    """The rows of which the condition is true.

    Whether a row stays depends on that row alone, so a person has at most the rows they had: stability 1. A
    condition that holds bounds the columns it compares, and they are not NULL.
    """
    columns = dict(source.type.columns)
    for part in _parts(condition.expression):
        _learn(part, columns)
    return Where(source, condition.expression, RelationType(columns, source.type.unit, source.type.rows_per_unit))


def held_to(value: Typed, source: Relation) -> Typed:
    """A value with what the conditions right below say of it: ``WHERE SPLIT_PART(x, '.', 1) IN ('a', 'b')``."""
    if isinstance(value.expression, Column | Literal):
        return value  # columns have learned it
    columns = {_ITSELF: value.type}
    while isinstance(source, Where):
        for part in _parts(source.condition):
            if set(columns_of(stated := _about(part, value.expression))) == {_ITSELF}:
                _learn(stated, columns)
        source = source.source
    return replace(value, type=columns[_ITSELF])


def _about(part: Expression, value: Expression) -> Expression:
    """A condition with a column in the place of a value."""
    if part == value:
        return Column(_ITSELF)
    if isinstance(part, Call):
        return Call(part.word, tuple(_about(each, value) for each in part.arguments))
    return part


def _parts(condition: Expression) -> list[Expression]:
    """The conditions that must all hold."""
    if isinstance(condition, Call) and condition.word is Word.AND:
        return [part for argument in condition.arguments for part in _parts(argument)]
    return [condition]


def _learn(part: Expression, columns: dict[str, ColumnType]) -> None:
    match part:
        case Column(name):
            columns[name] = replace(columns[name], nullable=False, keys=(True,))
        case Call(Word.NOT, (Column(name),)):
            columns[name] = replace(columns[name], nullable=False, keys=(False,))
        case Call(Word.NOT, (Call(Word.IS_NULL, (Column(name),)),)) | Call(Word.LIKE, (Column(name), _)):
            columns[name] = replace(columns[name], nullable=False)
        case Call(Word.NOT, (Call(Word.IN, (Column(name), *members)),)):
            for each in members:
                _learn(Call(Word.NOT_EQUAL, (Column(name), each)), columns)
        case Call(Word.NOT, (Call(word, (_, _) as sides),)) if word in _DENIED:
            _learn(Call(_DENIED[word], sides), columns)
        case Call(Word.OR, branches):
            _learn_either(branches, columns)
        case Call(Word.IN, (Column(name), *members)):
            values = tuple(each.value for each in members if isinstance(each, Literal) and each.value is not None)
            columns[name] = _among(columns[name], values)
        case Call(word, (Column(name), Literal(value))) if word in _TURNED and value is not None:
            columns[name] = _compared(columns[name], word, value)
        case Call(word, (Literal(value), Column(name))) if word in _TURNED and value is not None:
            columns[name] = _compared(columns[name], _TURNED[word], value)
        case Call(word, (Column(first), Column(second))) if word in _TURNED:
            columns[first] = replace(columns[first], nullable=False)
            columns[second] = replace(columns[second], nullable=False)


def _learn_either(branches: tuple[Expression, ...], columns: dict[str, ColumnType]) -> None:
    """One of the branches holds: a column has the keys that one of them leaves it, and is in one of their ranges."""
    found = []
    for branch in branches:
        learned = dict(columns)
        for part in _parts(branch):
            _learn(part, learned)
        found.append(learned)
    for name, known in columns.items():
        kinds = [each[name] for each in found]
        if any(each == known for each in kinds):
            continue
        both = ranges.hull(Range(each.low, each.high) for each in kinds)
        keys = union(each.keys for each in kinds)
        columns[name] = replace(
            known, nullable=any(each.nullable for each in kinds), low=both.low, high=both.high, keys=keys
        )


def _compared(known: ColumnType, word: Word, value: Constant) -> ColumnType:
    if word is Word.EQUAL:
        return _among(known, (value,))
    if word is Word.NOT_EQUAL and known.keys is not None:
        others = tuple(key for key in known.keys if type(key) is not type(value) or key != value)
        return replace(known, nullable=False, keys=others)
    if known.kind is Kind.DATE and isinstance(value, str) and word is not Word.NOT_EQUAL:
        value = datetime.date.fromisoformat(value).toordinal()
    elif known.kind is Kind.TIMESTAMP and isinstance(value, str) and word is not Word.NOT_EQUAL:
        return _at_moment(known, word, datetime.datetime.fromisoformat(value))
    elif known.kind not in NUMBERS or not isinstance(value, int | Fraction) or word is Word.NOT_EQUAL:
        return replace(known, nullable=False)
    end, strict = Fraction(value), word in (Word.LESS, Word.GREATER)
    below = word in (Word.LESS, Word.AT_MOST)
    if known.kind in (Kind.INTEGER, Kind.DATE):  # the nearest whole number inside
        if below:
            end = Fraction(math.ceil(end) - 1 if strict else math.floor(end))
        else:
            end = Fraction(math.floor(end) + 1 if strict else math.ceil(end))
    return _within(known, Range(None, end) if below else Range(end, None))


def _at_moment(known: ColumnType, word: Word, moment: datetime.datetime) -> ColumnType:
    """The ends of a moment are days: that of the constant, or the one before where nothing of it is left."""
    day = moment.date().toordinal()
    if word in (Word.GREATER, Word.AT_LEAST):
        return _within(known, Range(Fraction(day), None))
    before = word is Word.LESS and moment.time() == datetime.time.min
    return _within(known, Range(None, Fraction(day - 1 if before else day)))


def _among(known: ColumnType, values: tuple[Constant, ...]) -> ColumnType:
    kept = tuple(dict.fromkeys(values)) if known.keys is None else tuple(key for key in known.keys if key in values)
    numbers = [Fraction(value) for value in values if isinstance(value, int | Fraction) and known.kind in NUMBERS]
    narrowed = _within(known, Range(min(numbers), max(numbers))) if numbers else replace(known, nullable=False)
    listed = (Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.DATE)
    fits = known.kind in listed and (known.kind is not Kind.INTEGER or all(type(each) is int for each in kept))
    if known.keys is None and not kept:
        return narrowed
    return replace(narrowed, keys=kept if fits else known.keys)


def _within(known: ColumnType, limits: Range) -> ColumnType:
    """In a range beside what was known; of keys those that are in both, where they are numbers."""
    both = ranges.meet(Range(known.low, known.high), limits)
    keys = known.keys
    if keys is not None and known.kind is Kind.INTEGER:
        keys = tuple(key for key in keys if isinstance(key, int) and both.contains(key) and limits.contains(key))
    elif ranges.apart(Range(known.low, known.high), limits):
        keys = ()
    return replace(known, nullable=False, low=both.low, high=both.high, keys=keys)

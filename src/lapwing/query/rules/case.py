"""CASE and COALESCE: the result is one of the branches, so its range and keys are those of all of them together."""

from __future__ import annotations

from lapwing.query import ranges
from lapwing.query.expressions import Call, Kind, Word
from lapwing.query.parsing.constants import NULL
from lapwing.query.refusals import Refuses
from lapwing.query.typed import NUMBERS, Typed, call, condition, literal, union
from lapwing.query.types import ColumnType


def case(arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """CASE(condition, value, ..., otherwise)."""
    conditions = [condition(each, place) for each in arguments[:-1:2]]
    values = [_unless_null(test, value) for test, value in zip(conditions, arguments[1::2], strict=False)]
    values.append(arguments[-1])
    nullable = any(value.type.nullable for value in values)
    given = [part for pair in zip(conditions, values[:-1], strict=True) for part in pair] + [values[-1]]
    return call(Word.CASE, given, _joined(values, place, nullable=nullable))


def coalesce(arguments: tuple[Typed, ...], place: Refuses) -> Typed:
    """The first of them that is not NULL."""
    nullable = all(each.type.nullable for each in arguments)
    return call(Word.COALESCE, arguments, _joined(arguments, place, nullable=nullable))


def _unless_null(test: Typed, value: Typed) -> Typed:
    """CASE WHEN x IS NULL THEN x is CASE WHEN x IS NULL THEN NULL."""
    return literal(NULL) if test.expression == Call(Word.IS_NULL, (value.expression,)) else value


def _joined(values: list[Typed] | tuple[Typed, ...], place: Refuses, *, nullable: bool) -> ColumnType:
    known = [value for value in values if not value.is_null]
    if not known:
        raise place.invalid("Q120", "every branch is NULL", "Give at least one a value")
    kinds = {value.kind for value in known}
    if len(kinds) > 1 and not kinds <= set(NUMBERS):
        names = " and ".join(sorted(kind.value for kind in kinds))
        raise place.invalid("Q123", f"the branches are of different kinds, {names}", "CAST them to one kind")
    kind = kinds.pop() if len(kinds) == 1 else Kind.REAL
    whole = ranges.hull(value.range for value in known)
    keys = union(value.type.keys for value in known) if kind is not Kind.REAL else None
    return ColumnType(kind, nullable, whole.low, whole.high, keys)

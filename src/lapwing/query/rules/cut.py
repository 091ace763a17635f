"""What limits and ranges cut from the answers of a query, as two further questions about the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from lapwing.query.described import described, number
from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word, columns_of
from lapwing.query.names import fresh
from lapwing.query.plan import (
    Aggregate,
    Answer,
    Bounding,
    Function,
    Measurement,
    PerUnit,
    Query,
    Relation,
    Statistic,
    UnitColumn,
    UnitFunction,
    Where,
)
from lapwing.query.types import ColumnType, RelationType

#: Of the rows above a person's limit so many times the limit are counted at most: one person may have a million.
COUNTED = 3
_ONE, _NOTHING = Literal(1, Kind.INTEGER), Literal(None, None)
_PEOPLE = Function.UNITS
_RANGED = (Function.TOTAL, Function.SQUARES, Function.QUANTILE)


def limited(query: Query) -> Query | None:
    """How many people are above the limit, and the part of the rows that does not count; None where nothing limits.

    One row for each person: one more person moves the people by 1, the rows that count by the limit, and those that do
    not by three times the limit, because no more of them are counted.
    """
    found = [each for each in _measured(query) if each.bounding is not Bounding.NONE and each.function is not _PEOPLE]
    unit = query.aggregate.source.type.unit
    if not found or unit is None:
        return None
    limit, rows = found[0].rows_per_unit, _in_groups(query.aggregate)
    many = fresh("many", rows.type.columns)
    types = {unit: rows.type.columns[unit], many: ColumnType(Kind.INTEGER, nullable=False, low=Fraction(0))}
    people = PerUnit(rows, (), (UnitColumn(many, UnitFunction.COUNT, None),), RelationType(types, unit, 1))
    n = Column(many)
    over = Call(Word.SUBTRACT, (n, _whole(limit)))
    above = Measurement("above", Function.ROWS, _when(_than(Word.GREATER, n, limit)), Bounding.NONE, 1, 1)
    sums = [
        Measurement(name, Function.TOTAL, Call(Word.CLIP, (what, _whole(0), _whole(most))), Bounding.NONE, 1, 1)
        for name, what, most in (("kept", n, limit), ("dropped", over, COUNTED * limit))
    ]
    kept, dropped = (
        replace(each, low=Fraction(0), high=Fraction(most))
        for each, most in zip(sums, (limit, COUNTED * limit), strict=True)
    )
    names = ("above", "kept", "dropped")
    answers = tuple(Answer(name, Statistic.COUNT if name == "above" else Statistic.SUM, (name,)) for name in names)
    part = Call(Word.DIVIDE, (Column("dropped"), Call(Word.ADD, (Column("kept"), Column("dropped")))))
    outputs = (("above", Column("above")), ("part", part))
    aggregate = Aggregate(people, (), (above, kept, dropped), None)
    return _question(query, aggregate, answers, outputs, (str(limit),))


def clipped(query: Query) -> Query | None:
    """The part of the values below and above each range, among rows that count; None where no range is known."""
    rows = _in_groups(query.aggregate)
    measurements: list[Measurement] = []
    outputs: list[tuple[str, Expression]] = []
    notes: list[str] = []
    for at, (like, value, low, high) in enumerate(_ranges(query)):
        below, above = _than(Word.LESS, value, low), _than(Word.GREATER, value, high)
        inside = Call(Word.AND, (_than(Word.AT_LEAST, value, low), _than(Word.AT_MOST, value, high)))
        for where, condition in (("below", below), ("inside", inside), ("above", above)):
            plain = Measurement(f"{where}_{at}", Function.ROWS, _when(condition), like.bounding, like.rows_per_unit, 1)
            measurements.append(replace(plain, weight_steps=like.weight_steps))
        all_values = Call(
            Word.ADD, (Column(f"inside_{at}"), Call(Word.ADD, (Column(f"below_{at}"), Column(f"above_{at}"))))
        )
        outputs += [
            (f"{where}_{at}", Call(Word.DIVIDE, (Column(f"{where}_{at}"), all_values))) for where in ("below", "above")
        ]
        notes += [described(value), number(low), number(high)]
    if not measurements:
        return None
    answers = tuple(Answer(each.name, Statistic.COUNT, (each.name,)) for each in measurements)
    aggregate = Aggregate(rows, (), tuple(measurements), None)
    return _question(query, aggregate, answers, tuple(outputs), tuple(notes))


def _question(
    query: Query,
    aggregate: Aggregate,
    answers: tuple[Answer, ...],
    outputs: tuple[tuple[str, Expression], ...],
    notes: tuple[str, ...],
) -> Query:
    return Query(query.text, aggregate, answers, outputs, None, (), None, 0, notes)


def _measured(query: Query) -> Sequence[Measurement]:
    return query.aggregate.measurements


def _ranges(query: Query) -> Iterator[tuple[Measurement, Expression, Fraction, Fraction]]:
    """What is clipped: a measurement, the value before, and the ends. Each value once."""
    seen = set()
    for each in _measured(query):
        if each.function not in _RANGED or each.argument is None or each.argument in seen:
            continue
        seen.add(each.argument)
        found = _ends(each.argument, query.aggregate.source)
        if found is not None and next(columns_of(found[0]), None) is not None:
            yield each, *found


def _ends(argument: Expression, source: Relation) -> tuple[Expression, Fraction, Fraction] | None:
    match argument:
        case Call(Word.CLIP, (inner, Literal(int() | Fraction() as low), Literal(int() | Fraction() as high))):
            return inner, Fraction(low), Fraction(high)
        case Column(name):
            known = source.type.columns.get(name)
            if known is not None and known.low is not None and known.high is not None:
                return argument, known.low, known.high
    return None


def _in_groups(aggregate: Aggregate) -> Relation:
    """The rows of the listed groups: others count towards no limit."""
    conditions = []
    for key in aggregate.keys:
        if key.values is None:
            continue
        known = tuple(Literal(value, key.type.kind) for value in key.values if value is not None)
        listed: Expression = Call(Word.IN, (key.expression, *known))
        if None in key.values:
            listed = Call(Word.OR, (Call(Word.IS_NULL, (key.expression,)), listed))
        conditions.append(listed)
    source = aggregate.source
    for condition in conditions:
        source = Where(source, condition, source.type)
    return source


def _when(condition: Expression) -> Expression:
    return Call(Word.CASE, (condition, _ONE, _NOTHING))


def _than(word: Word, value: Expression, end: int | Fraction) -> Expression:
    whole = Fraction(end).denominator == 1
    return Call(word, (value, Literal(int(end), Kind.INTEGER) if whole else Literal(Fraction(end), Kind.REAL)))


def _whole(value: int) -> Literal:
    return Literal(value, Kind.INTEGER)

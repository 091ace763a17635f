"""GROUP BY the person in a sub-query: what each person's rows come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.query.expressions import Column, Kind, Literal, Word
from lapwing.query.measurement_steps import power_of_two_step
from lapwing.query.names import fresh
from lapwing.query.plan import PerUnit, Relation, UnitColumn, UnitFunction
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.typed import Typed, literal, numeric
from lapwing.query.types import ColumnType, RelationType

#: Whole numbers are summed as they are up to this size, which is exact also where an engine computes them as reals.
_LARGEST_WHOLE = Fraction(2**53)
#: Real numbers are summed in whole steps, this many in the largest value.
_STEPS = 2**30


@dataclass(slots=True)
class PerUnitColumns:
    """Collects the aggregates that a sub-query wants of each person; equal ones are computed once."""

    source: Relation
    taken: set[str]
    columns: list[UnitColumn] = field(default_factory=list)
    types: dict[str, ColumnType] = field(default_factory=dict)

    def count(self, argument: Typed | None) -> Typed:
        """How many rows, or how many with a value."""
        most = self.source.type.rows_per_unit
        counted = argument if argument is not None and argument.type.nullable else None
        low = Fraction(1 if counted is None else 0)  # a person who is there has a row
        whole = ColumnType(Kind.INTEGER, nullable=False, low=low, high=None if most is None else Fraction(most))
        return self._column(UnitFunction.COUNT, counted, whole)

    def different(self, argument: Typed) -> Typed:
        """How many different values, NULLs aside."""
        most = self.source.type.rows_per_unit
        high = None if most is None else Fraction(most)
        return self._column(UnitFunction.DIFFERENT, argument, ColumnType(Kind.INTEGER, False, Fraction(0), high))

    def total(self, argument: Typed, place: Refuses) -> Typed:
        """A sum, exact whatever the order of the rows: of whole numbers, or of reals put on a lattice."""
        value = numeric(argument, place)
        low, high = value.range.low, value.range.high
        step = Fraction(1)
        if value.kind is Kind.INTEGER:
            low = -_LARGEST_WHOLE if low is None else max(low, -_LARGEST_WHOLE)
            high = _LARGEST_WHOLE if high is None else min(high, _LARGEST_WHOLE)
        elif low is None or high is None:
            raise place.unbounded(
                "Q132",
                "a sum of real numbers for each person depends on the order of rows unless a range bounds them",
                "Write SUM(CLIP(x, low, high))",
            )
        else:
            step = power_of_two_step(max(abs(low), abs(high)), _STEPS)
            low, high = low // step * step, high // step * step
        most = self.source.type.rows_per_unit
        reach = Range(
            Fraction(0) if low >= 0 else None if most is None else most * low,
            Fraction(0) if high <= 0 else None if most is None else most * high,
        )
        # NULL when every value is; a sum of nothing has no value in SQL
        whole = ColumnType(value.kind, value.type.nullable, reach.low, reach.high)
        return self._column(UnitFunction.SUM, value, whole, low, high, step)

    def mean(self, argument: Typed, place: Refuses) -> Typed:
        """The sum over the count."""
        return arithmetic(Word.DIVIDE, (self.total(argument, place), self.count(argument)), place)

    def extreme(self, function: UnitFunction, argument: Typed, place: Refuses) -> Typed:
        """The least or greatest value; it is one of the values, so it has their range and keys."""
        if argument.is_null:
            raise place.invalid("Q120", "there is nothing but NULL here", "Name a column")
        return self._column(function, argument, argument.type)

    def median(self, argument: Typed, place: Refuses) -> Typed:
        """The middle value; of an even number of values half of the lower one and half of the upper one."""
        value = numeric(argument, place)
        middle = (
            self._column(function, value, value.type)
            for function in (UnitFunction.LOWER_MEDIAN, UnitFunction.UPPER_MEDIAN)
        )
        two = literal(Literal(2, Kind.INTEGER))
        lower, upper = (arithmetic(Word.DIVIDE, (each, two), place) for each in middle)
        return arithmetic(Word.ADD, (lower, upper), place)

    def _column(
        self,
        function: UnitFunction,
        argument: Typed | None,
        known: ColumnType,
        low: Fraction | None = None,
        high: Fraction | None = None,
        step: Fraction = Fraction(1),
    ) -> Typed:
        expression = None if argument is None else argument.expression
        for each in self.columns:
            if (each.function, each.argument) == (function, expression):
                return Typed(Column(each.name), self.types[each.name])
        name = fresh(f"{function.value}_{len(self.columns) + 1}", self.taken)
        self.taken.add(name)
        self.columns.append(UnitColumn(name, function, expression, low, high, step))
        self.types[name] = known
        return Typed(Column(name), known)


def per_unit(source: Relation, keys: tuple[str, ...], wanted: PerUnitColumns) -> PerUnit:
    """One row for each person (and each of their values of the keys).

    A row of the result is computed from one person's rows alone, and grouped by the person alone there is one of them:
    rows_per_unit is 1. With further keys nothing bounds how many values a person has.
    """
    unit = source.type.unit
    assert unit is not None  # noqa: S101  # the caller saw the unit among the keys
    types = {unit: source.type.columns[unit]}
    types |= {key: source.type.columns[key] for key in keys}
    types |= wanted.types
    return PerUnit(source, keys, tuple(wanted.columns), RelationType(types, unit, None if keys else 1))

"""An expression together with what is known of its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.query.expressions import Call, Constant, Expression, Kind, Literal, Word
from lapwing.query.ranges import Range
from lapwing.query.refusals import Refuses
from lapwing.query.types import ColumnType

NUMBERS = (Kind.INTEGER, Kind.REAL)
DAYS = (Kind.DATE, Kind.TIMESTAMP)
#: Longer lists of values are not carried along.
MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression and the type a rule gave it."""

    expression: Expression
    type: ColumnType

    @property
    def kind(self) -> Kind:
        """What it holds."""
        return self.type.kind

    @property
    def is_null(self) -> bool:
        """Whether it is the constant NULL, which is of every kind."""
        return isinstance(self.expression, Literal) and self.expression.value is None

    @property
    def constant(self) -> Constant:
        """The value of a constant; None for everything else."""
        return self.expression.value if isinstance(self.expression, Literal) else None

    @property
    def number(self) -> Fraction | None:
        """The value of a constant number; None for everything else."""
        value = self.constant
        return Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None

    @property
    def range(self) -> Range:
        """The range of a number; where none is said, from its least listed value to its greatest."""
        listed = [Fraction(key) for key in self.type.keys or () if isinstance(key, int | Fraction)]
        if listed and self.type.low is self.type.high is None and self.kind in NUMBERS:
            return Range(min(listed), max(listed))
        return Range(self.type.low, self.type.high)


def literal(constant: Literal) -> Typed:
    """A constant is known completely."""
    value = constant.value
    if constant.kind is None or value is None:
        return Typed(constant, ColumnType(Kind.TEXT, nullable=True, keys=()))
    end = Fraction(value) if constant.kind in NUMBERS and isinstance(value, int | Fraction) else None
    return Typed(constant, ColumnType(constant.kind, nullable=False, low=end, high=end, keys=(value,)))


def call(word: Word, arguments: Iterable[Typed], type: ColumnType) -> Typed:  # noqa: A002  # the field's own name
    """A word applied to arguments, of this type."""
    return Typed(Call(word, tuple(each.expression for each in arguments)), type)


def numeric(argument: Typed, place: Refuses) -> Typed:
    """The argument as a number: a truth value counts as 0 or 1; text and dates are refused."""
    if argument.kind is Kind.BOOLEAN:
        return call(
            Word.TO_INTEGER,
            (argument,),
            ColumnType(Kind.INTEGER, argument.type.nullable, Fraction(0), Fraction(1), keys=(0, 1)),
        )
    if argument.is_null or argument.kind not in NUMBERS:
        what = "NULL" if argument.is_null else argument.kind.value
        days = "Ask for DATE_DIFF('day', DATE '2000-01-01', x), or group by DATE_TRUNC('month', x)"
        remedy = days if argument.kind in DAYS else "Give a number, or CAST it to one"
        raise place.invalid("Q120", f"a number is needed here, and this is {what}", remedy)
    return argument


def condition(argument: Typed, place: Refuses) -> Typed:
    """The argument as a condition; anything but a truth value (or NULL) is refused."""
    if argument.is_null:
        return replace(argument, type=ColumnType(Kind.BOOLEAN, nullable=True, keys=()))
    if argument.kind is not Kind.BOOLEAN:
        raise place.invalid(
            "Q121", f"a condition is needed here, and this is {argument.kind.value}", "Compare it with something"
        )
    return argument


def text(argument: Typed, place: Refuses) -> Typed:
    """The argument as text; anything else is refused."""
    if argument.kind is not Kind.TEXT or argument.is_null:
        raise place.invalid("Q120", f"text is needed here, and this is {argument.kind.value}", "CAST it AS TEXT")
    return argument


def ranged(kind: Kind, range: Range, *, nullable: bool) -> ColumnType:  # noqa: A002  # the field's own name
    """A number of this range."""
    return ColumnType(kind, nullable, range.low, range.high)


def union(keys: Iterable[tuple[Constant, ...] | None]) -> tuple[Constant, ...] | None:
    """All values of several lists, if all are known and they are not too many."""
    found: dict[tuple[type, Constant], Constant] = {}
    for each in keys:
        if each is None:
            return None
        found.update({(type(value), value): value for value in each})
        if len(found) > MOST_KEYS:
            return None
    return tuple(found.values())

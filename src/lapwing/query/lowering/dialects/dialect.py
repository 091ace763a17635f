"""What a dialect must be able to say, with what all of them say in the same way.

A phrase takes SQL whose kind is known and gives SQL that never fails: where there is no value it is NULL. A phrase that
writes an operand more than once asks ``once`` for something short in its place: see ``naming``.
"""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Constant, Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.sql import LARGEST, SMALLEST, Typed, binary

#: Gives an expression a name, and returns that.
Once = Callable[[exp.Expr], exp.Expr]
NUMBERS = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.REAL})
DAYS = frozenset({Kind.DATE, Kind.TIMESTAMP})

#: What a text must be to be cast, on every engine; anything else is NULL, as are whole numbers beyond 64 bits. Reals
#: are so short that none is out of range, and a time of day is one that every clock has.
WHOLE_TEXT = r"^ *[+-]?[0-9]{1,19} *$"
REAL_TEXT = r"^ *[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})? *$"
DATE_TEXT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIMESTAMP_TEXT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?)?$"
PATTERNS = {
    Kind.INTEGER: WHOLE_TEXT,
    Kind.REAL: REAL_TEXT,
    Kind.DATE: DATE_TEXT,
    Kind.TIMESTAMP: TIMESTAMP_TEXT,
}
#: No number, day or moment has more letters than this.
_WRITTEN = 64
#: Below it there is no year on some engines, and another one on others.
FIRST_YEAR = "0001"


def as_it_is(expression: exp.Expr) -> exp.Expr:
    """For expressions that are short, or stand where nothing can be named: among aggregates."""
    return expression


class Dialect(ABC):
    """The phrases of one engine."""

    #: sqlglot's name for how names, constants and SELECTs are printed
    printer: str
    #: the types that hold a kind, and one in which products and sums of BIGINTs have room
    types: dict[Kind, str]
    wide: str
    #: whether weights are one window over the rows, rather than a second pass over those of people above the limit
    windows: bool
    #: whether a WITH can say that a part is computed once, or is not
    materializes = True

    # --- constants and columns -------------------------------------------------------------------------------

    def literal(self, value: Constant, kind: Kind | None) -> Typed:
        """A constant of a query, typed; a date that is none is NULL."""
        if value is None:
            return Typed(exp.null(), None)
        if isinstance(value, bool):
            return Typed(exp.true() if value else exp.false(), Kind.BOOLEAN)
        if isinstance(value, int) and kind is not Kind.REAL and SMALLEST <= value <= LARGEST:
            return Typed(sql.whole(value), Kind.INTEGER, value, value)
        if isinstance(value, int | Fraction):
            return Typed(sql.real(value), Kind.REAL)
        if "\0" in value:
            raise sql.refused("a text with a zero character has no place in a statement", "Write the text without it")
        if kind is Kind.DATE or kind is Kind.TIMESTAMP:
            known = _is_day(value) if kind is Kind.DATE else _is_time(value)
            return Typed(sql.sure_cast(exp.Literal.string(value) if known else exp.null(), self.types[kind]), kind)
        text = Typed(self.text(value), Kind.TEXT, letters=len(value))
        return text if kind in (None, Kind.TEXT) else self.cast(text, kind)

    def text(self, value: str) -> exp.Expr:
        """A text of a query."""
        return exp.Literal.string(value)

    @abstractmethod
    def read(self, column: exp.Expr, kind: Kind) -> exp.Expr:
        """A stored column as its declared kind; NaN, infinite dates, and what does not fit the kind, are NULL."""

    # --- casts -----------------------------------------------------------------------------------------------

    def cast(self, value: Typed, kind: Kind | None, once: Once = as_it_is) -> Typed:
        """The value as another kind, NULL where there is none. Kinds that are far apart go by way of their text."""
        if kind is None or value.kind is kind:
            return value
        if value.kind is None:
            return Typed(sql.sure_cast(exp.null(), self.types[kind]), kind)
        near = any({value.kind, kind} <= family for family in (NUMBERS, DAYS))
        if not near and Kind.TEXT not in (value.kind, kind):
            return self.cast(self.cast(value, Kind.TEXT, once), kind, once)
        found = self.converted(value.sql, value.kind, kind, once)
        if kind is Kind.TEXT:
            return Typed(found, kind, letters=_WRITTEN)
        return Typed(found, kind, 0, 1) if value.kind is Kind.BOOLEAN and kind is Kind.INTEGER else Typed(found, kind)

    @abstractmethod
    def converted(self, value: exp.Expr, found: Kind, wanted: Kind, once: Once) -> exp.Expr:
        """A value of one kind as another, of the same family or to or from text."""

    @abstractmethod
    def narrowed(self, wide: exp.Expr) -> exp.Expr:
        """A wide whole number as a BIGINT, NULL where it does not fit."""

    def widened(self, value: exp.Expr) -> exp.Expr:
        """A BIGINT as a wide whole number."""
        return sql.sure_cast(value, self.wide)

    def common(self, values: Sequence[Typed], *, text_wins: bool, once: Once = as_it_is) -> list[Typed]:
        """The values as one kind, so that no engine casts on its own (and fails on a text that is no number)."""
        kinds = {value.kind for value in values if value.kind is not None}
        if not text_wins and len(kinds) > 1:
            kinds.discard(Kind.TEXT)
        if len(kinds) <= 1:
            kind = next(iter(kinds), Kind.TEXT)
        elif kinds <= NUMBERS:
            kind = Kind.REAL if Kind.REAL in kinds else Kind.INTEGER
        else:
            kind = Kind.TIMESTAMP if kinds <= DAYS else Kind.TEXT
        return [self.cast(value, kind, once) for value in values]

    def number(self, value: Typed, once: Once = as_it_is) -> Typed:
        """A value that arithmetic can use: INTEGER or REAL."""
        if value.kind in DAYS:
            raise sql.refused("arithmetic on a date", "Use YEAR, MONTH or DAY of it")
        if value.kind in (Kind.INTEGER, Kind.REAL):
            return value
        return self.cast(value, Kind.INTEGER if value.kind is Kind.BOOLEAN else Kind.REAL, once)

    # --- arithmetic ------------------------------------------------------------------------------------------

    @abstractmethod
    def real(self, operator: type[exp.Binary], left: exp.Expr, right: exp.Expr, once: Once) -> exp.Expr:
        """``+ - * / %`` of reals as IEEE 754 has them, NaN included; a divisor is never 0."""

    @abstractmethod
    def divided(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of BIGINTs, towards 0."""

    @abstractmethod
    def divided_wide(self, left: exp.Expr, right: int) -> exp.Expr:
        """The quotient of wide whole numbers, towards 0."""

    def floor(self, value: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """The largest whole number that is not above a real, as a real."""
        return exp.Floor(this=value)

    def ceil(self, value: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """The smallest whole number that is not below a real, as a real."""
        return exp.Ceil(this=value)

    @abstractmethod
    def rounded(self, value: exp.Expr, digits: int, once: Once) -> exp.Expr:
        """A real to so many digits, halves away from 0: the double nearest to floor(|x|·10^d + 1/2)/10^d."""

    @abstractmethod
    def points(self, value: exp.Expr, step: Fraction, low: int, high: int) -> exp.Expr:
        """clip(floor(value/step), low, high) of a real as a BIGINT; infinities are clipped."""

    @abstractmethod
    def scaled(self, total: exp.Expr, step: Fraction) -> exp.Expr:
        """A sum of whole steps as a real."""

    # --- words -----------------------------------------------------------------------------------------------

    @abstractmethod
    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE, where % and _ are the only letters that mean something else."""

    @abstractmethod
    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        """Whether a regular expression of ``parsing.regular`` is found in a text; a dot is also a line break."""

    @abstractmethod
    def letters(self, function: type[exp.Func], text: exp.Expr) -> exp.Expr:
        """LOWER or UPPER."""

    def computed(self, text: exp.Expr) -> exp.Expr:
        """A text that was put together, to be compared like all others."""
        return text

    def trimmed(self, text: exp.Expr) -> exp.Expr:
        """A text without the spaces at its ends; they are named, since engines differ in what else is one."""
        return self.computed(exp.Trim(this=text, expression=exp.Literal.string(" ")))

    @abstractmethod
    def part(self, name: str, day: exp.Expr, once: Once) -> exp.Expr:
        """The year, quarter, month, week, day, dow or hour of a date or timestamp; the year before 1 is 0."""

    @abstractmethod
    def truncated(self, unit: str, day: exp.Expr) -> exp.Expr:
        """The first day, as a DATE, of the unit that a day of the years 1 to 9999 is in."""

    def days(self, first: exp.Expr, second: exp.Expr) -> exp.Expr:
        """Whole days from one DATE to another."""
        return binary(exp.Sub, second, first)

    def interval(self, amount: int, unit: str) -> exp.Expr:
        """So many days or months, to be added to a day of the years 1 to 9999."""
        return exp.Interval(this=exp.Literal.string(str(amount)), unit=exp.var(unit.upper()))

    @abstractmethod
    def cell(self, value: exp.Expr) -> exp.Expr:
        """Any value as a text to be hashed: different for different values of one column."""

    # --- rows ------------------------------------------------------------------------------------------------

    @abstractmethod
    def narrow(self, value: exp.Expr) -> exp.Expr:
        """A whole number of 32 bits, in fewer bytes where that is of use."""

    def summed(self, value: exp.Expr, most: int) -> exp.Expr:  # noqa: ARG002  # there is always room
        """The sum of whole numbers of at most this size over rows; 2^36 of them, and never a sum that overflows."""
        return exp.Sum(this=value)

    def exists(self, rows: exp.Select) -> exp.Expr:
        """Whether there is a row, said beside each of the rows that the SELECT speaks of."""
        return exp.Exists(this=rows)

    @abstractmethod
    def extreme(self, function: type[exp.Min] | type[exp.Max], value: Typed) -> exp.Expr:
        """MIN or MAX over rows."""

    def median(self, value: exp.Expr, *, upper: bool) -> exp.Expr:
        """The middle of the values of rows; of an even number of them the lower one, or the upper one."""
        order = exp.Order(expressions=[exp.Ordered(this=value, desc=upper)])
        return exp.WithinGroup(this=exp.PercentileDisc(this=exp.Literal.number("0.5")), expression=order)

    def only(self, value: Typed) -> exp.Expr:
        """The value of the one row that a group has."""
        return exp.AnyValue(this=value.sql)

    @abstractmethod
    def words(self, text: str, apart: str, kind: Kind) -> exp.Select:
        """The words of a text, split at a letter, as rows of one column of this kind, which all of them are."""

    def apart(self, rows: exp.Select) -> exp.Select:
        """Rows whose columns are computed once, however often they are used."""
        return rows

    def printed(self, tree: exp.Expr) -> str:
        """The text of a statement."""
        return tree.sql(dialect=self.printer)


def stored_name(name: str, kind: Kind) -> str:
    """What an engine's scan calls a column read as a kind; no column of a policy has a space in its name."""
    return f"{name} {kind.value}"


def stored(column: exp.Expr, kind: Kind) -> exp.Expr:
    """A column of a scan that has one for each kind that it can be read as."""
    name = exp.to_identifier(stored_name(column.name, kind), quoted=True)
    return exp.Column(this=name, table=column.args.get("table"))


def settled(value: Typed) -> exp.Expr:
    """The value with one zero: -0.0 equals 0.0, so which of them a group shows would depend on the order of rows."""
    return binary(exp.Add, value.sql, sql.real(0)) if value.kind is Kind.REAL else value.sql


def between(quotient: exp.Expr, inside: exp.Expr, low: int, high: int) -> exp.Expr:
    """``inside`` where a quotient is between two whole numbers; an end where it is beyond."""
    below = binary(exp.LT, quotient, sql.real(_double_from(low)))
    above = binary(exp.GT, quotient, sql.real(_double_to(high)))
    return sql.case(((below, sql.whole(low)), (above, sql.whole(high))), inside)


def _double_from(number: int) -> float:
    """The smallest double that is not below a whole number."""
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def _double_to(number: int) -> float:
    """The largest double that is not above a whole number."""
    nearest = float(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_time(text: str) -> bool:
    try:
        return datetime.datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False

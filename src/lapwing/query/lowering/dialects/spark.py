"""Spark in ANSI mode: sums in 64 bits that fail, a floor that fails, casts that truncate, and escapes in patterns.

The one idea: ANSI mode, in which a value that does not fit is an error and never a wrong number, is the net; the
phrases are such that nothing falls into it. Sums have the room of a DECIMAL wherever 64 bits could be too few.
"""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects.dialect import DAYS, FIRST_YEAR, PATTERNS, Dialect, Once, between, stored
from lapwing.query.lowering.dialects.halves import half_away
from lapwing.query.lowering.sql import LARGEST, SMALLEST, Typed, binary, column, named

_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
#: The first and the last day all of whose moments are timestamps: microseconds since 1970 in 64 bits.
_FIRST_DAY, _LAST_DAY = "-290000-01-01", "+294246-12-31"
#: So many rows can be added: 2^36 summands of at most 2^90 are below 10^38, and of fewer than 2^27 below 2^63.
_ROWS = 2**36


class SparkPhrases(Dialect):
    """The phrases of Spark from 4 on."""

    printer = "spark"
    types = {  # noqa: RUF012  # never written to
        Kind.INTEGER: "BIGINT",
        Kind.REAL: "DOUBLE",
        Kind.TEXT: "TEXT",
        Kind.BOOLEAN: "BOOLEAN",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "TIMESTAMPNTZ",  # without a zone, as on the other engines
    }
    wide = "DECIMAL(38, 0)"
    windows = True
    materializes = False

    def exists(self, rows: exp.Select) -> exp.Expr:  # noqa: ARG002  # there are no words for it
        """Spark knows EXISTS in WHERE alone, and a mark stands beside the row."""
        raise _refused("EXISTS or IN (SELECT ...) beside a row", "Join on the columns that are to be equal")

    def read(self, column: exp.Expr, kind: Kind) -> exp.Expr:
        """The engine's scan has a column for each kind that one is read as; what is left is NaN."""
        column = stored(column, kind)
        return sql.without_nan(column) if kind is Kind.REAL else column

    def converted(self, value: exp.Expr, found: Kind, wanted: Kind, once: Once) -> exp.Expr:
        """A cast of values that are sure to fit."""
        if found is Kind.TEXT:
            return self._of_text(once(value), wanted)
        match found, wanted:
            case Kind.REAL, Kind.TEXT:
                raise _refused("a real as text", "Round it to a whole number first: CAST(ROUND(x) AS BIGINT)")
            case ((Kind.INTEGER | Kind.REAL), Kind.BOOLEAN):
                return binary(exp.NEQ, value, sql.whole(0) if found is Kind.INTEGER else sql.real(0))
            case Kind.REAL, Kind.INTEGER:
                value = once(value)
                fits = binary(exp.GTE, value, sql.real(SMALLEST))
                fits = binary(exp.And, fits, binary(exp.LT, value, sql.real(LARGEST + 1)))
                return sql.case([(fits, sql.try_cast(_nearest(value), "BIGINT"))])  # halves to even
            case Kind.DATE, Kind.TIMESTAMP:
                value = once(value)
                ends = (sql.sure_cast(exp.Literal.string(end), "DATE") for end in (_FIRST_DAY, _LAST_DAY))
                fits = binary(exp.And, *(binary(o, value, e) for o, e in zip((exp.GTE, exp.LTE), ends, strict=True)))
                return sql.case([(fits, sql.sure_cast(value, self.types[wanted]))])
        return sql.sure_cast(value, self.types[wanted])

    def _of_text(self, value: exp.Expr, wanted: Kind) -> exp.Expr:
        if wanted is Kind.BOOLEAN:
            lower = exp.Lower(this=value)
            yes, no = (exp.In(this=lower, expressions=[self.text(word) for word in said]) for said in (_TRUE, _FALSE))
            return sql.case([(yes, exp.true()), (no, exp.false())])
        # $ would also be the place before a last line break
        fits = binary(exp.RegexpLike, value, exp.Literal.string(PATTERNS[wanted].removesuffix("$") + r"\z"))
        if wanted in DAYS:
            fits = binary(exp.And, fits, binary(exp.GTE, value, self.text(FIRST_YEAR)))
        return sql.case([(fits, sql.try_cast(value, self.types[wanted]))])

    def narrowed(self, wide: exp.Expr) -> exp.Expr:
        """A DECIMAL as a BIGINT, NULL where it does not fit."""
        return sql.try_cast(wide, "BIGINT")

    def real(self, operator: type[exp.Binary], left: exp.Expr, right: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """As it is written: only a division by 0 fails, and there is none."""
        return binary(operator, left, right)

    def divided(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of BIGINTs, towards 0."""
        return binary(exp.IntDiv, left, right)

    def divided_wide(self, left: exp.Expr, right: int) -> exp.Expr:
        """The quotient of DECIMALs, towards 0: DIV would be a BIGINT, and / rounds, so the rest is taken off first."""
        divisor = self.widened(exp.Literal.number(right))
        even = binary(exp.Sub, left, binary(exp.Mod, left, divisor))
        return sql.sure_cast(binary(exp.Div, even, divisor), self.wide)

    def floor(self, value: exp.Expr, once: Once) -> exp.Expr:
        """Spark's own FLOOR is a BIGINT, and fails beyond."""
        value = once(value)
        near = once(_nearest(value))
        return sql.case([(binary(exp.GT, near, value), binary(exp.Sub, near, sql.real(1)))], near)

    def ceil(self, value: exp.Expr, once: Once) -> exp.Expr:
        """Spark's own CEIL is a BIGINT, and fails beyond."""
        value = once(value)
        near = once(_nearest(value))
        return sql.case([(binary(exp.LT, near, value), binary(exp.Add, near, sql.real(1)))], near)

    def rounded(self, value: exp.Expr, digits: int, once: Once) -> exp.Expr:
        """Halves away from 0: Spark's own ROUND looks at the shortest text of the number."""
        return half_away(value, digits, once, binary, lambda many: self.floor(many, once))

    def points(self, value: exp.Expr, step: Fraction, low: int, high: int) -> exp.Expr:
        """The lattice point of a real; between the two ends every floor is a BIGINT."""
        if step.denominator == 1 and step > 1:
            # The floor of the floor is the same, and keeps tiny numbers from becoming 0 in the division.
            value = self.floor(value, lambda expression: expression)
        quotient = binary(exp.Div, value, sql.real(step)) if step != 1 else value
        below = self.floor(quotient, lambda expression: expression)
        return between(quotient, sql.try_cast(below, "BIGINT"), low, high)

    def scaled(self, total: exp.Expr, step: Fraction) -> exp.Expr:
        """A sum of whole steps as a real."""
        return binary(exp.Mul, sql.sure_cast(total, "DOUBLE"), sql.real(step))

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE with every backslash doubled: one takes the meaning of the next letter, and fails at the end."""
        said = [exp.Literal.string(letters) for letters in ("\\", "\\\\")]
        return binary(exp.Like, text, exp.Anonymous(this="REPLACE", expressions=[pattern, *said]))

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:  # noqa: ARG002  # there are no words for it
        """Java's $ is also before a line break at the end."""
        raise _refused("regular expression", "Use LIKE")

    def letters(self, function: type[exp.Func], text: exp.Expr) -> exp.Expr:
        """LOWER or UPPER."""
        return function(this=text)

    def part(self, name: str, day: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """A part of a day; Spark counts the days of a week from 1."""
        found = sql.sure_cast(exp.Extract(this=exp.var(name), expression=day), "BIGINT")
        return binary(exp.Sub, found, sql.whole(1)) if name == "dow" else found

    def truncated(self, unit: str, day: exp.Expr) -> exp.Expr:
        """The first day of the unit that a day is in."""
        whole = sql.sure_cast(day, "DATE")
        if unit == "day":
            return whole
        return exp.Anonymous(this="TRUNC", expressions=[whole, exp.Literal.string(unit)])

    def days(self, first: exp.Expr, second: exp.Expr) -> exp.Expr:
        """Whole days; the difference of two days would be an interval."""
        return exp.Anonymous(this="DATEDIFF", expressions=[second, first])

    def cell(self, value: exp.Expr) -> exp.Expr:
        """Any value as a text to be hashed."""
        return sql.sure_cast(value, "TEXT")

    def narrow(self, value: exp.Expr) -> exp.Expr:
        """As it is: a row of Spark has 64 bits for every number."""
        return value

    def summed(self, value: exp.Expr, most: int) -> exp.Expr:
        """In 64 bits where they are enough, and otherwise in 38 digits."""
        return exp.Sum(this=value if most * _ROWS < 2**63 else sql.sure_cast(value, "DECIMAL(28, 0)"))

    def extreme(self, function: type[exp.Min] | type[exp.Max], value: Typed) -> exp.Expr:
        """MIN or MAX over rows."""
        return function(this=value.sql)

    def median(self, value: exp.Expr, *, upper: bool) -> exp.Expr:  # noqa: ARG002  # there are no words for it
        """Refused: what is printed for Spark is an approximation, which depends on the order of rows."""
        raise _refused("median for each person", "Use AVG, MIN or MAX there")

    def words(self, text: str, apart: str, kind: Kind) -> exp.Select:
        """The words of a text as rows; ``apart`` is a control character, which no pattern takes for another."""
        split = exp.Anonymous(this="SPLIT", expressions=[exp.Literal.string(text), exp.Literal.string(apart)])
        rows = sql.select([named(exp.Anonymous(this="EXPLODE", expressions=[split]), "word")], None)
        word = column("word", "listed")
        return sql.select(
            [word if kind is Kind.TEXT else sql.try_cast(word, self.types[kind])], sql.as_relation(rows, "listed")
        )


def _nearest(value: exp.Expr) -> exp.Expr:
    """The nearest whole number as a real, halves to even."""
    return exp.Anonymous(this="RINT", expressions=[value])


def _refused(what: str, remedy: str) -> InvalidInput:
    return InvalidInput("Q353", f"Spark has no {what} that means the same on every engine", remedy)

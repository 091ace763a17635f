"""PostgreSQL: no TRY_CAST, 64-bit sums of 32-bit numbers, and reals that fail where they overflow or vanish.

The one idea: a cast is made only of what is sure to fit. A value is first held between two ends just beyond the type,
and whoever reached one of them is NULL; so each operand is written once, whatever it is.
"""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction

from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import real_arithmetic
from lapwing.query.lowering.dialects.dialect import DAYS, FIRST_YEAR, PATTERNS, Dialect, Once, between, stored
from lapwing.query.lowering.dialects.halves import half_away
from lapwing.query.lowering.sql import LARGEST, SMALLEST, Typed, binary, column, named

_BYTES = exp.column("C", quoted=True)
#: The first day of which no moment is a timestamp here: Arrow's end before PostgreSQL's.
_TOO_LATE = "294247-01-01"
_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
#: How a text begins that is a day of a month, in a year that has it: 15 cannot be asked whether a cast would fail.
_MONTHS = r"(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])"
_LEAP_YEARS = r"[0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00"
_IN_THE_CALENDAR = rf"^([0-9]{{4}}-({_MONTHS})|({_LEAP_YEARS})-02-29)"
_LONGEST_NAME = 63
#: No quotient by a step from 1 on overflows; by a smaller one, only beyond so many steps.
_FAR = Fraction(2) ** 80
#: From the year 1 on, so far back is still in the calendar: 4000 years.
_LONGEST_BACK = {"day": 4000 * 365, "month": 4000 * 12}


class PostgreSQLPhrases(Dialect):
    """The phrases of PostgreSQL from 15 on; ``letters`` is the collation by which letters are raised and lowered."""

    printer = "postgres"
    types = {  # noqa: RUF012  # never written to
        Kind.INTEGER: "BIGINT",
        Kind.REAL: "DOUBLE",
        Kind.TEXT: "TEXT",
        Kind.BOOLEAN: "BOOLEAN",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "TIMESTAMP",
    }
    wide = "DECIMAL"
    windows = True

    def __init__(self, letters: str) -> None:
        self._letters = exp.column(letters, quoted=True)

    def text(self, value: str) -> exp.Expr:
        """A text of a query, compared byte by byte like all others, whatever the database's language."""
        return _by_bytes(exp.Literal.string(value))

    def read(self, column: exp.Expr, kind: Kind) -> exp.Expr:
        """The engine's scan has a column for each kind that one is read as; what is left are NaN and infinite dates."""
        column = stored(column, kind)
        if kind in DAYS:
            return sql.without_infinity(column)
        return sql.without_nan(column) if kind is Kind.REAL else column

    def converted(self, value: exp.Expr, found: Kind, wanted: Kind, once: Once) -> exp.Expr:
        """A cast that can be made, of values that it can be made of."""
        if found is Kind.TEXT:
            return self._of_text(once(value), wanted)
        match found, wanted:
            case Kind.REAL, Kind.TEXT:
                raise refused("a real as text", "Round it to a whole number first: CAST(ROUND(x) AS BIGINT)")
            case _, Kind.TEXT:
                return _by_bytes(sql.sure_cast(value, "TEXT"))
            case Kind.BOOLEAN, _:
                return sql.sure_cast(sql.sure_cast(value, "INT"), self.types[wanted])
            case ((Kind.INTEGER | Kind.REAL), Kind.BOOLEAN):
                zero = sql.whole(0) if found is Kind.INTEGER else sql.real(0)
                return binary(exp.NEQ, value, zero)
            case Kind.REAL, Kind.INTEGER:
                # the next double below the BIGINTs, and the first above
                low, high = sql.real(math.nextafter(float(SMALLEST), -math.inf)), sql.real(float(LARGEST + 1))
                return sql.sure_cast(_within(value, low, high), "BIGINT")
            case Kind.DATE, Kind.TIMESTAMP:
                late = sql.sure_cast(exp.Literal.string(_TOO_LATE), "DATE")
                return sql.sure_cast(exp.Nullif(this=sql.least(value, late), expression=late), "TIMESTAMP")
        return sql.sure_cast(value, self.types[wanted])  # a BIGINT as a double; the day of a timestamp

    def _of_text(self, value: exp.Expr, wanted: Kind) -> exp.Expr:
        if wanted is Kind.BOOLEAN:
            lower = exp.Lower(this=_by_bytes(value))  # by bytes: the letters a to z
            yes, no = (exp.In(this=lower, expressions=[self.text(word) for word in said]) for said in (_TRUE, _FALSE))
            return sql.case([(yes, exp.true()), (no, exp.false())])
        fits = binary(exp.RegexpLike, value, exp.Literal.string(PATTERNS[wanted]))
        if wanted in DAYS:
            real_day = binary(exp.RegexpLike, value, exp.Literal.string(_IN_THE_CALENDAR))
            first = binary(exp.GTE, value, self.text(FIRST_YEAR))
            fits = binary(exp.And, binary(exp.And, fits, first), real_day)
        if wanted is Kind.INTEGER:
            return sql.case([(fits, self.narrowed(sql.sure_cast(value, self.wide)))])
        return sql.case([(fits, sql.sure_cast(value, self.types[wanted]))])

    def narrowed(self, wide: exp.Expr) -> exp.Expr:
        """A NUMERIC as a BIGINT, NULL where it does not fit."""
        low, high = exp.Literal.number(SMALLEST - 1), exp.Literal.number(LARGEST + 1)
        return sql.sure_cast(_within(wide, low, high), "BIGINT")

    def real(self, operator: type[exp.Binary], left: exp.Expr, right: exp.Expr, once: Once) -> exp.Expr:
        """As IEEE 754 has it; there is no remainder of doubles."""
        if operator is exp.Mod:
            raise refused("the remainder of a division of reals", "Cast both to BIGINT")
        return real_arithmetic.total(operator, once(left), once(right))

    def divided(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of BIGINTs, towards 0."""
        return exp.Div(this=sql.bracketed(left), expression=sql.bracketed(right), typed=True)

    def divided_wide(self, left: exp.Expr, right: int) -> exp.Expr:
        """DIV: the operator / has digits behind the point for a NUMERIC."""
        return exp.Anonymous(this="DIV", expressions=[left, self.widened(exp.Literal.number(right))])

    def rounded(self, value: exp.Expr, digits: int, once: Once) -> exp.Expr:
        """Halves away from 0: PostgreSQL's own ROUND of a double takes halves to even."""
        return half_away(value, digits, once, real_arithmetic.total, lambda many: exp.Floor(this=many))

    def points(self, value: exp.Expr, step: Fraction, low: int, high: int) -> exp.Expr:
        """The lattice point of a real. What would overflow or vanish in the division is decided before it."""
        quotient = binary(exp.Div, value, sql.real(step))
        ends: list[tuple[exp.Expr, exp.Expr]] = []
        if step.denominator == 1 and step > 1:
            quotient = binary(exp.Div, exp.Floor(this=value), sql.real(step))  # the floor of the floor is the same
        elif step > 1:
            tiny = sql.real(step / _FAR)
            ends.append((_both(_from(value, sql.real(0)), binary(exp.LT, value, tiny)), _held(0, low, high)))
            below = _both(binary(exp.LT, value, sql.real(0)), binary(exp.GT, value, sql.real(-step / _FAR)))
            ends.append((below, _held(-1, low, high)))
        elif step < 1:
            ends.append((_from(value, sql.real(step * _FAR)), sql.whole(high)))
            ends.append((binary(exp.LTE, value, sql.real(-step * _FAR)), sql.whole(low)))
        inside = between(quotient, sql.sure_cast(exp.Floor(this=quotient), "BIGINT"), low, high)
        return sql.case(ends, inside) if ends else inside

    def scaled(self, total: exp.Expr, step: Fraction) -> exp.Expr:
        """A sum of whole steps as a real; it is written out three times where it could be beyond the doubles."""
        sure = sql.sure_cast(total, "DOUBLE")
        plain = binary(exp.Mul, sure, sql.real(step))
        if step < Fraction(10) ** 270:
            return plain  # sums are below 2^127
        return real_arithmetic.total(exp.Mul, sure, sql.real(step))

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE without an escape: otherwise a backslash takes the meaning of the next letter, and fails at the end."""
        return exp.Escape(this=binary(exp.Like, text, pattern), expression=exp.Literal.string(""))

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        """The operator ~, of letters by their bytes."""
        return binary(exp.RegexpLike, text, exp.Literal.string(pattern))

    def letters(self, function: type[exp.Func], text: exp.Expr) -> exp.Expr:
        """LOWER or UPPER for every script; by bytes it would know the letters a to z only."""
        return _by_bytes(function(this=exp.Collate(this=sql.bracketed(text), expression=self._letters.copy())))

    def part(self, name: str, day: exp.Expr, once: Once) -> exp.Expr:
        """A part of a day; PostgreSQL has no year 0, and calls it -1."""
        day = once(day) if name == "year" else day
        found = sql.sure_cast(exp.Extract(this=exp.var(name), expression=day), "BIGINT")
        if name != "year":
            return found
        before = sql.sure_cast(sql.sure_cast(exp.Paren(this=binary(exp.LT, found, sql.whole(0))), "INT"), "BIGINT")
        return binary(exp.Add, found, before)

    def computed(self, text: exp.Expr) -> exp.Expr:
        """A text that was put together, compared byte by byte."""
        return _by_bytes(text)

    def truncated(self, unit: str, day: exp.Expr) -> exp.Expr:
        """The first day of the unit; of a moment without a zone, since a day alone would be one in the server's."""
        moment = sql.sure_cast(day, "TIMESTAMP")
        return sql.sure_cast(exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), moment]), "DATE")

    def interval(self, amount: int, unit: str) -> exp.Expr:
        """So many days or months; PostgreSQL's calendar begins in 4714 BC, and fails before."""
        if amount < -_LONGEST_BACK[unit]:
            raise refused("day so long before our era", "Go back by fewer days, months or years")
        return super().interval(amount, unit)

    def cell(self, value: exp.Expr) -> exp.Expr:
        """Any value as a text to be hashed."""
        return sql.sure_cast(value, "TEXT")

    def narrow(self, value: exp.Expr) -> exp.Expr:
        """As it is: PostgreSQL adds 32-bit numbers in 64 bits, where a sum could overflow, and BIGINTs in NUMERIC."""
        return value

    def extreme(self, function: type[exp.Min] | type[exp.Max], value: Typed) -> exp.Expr:
        """MIN or MAX over rows; of truth values, AND or OR."""
        if value.kind is Kind.BOOLEAN:
            return exp.LogicalAnd(this=value.sql) if function is exp.Min else exp.LogicalOr(this=value.sql)
        return function(this=value.sql)

    def only(self, value: Typed) -> exp.Expr:
        """The largest of one: ANY_VALUE is there from 16 on."""
        return self.extreme(exp.Max, value)

    def words(self, text: str, apart: str, kind: Kind) -> exp.Select:
        """The words of a text as rows."""
        split = exp.Anonymous(this="string_to_table", expressions=[exp.Literal.string(text), exp.Literal.string(apart)])
        rows = sql.select([named(split, "word")], None)
        word = column("word", "listed")
        chosen = _by_bytes(word) if kind is Kind.TEXT else sql.sure_cast(word, self.types[kind])
        return sql.select([chosen], sql.as_relation(rows, "listed"))

    def apart(self, rows: exp.Select) -> exp.Select:
        """OFFSET 0 keeps the planner from writing a column out wherever it is used, which would double at each step."""
        return rows.offset(0, copy=False)

    def printed(self, tree: exp.Expr) -> str:
        """The text of a statement, in names of which PostgreSQL sees every letter."""
        if any(short_name(name.name) != name.name for name in tree.find_all(exp.Identifier)):
            tree = tree.copy()
            for name in tree.find_all(exp.Identifier):
                name.set("this", short_name(name.name))
        return super().printed(tree)


def short_name(name: str) -> str:
    """The name, or its hash behind its beginning: PostgreSQL cuts longer ones off, and takes two for one."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:40]} {hashlib.sha256(name.encode()).hexdigest()[:20]}"


def refused(what: str, remedy: str) -> InvalidInput:
    """The refusal of a word that has no total meaning here."""
    return InvalidInput("Q353", f"PostgreSQL has no {what} that means the same on every engine", remedy)


def _by_bytes(text: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Collate(this=sql.bracketed(text), expression=_BYTES.copy()))


def _within(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """The value strictly between two ends, NULL at and beyond them. LEAST ignores NULL, which so becomes an end."""
    held = sql.least(sql.greatest(value, low), high)
    return exp.Nullif(this=exp.Nullif(this=held, expression=low), expression=high)


def _held(number: int, low: int, high: int) -> exp.Expr:
    return sql.whole(max(low, min(high, number)))


def _from(value: exp.Expr, end: exp.Expr) -> exp.Expr:
    return binary(exp.GTE, value, end)


def _both(first: exp.Expr, second: exp.Expr) -> exp.Expr:
    return binary(exp.And, first, second)

"""DuckDB: TRY_CAST, 128 bits, and reals that follow IEEE 754 by themselves."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects.dialect import DAYS, FIRST_YEAR, PATTERNS, Dialect, Once, between
from lapwing.query.lowering.sql import Typed, binary, column, named


class DuckDBPhrases(Dialect):
    """The phrases of DuckDB."""

    printer = "duckdb"
    types = {  # noqa: RUF012  # never written to
        Kind.INTEGER: "BIGINT",
        Kind.REAL: "DOUBLE",
        Kind.TEXT: "TEXT",
        Kind.BOOLEAN: "BOOLEAN",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "TIMESTAMP",
    }
    wide = "INT128"
    windows = False

    def read(self, column: exp.Expr, kind: Kind) -> exp.Expr:
        """A stored column as its declared kind; NaN, infinite dates, and what does not fit the kind, are NULL."""
        value = sql.try_cast(column, self.types[kind])
        if kind in DAYS:
            return sql.without_infinity(value)
        return sql.without_nan(value) if kind is Kind.REAL else value

    def converted(self, value: exp.Expr, found: Kind, wanted: Kind, once: Once) -> exp.Expr:
        """TRY_CAST. Of texts DuckDB reads more than others do ('1e2' as a whole number, 'epoch' as a day)."""
        if found is not Kind.TEXT or wanted not in PATTERNS:
            return sql.try_cast(value, self.types[wanted])
        value = once(value)
        fits: exp.Expr = exp.Anonymous(
            this="REGEXP_FULL_MATCH", expressions=[value, exp.Literal.string(PATTERNS[wanted])]
        )
        if wanted in DAYS:
            fits = binary(exp.And, fits, binary(exp.GTE, value, exp.Literal.string(FIRST_YEAR)))
        return sql.case([(fits, sql.try_cast(value, self.types[wanted]))])

    def narrowed(self, wide: exp.Expr) -> exp.Expr:
        """A wide whole number as a BIGINT, NULL where it does not fit."""
        return sql.try_cast(wide, "BIGINT")

    def real(self, operator: type[exp.Binary], left: exp.Expr, right: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """As it is written."""
        return binary(operator, left, right)

    def divided(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of BIGINTs, towards 0."""
        return binary(exp.IntDiv, left, right)

    def divided_wide(self, left: exp.Expr, right: int) -> exp.Expr:
        """The quotient of wide whole numbers, towards 0."""
        return binary(exp.IntDiv, left, self.widened(exp.Literal.number(right)))

    def rounded(self, value: exp.Expr, digits: int, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """DuckDB's own ROUND, which moves the point, rounds halves away from 0, and moves it back."""
        return exp.Round(this=value, decimals=exp.Literal.number(digits))

    def points(self, value: exp.Expr, step: Fraction, low: int, high: int) -> exp.Expr:
        """The lattice point of a real; no cast can fail between the two ends."""
        quotient = binary(exp.Div, value, sql.real(step))
        if step.denominator == 1 and step > 1:
            # The floor of the floor is the same, and keeps tiny numbers from becoming 0 in the division.
            quotient = binary(exp.Div, exp.Floor(this=value), sql.real(step))
        return between(quotient, sql.try_cast(exp.Floor(this=quotient), "BIGINT"), low, high)

    def scaled(self, total: exp.Expr, step: Fraction) -> exp.Expr:
        """A sum of whole steps as a real."""
        return binary(exp.Mul, sql.try_cast(total, "DOUBLE"), sql.real(step))

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE: a backslash is a backslash."""
        return binary(exp.Like, text, pattern)

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        """REGEXP_MATCHES, in which a dot is a line break only where it is told so."""
        options = [exp.Literal.string(pattern), exp.Literal.string("s")]
        return exp.Anonymous(this="REGEXP_MATCHES", expressions=[text, *options])

    def letters(self, function: type[exp.Func], text: exp.Expr) -> exp.Expr:
        """LOWER or UPPER."""
        return function(this=text)

    def part(self, name: str, day: exp.Expr, once: Once) -> exp.Expr:  # noqa: ARG002  # said once
        """A part of a date or timestamp."""
        return sql.sure_cast(exp.Extract(this=exp.var(name), expression=day), "BIGINT")

    def truncated(self, unit: str, day: exp.Expr) -> exp.Expr:
        """The first day of the unit that a day is in."""
        return sql.sure_cast(exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), day]), "DATE")

    def cell(self, value: exp.Expr) -> exp.Expr:
        """Any value as a text to be hashed."""
        return sql.try_cast(value, "TEXT")

    def narrow(self, value: exp.Expr) -> exp.Expr:
        """In 32 bits: the join that finds the weights is an eighth faster with less to carry."""
        return sql.sure_cast(value, "INT")

    def extreme(self, function: type[exp.Min] | type[exp.Max], value: Typed) -> exp.Expr:
        """MIN or MAX over rows."""
        return function(this=value.sql)

    def words(self, text: str, apart: str, kind: Kind) -> exp.Select:
        """The words of a text as rows."""
        split = exp.Split(this=exp.Literal.string(text), expression=exp.Literal.string(apart))
        rows = sql.select([named(exp.Explode(this=split), "word")], None)
        word = column("word", "listed")
        return sql.select(
            [word if kind is Kind.TEXT else sql.try_cast(word, self.types[kind])], sql.as_relation(rows, "listed")
        )

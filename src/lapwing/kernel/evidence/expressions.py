"""Scalar expressions of a plan: a small closed vocabulary, each word total and computed from one row alone.

The one idea: an expression is data. What an engine is asked to compute, what the rules derive and what a certificate
records are all read from the same tree, and a word that is not in the vocabulary cannot be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

#: A constant of a query; None is SQL's NULL. Real numbers are exact; dates and timestamps are ISO text.
Constant = bool | int | Fraction | str | None


class Kind(StrEnum):
    """What a column holds."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"


#: The most letters of a text that CONCAT or REPLACE makes longer; one with more is NULL. Without an end, a few words
#: could make so much of one person's text that the engine fails, and the failure would tell of it.
LONGEST = 4_000


class Word(StrEnum):
    """Every function a query may use on a row; each is total, and NULL (or NaN) where SQL has no value."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"  # by zero: NULL
    MODULO = "%"  # by zero: NULL
    NEGATE = "negate"
    ABS = "abs"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUND = "round"  # to whole numbers, or ROUND(x, digits) with a literal number of digits
    SQRT = "sqrt"  # of a negative number: NULL
    LN = "ln"  # of 0 and less: NULL
    LOG10 = "log10"  # of 0 and less: NULL
    EXP = "exp"  # of numbers beyond ±700: of ±700
    LEAST = "least"
    GREATEST = "greatest"
    CLIP = "clip"  # CLIP(x, low, high)
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    AND = "and"
    OR = "or"
    NOT = "not"
    IS_NULL = "is null"
    IN = "in"  # IN(x, constant, constant, ...)
    LIKE = "like"  # LIKE(x, constant pattern)
    CASE = "case"  # CASE(condition, value, condition, value, ..., otherwise)
    COALESCE = "coalesce"
    LOWER = "lower"
    UPPER = "upper"
    LENGTH = "length"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    QUARTER = "quarter"
    WEEK = "week"  # of the ISO year, from 1
    WEEKDAY = "weekday"  # from Sunday, 0
    HOUR = "hour"
    TRUNCATE = "truncate"  # TRUNCATE(constant unit, day): the first day of its year, quarter, month or week
    DAYS_BETWEEN = "days between"  # whole days from the first to the second
    SHIFT = "shift"  # SHIFT(day, whole constant, constant unit): so many days or months later
    SUBSTRING = "substring"  # SUBSTRING(x, constant first letter from 1, constant length)
    CONCAT = "concat"
    TRIM = "trim"
    SPLIT = "split"  # SPLIT(x, constant text between parts, constant place from 1): '' where there are fewer parts
    REPLACE = "replace"  # REPLACE(x, constant text, constant text in its place)
    ENDING = "ending"  # ENDING(x, constant number): so many letters, the last ones
    MATCHES = "matches"  # MATCHES(x, constant pattern): a regular expression of the few signs that all engines share
    ILIKE = "ilike"  # LIKE, in letters of any case
    TO_INTEGER = "to integer"  # what cannot be cast: NULL
    TO_REAL = "to real"
    TO_TEXT = "to text"
    TO_BOOLEAN = "to boolean"
    TO_DATE = "to date"
    TO_TIMESTAMP = "to timestamp"


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The kind of a column, whether it may be NULL, and what bounds its values, where something does.

    ``low`` and ``high`` are bounds of numbers (either may be missing). ``keys`` is a finite list of the values it can
    have besides NULL, from public knowledge: the policy, a CASE of constants, a comparison.
    Bounds are never trusted where they are used: whatever is summed is clipped to them again in the engine.
    """

    kind: Kind
    nullable: bool = True
    low: Fraction | None = None
    high: Fraction | None = None
    keys: tuple[Constant, ...] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the relation the expression stands on."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant written in the query; ``kind`` is None for NULL."""

    value: Constant
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Call:
    """A word applied to expressions."""

    word: Word
    arguments: tuple[Expression, ...]


Expression = Column | Literal | Call


def columns_of(expression: Expression) -> Iterator[str]:
    """The names of the columns an expression reads."""
    match expression:
        case Column(name):
            yield name
        case Call(_, arguments):
            for argument in arguments:
                yield from columns_of(argument)

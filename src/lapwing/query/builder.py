"""Questions written in Python, for people who prefer it to SQL; they become the same SQL, and so the same plan.

The one idea: a fragment such as "age > 30" is parsed and put into a syntax tree, never pasted into text, and what comes
out is read like any other query. The builder can say nothing that SQL cannot.

    table("people").where("age > 30").group_by("sex").agg(n=count(), pay=mean("income", 0, 200_000))
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sqlglot
from sqlglot import exp

from lapwing.algebra.exact import Number, exact
from lapwing.errors import InvalidInput, MissingExtra
from lapwing.query.parsing.statement import LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class Statistic:
    """One column to ask for, as SQL."""

    sql: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the making; every step gives a new one. ``sql`` is what it says."""

    table: str
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    kept: tuple[str, ...] = ()
    ordered: tuple[tuple[str, bool], ...] = ()
    most: int | None = None

    def where(self, condition: str) -> Question:
        """Only rows of which the condition is true; several conditions must all be."""
        return replace(self, conditions=(*self.conditions, _fragment(condition)))

    def group_by(self, *keys: str) -> Question:
        """An answer for each value of these columns or expressions."""
        return replace(self, keys=(*self.keys, *(_fragment(key) for key in keys)))

    def agg(self, **columns: Statistic) -> Question:
        """What to ask for, each under its name."""
        for name, column in columns.items():
            if not isinstance(column, Statistic):
                raise InvalidInput("Q140", f"the column {name!r} is not a statistic", "Use count(), mean(...) and such")
        return replace(self, columns=(*self.columns, *((name, column.sql) for name, column in columns.items())))

    def having(self, condition: str) -> Question:
        """Only groups whose answers make the condition true: free."""
        return replace(self, kept=(*self.kept, _fragment(condition)))

    def order_by(self, column: str, *, descending: bool = False) -> Question:
        """The order of the answers: free."""
        return replace(self, ordered=(*self.ordered, (_fragment(column), descending)))

    def limit(self, rows: int) -> Question:
        """At most so many answers: free."""
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 0:
            raise InvalidInput("Q140", "the limit is not a whole number", "Give an int of at least 0")
        return replace(self, most=rows)

    @property
    def sql(self) -> str:
        """The question as SQL."""
        chosen = [*(_parsed(key) for key in self.keys)]
        chosen += [exp.alias_(_parsed(column), exp.to_identifier(name, quoted=True)) for name, column in self.columns]
        if not chosen:
            raise InvalidInput("Q140", "the question asks for nothing", "Add .agg(n=count())")
        query = exp.Select(expressions=chosen)
        query = query.from_(exp.Table(this=exp.to_identifier(self.table, quoted=True)), copy=False)
        for condition in self.conditions:
            query = query.where(_parsed(condition), copy=False)
        for key in self.keys:
            query = query.group_by(_parsed(key), copy=False)
        for condition in self.kept:
            query = query.having(_parsed(condition), copy=False)
        for column, descending in self.ordered:
            query = query.order_by(exp.Ordered(this=_parsed(column), desc=descending, nulls_first=False), copy=False)
        if self.most is not None:
            query = query.limit(self.most, copy=False)
        return query.sql("duckdb", comments=False)


def table(name: str) -> Question:
    """A table of the policy, to ask about."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("Q140", "the table has no name", "Name a table of the policy")
    return Question(name)


def count(column: str | None = None) -> Statistic:
    """How many rows, or how many with a value."""
    return _of(exp.Count(this=exp.Star() if column is None else _parsed(_fragment(column))))


def count_distinct(column: str) -> Statistic:
    """How many different values; of the unit, how many people."""
    return _of(exp.Count(this=exp.Distinct(expressions=[_parsed(_fragment(column))])))


def total(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The sum, of values clipped to a range."""
    return _of(exp.Sum(this=_clipped(column, low, high)))


def mean(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The mean, of values clipped to a range."""
    return _of(exp.Avg(this=_clipped(column, low, high)))


def variance(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The variance, of values clipped to a range."""
    return _of(exp.VariancePop(this=_clipped(column, low, high)))


def stddev(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The standard deviation, of values clipped to a range."""
    return _of(exp.StddevPop(this=_clipped(column, low, high)))


def median(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The value in the middle."""
    return _of(exp.Median(this=_clipped(column, low, high)))


def quantile(column: str, fraction: Number, low: Number | None = None, high: Number | None = None) -> Statistic:
    """The value below which this fraction of the rows lies."""
    return _of(exp.Quantile(this=_clipped(column, low, high), quantile=_number(exact(fraction, "fraction"))))


def minimum(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """Nearly the smallest value: the 1 % quantile."""
    return _of(exp.Min(this=_clipped(column, low, high)))


def maximum(column: str, low: Number | None = None, high: Number | None = None) -> Statistic:
    """Nearly the largest value: the 99 % quantile."""
    return _of(exp.Max(this=_clipped(column, low, high)))


def histogram(column: str, bins: int, low: Number | None = None, high: Number | None = None) -> Statistic:
    """A count in each of equal parts of the range."""
    width = _number(exact(bins, "bins"))
    return _of(exp.Anonymous(this="HISTOGRAM", expressions=[_clipped(column, low, high), width]))


def as_sql(question: object) -> str:
    """The SQL of a question given as text, with this builder, or as an Ibis expression."""
    if isinstance(question, str):
        return question
    if isinstance(question, Question):
        return question.sql
    if type(question).__module__.partition(".")[0] == "ibis":
        return ibis_sql(question)
    raise InvalidInput(
        "Q140", f"the question is of type {type(question).__name__}", "Ask with SQL, the builder or an Ibis expression"
    )


def ibis_sql(expression: Any) -> str:  # noqa: ANN401  # Ibis is optional, and so are its types
    """An Ibis expression as SQL."""
    try:
        ibis: Any = importlib.import_module("ibis")  # an optional extra, without types
    except ImportError:
        raise MissingExtra("Q141", "Ibis is not installed", 'Install it with: pip install "lapwing[ibis]"') from None
    try:
        return str(ibis.to_sql(expression, dialect="duckdb"))
    except Exception as error:  # whatever Ibis cannot render is not a question
        raise InvalidInput(
            "Q140", f"Ibis cannot write this as SQL: {type(error).__name__}", "Simplify the expression, or write SQL"
        ) from None


def _of(node: exp.Expr) -> Statistic:
    return Statistic(node.sql("duckdb", comments=False))


def _fragment(text: str) -> str:
    """One expression, written back from its syntax tree; more than one, or a clause, is refused."""
    return _parsed(text).sql("duckdb", comments=False)


def _parsed(text: str) -> exp.Expr:
    refusal = InvalidInput(
        "Q140", "a part of the question is not one expression of SQL", 'Write it as in "age > 30" or "income"'
    )
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise refusal
    try:
        found = sqlglot.parse(f"SELECT {text}", read="duckdb")
    except Exception:  # whatever the parser raises, the text is not an expression
        raise refusal from None
    select = found[0] if len(found) == 1 else None
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        raise refusal
    inner: exp.Expr = select.expressions[0]
    if isinstance(inner, exp.Alias) or any(value for name, value in select.args.items() if name != "expressions"):
        raise refusal
    return inner


def _clipped(column: str, low: Number | None, high: Number | None) -> exp.Expr:
    inner = _parsed(_fragment(column))
    if low is None and high is None:
        return inner
    if low is None or high is None:
        raise InvalidInput("Q140", "a range has one end only", "Give both low and high")
    ends = [_number(exact(end, "an end of the range")) for end in (low, high)]
    return exp.Anonymous(this="CLIP", expressions=[inner, *ends])


def _number(value: Fraction) -> exp.Expr:
    """An exact number: a quotient of whole numbers where it is not one itself, which the reader computes exactly."""
    top: exp.Expr = exp.Literal.number(abs(value.numerator))
    if value < 0:
        top = exp.Neg(this=top)
    return top if value.denominator == 1 else exp.Div(this=top, expression=exp.Literal.number(value.denominator))

"""Aggregates as SQL writes them: which there are, and the parts of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import needs, only
from lapwing.query.parsing.words import refuse_function
from lapwing.query.refusals import Text, quoted


class Name(StrEnum):
    """The aggregates a query may use."""

    COUNT = "count"
    COUNT_DISTINCT = "count distinct"
    COUNT_IF = "count if"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "variance"
    STDDEV = "stddev"
    QUANTILE = "quantile"
    MIN = "min"
    MAX = "max"
    HISTOGRAM = "histogram"
    COVARIANCE = "covar_pop"
    CORRELATION = "corr"
    SLOPE = "regr_slope"
    INTERCEPT = "regr_intercept"
    DETERMINATION = "regr_r2"
    PAIRS = "regr_count"
    ANY = "bool_or"
    EVERY = "bool_and"
    FIRST = "first"
    SOME = "any_value"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An aggregate: its argument (none for COUNT(*)), its setting (a fraction, a number of bins), its FILTER."""

    name: Name
    argument: exp.Expr | None
    setting: exp.Expr | None = None
    filter: exp.Expr | None = None
    #: by what the rows of FIRST are put in order, and whether rows without a value are left out
    order: tuple[exp.Ordered, ...] = ()
    known: bool = False


_PLAIN: dict[type[exp.Expr], Name] = {
    exp.CountIf: Name.COUNT_IF,
    exp.Sum: Name.SUM,
    exp.Avg: Name.MEAN,
    exp.Variance: Name.VARIANCE,
    exp.VariancePop: Name.VARIANCE,
    exp.Stddev: Name.STDDEV,
    exp.StddevPop: Name.STDDEV,
    exp.StddevSamp: Name.STDDEV,
    exp.Median: Name.QUANTILE,
    exp.Min: Name.MIN,
    exp.Max: Name.MAX,
    exp.LogicalOr: Name.ANY,
    exp.LogicalAnd: Name.EVERY,
}
#: Aggregates of two columns: the dependent one first.
_OF_TWO: dict[type[exp.Expr], Name] = {
    exp.Corr: Name.CORRELATION,
    exp.CovarPop: Name.COVARIANCE,
    exp.CovarSamp: Name.COVARIANCE,
    exp.RegrSlope: Name.SLOPE,
    exp.RegrIntercept: Name.INTERCEPT,
    exp.RegrR2: Name.DETERMINATION,
    exp.RegrCount: Name.PAIRS,
}
_NAMED = {
    "EVERY": Name.EVERY,
    "MEAN": Name.MEAN,
    "HISTOGRAM": Name.HISTOGRAM,
    "COUNT_STAR": Name.COUNT,
    "QUANTILE_DISC": Name.QUANTILE,
    "APPROX_QUANTILE": Name.QUANTILE,
}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is an aggregate, known or not."""
    named = isinstance(node, exp.Anonymous) and str(node.this).upper() in _NAMED
    inside = isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.First | exp.Last | exp.AnyValue)
    return named or inside or isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup)


def aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates of a SELECT's own expressions, without those of sub-queries in them.

    What stands before OVER is a window's own function, and no aggregate; what is inside it may be one.
    """
    if isinstance(node, exp.Query):
        return
    inside = node.this if isinstance(node, exp.Window) else None
    if inside is None and is_aggregate(node):
        yield node
    for child in node.iter_expressions():
        within = child.iter_expressions() if child is inside and isinstance(child, exp.Expr) else (child,)
        for each in within:
            yield from aggregates_in(each)


def looks_aside(node: exp.Expr) -> bool:
    """Whether an expression looks at other rows of answers, by a window or a sub-query that is a number."""

    def ends(each: exp.Expr) -> bool:
        marked = isinstance(each, exp.Exists) or (isinstance(each, exp.In) and each.args.get("query") is not None)
        return marked or isinstance(each, exp.Window | exp.Query)

    return any(isinstance(each, exp.Window | exp.Query) for each in node.walk(prune=ends))


def wanted(text: Text, node: exp.Expr) -> Wanted:
    """The aggregate that a node stands for; one that is not known, or lacks its argument, is refused."""
    found = _wanted(text, node)
    if found.argument is None and found.name is not Name.COUNT:
        raise Spot(text, node).invalid(
            "Q137", f"{quoted(found.name.value.upper())} has too few arguments", "Name the column it is of"
        )
    if found.name is Name.QUANTILE and isinstance(found.setting, exp.Array):
        raise Spot(text, node).invalid(
            "Q124", "several quantiles are asked for at once", "Write QUANTILE_CONT(x, 0.25), QUANTILE_CONT(x, 0.5)"
        )
    return found


def _wanted(text: Text, node: exp.Expr) -> Wanted:
    match node:
        case exp.Filter():
            only(text, node, "this", "expression")
            inner = wanted(text, node.this)
            return replace(inner, filter=node.expression.this)
        case exp.WithinGroup():
            return _ordered(text, node)
        case exp.Count():
            only(text, node, "this")
            return _count(text, node)
        case exp.ArgMin() | exp.ArgMax():
            only(text, node, "this", "expression")
            needs(text, node, "this", "expression")
            by = exp.Ordered(this=node.expression, desc=isinstance(node, exp.ArgMax))
            return Wanted(Name.FIRST, node.this, order=(by,), known=True)
        case exp.First() | exp.Last() | exp.AnyValue():
            return _first(text, node)
        case exp.IgnoreNulls() if isinstance(node.this, exp.First | exp.Last | exp.AnyValue):
            return replace(_first(text, node.this), known=True)
        case exp.ApproxDistinct():
            only(text, node, "this")
            return Wanted(Name.COUNT_DISTINCT, node.this)
        case exp.Quantile() | exp.ApproxQuantile():
            only(text, node, "this", "quantile")
            return Wanted(Name.QUANTILE, node.this, node.args.get("quantile"))
        case exp.PercentileCont() | exp.PercentileDisc():
            only(text, node, "this", "expression")
            needs(text, node, "this", "expression")
            return Wanted(Name.QUANTILE, node.this, node.args.get("expression"))
        case exp.Anonymous():
            return _named(text, node)
        case _ if (name := _OF_TWO.get(type(node))) is not None:
            only(text, node, "this", "expression")
            needs(text, node, "this", "expression")
            return Wanted(name, node.this, node.expression)
        case _ if (name := _PLAIN.get(type(node))) is not None:
            only(text, node, "this")
            if isinstance(node.this, exp.Distinct):
                raise Spot(text, node).invalid(
                    "Q117", f"{quoted(name.value.upper())} of different values is not answered", "Leave DISTINCT out"
                )
            return Wanted(name, node.this)
        case _:
            raise refuse_function(Spot(text, node), node.sql_name() if isinstance(node, exp.Func) else "AGGREGATE")


def _count(text: Text, node: exp.Count) -> Wanted:
    match node.args.get("this"):
        case None | exp.Star():
            return Wanted(Name.COUNT, None)
        case exp.Distinct() as distinct:
            only(text, distinct, "expressions")
            if len(distinct.expressions) != 1 or isinstance(distinct.expressions[0], exp.Star | exp.Tuple):
                raise Spot(text, node).invalid(
                    "Q117",
                    "different combinations of several columns are not counted",
                    "Count one text of them: COUNT(DISTINCT a || ' ' || b)",
                )
            return Wanted(Name.COUNT_DISTINCT, distinct.expressions[0])
        case argument:
            return Wanted(Name.COUNT, argument)


def _first(text: Text, node: exp.Expr) -> Wanted:
    """FIRST(x ORDER BY day); without an order any of the values will do."""
    only(text, node, "this")
    if not isinstance(node.this, exp.Order):
        return Wanted(Name.SOME, node.this)
    only(text, node.this, "this", "expressions")
    order = []
    for each in node.this.expressions:
        only(text, each, "this", "desc", "nulls_first")
        order.append(exp.Ordered(this=each.this, desc=bool(each.args.get("desc")) != isinstance(node, exp.Last)))
    return Wanted(Name.FIRST, node.this.this, order=tuple(order))


def _ordered(text: Text, node: exp.WithinGroup) -> Wanted:
    """PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x)."""
    only(text, node, "this", "expression")
    function, order = node.this, node.expression
    if not isinstance(function, exp.PercentileCont | exp.PercentileDisc) or len(order.expressions) != 1:
        raise refuse_function(Spot(text, node), "WITHIN GROUP")
    only(text, function, "this")
    ordered = order.expressions[0]
    if ordered.args.get("desc"):
        raise Spot(text, node).invalid("Q118", "this quantile counts from the top", "Write 1 - p, and leave DESC out")
    return Wanted(Name.QUANTILE, ordered.this, function.this)


def _named(text: Text, node: exp.Anonymous) -> Wanted:
    only(text, node, "this", "expressions")
    name = _NAMED.get(str(node.this).upper())
    if name is None:  # before FILTER or OVER anything may stand
        raise refuse_function(Spot(text, node), str(node.this))
    most = {Name.COUNT: 0, Name.MEAN: 1, Name.EVERY: 1}.get(name, 2)
    if len(node.expressions) != most:
        remedy = "Write HISTOGRAM(x, 20)" if name is Name.HISTOGRAM else "See the reference of SQL"
        raise Spot(text, node).invalid("Q117", f"{quoted(str(node.this).upper())} takes {most} arguments", remedy)
    given = [*node.expressions, None, None]
    return Wanted(name, given[0], given[1])

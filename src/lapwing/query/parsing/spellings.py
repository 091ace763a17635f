"""Other spellings of one question: what sub-queries and joins are also written as, put into the words that are read.

The one idea: a tree of SQL becomes another that means the same to every database, before anything is typed. So nothing
here is trusted, and a spelling that is not known stays as it is, to be refused where it is read.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

#: Comparisons, how they are computed, and what they are the other way round.
_COMPARED: dict[type[exp.Expr], tuple[Callable[[Any, Any], bool], type[exp.Binary]]] = {
    exp.GT: (operator.gt, exp.LT),
    exp.GTE: (operator.ge, exp.LTE),
    exp.LT: (operator.lt, exp.GT),
    exp.LTE: (operator.le, exp.GTE),
    exp.EQ: (operator.eq, exp.EQ),
    exp.NEQ: (operator.ne, exp.NEQ),
}
#: Aggregates of no rows: 0, or NULL.
_NONE, _NULL = (exp.Count, exp.CountIf), (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median)
#: Without any of these there is nothing to be put plainly.
_SPELLED = (exp.Join, exp.EQ, exp.NEQ, exp.In, exp.Exists, exp.Subquery, exp.Anonymous, exp.SafeDivide)
#: Functions that write a day in a format, and its parts that mean what STRFTIME means by them.
_FORMATS = {
    "DATE_FORMAT": "YmdHSba",
    **dict.fromkeys(("FORMAT_DATE", "FORMAT_DATETIME", "FORMAT_TIMESTAMP"), "YmdHMSBbAa"),
}
#: The row that questions without a FROM are about.
_ONE_ROW = "one row"
#: What a sub-query of one number may have: more would make it another number.
_PLAIN = {"expressions", "from_", "joins", "where"}


def put_plainly(tree: exp.Expr) -> None:
    """The statement in the words that are read, in place."""
    if not any(isinstance(node, _SPELLED) for node in tree.walk()):
        return  # most questions have none of these: one look instead of six
    for select in reversed(list(tree.find_all(exp.Select))):  # the innermost first: what is around them has copies
        _from_what_it_asks(select)
        _filter_instead_of_joining(select)
        clause = select.args.get("where")
        for part in list(conjuncts(clause.this)) if clause is not None else ():
            _count_each_person(part)
    for compared in list(tree.find_all(exp.EQ, exp.NEQ)):
        _among_all(compared)
    for among in list(tree.find_all(exp.In)):
        _among_either(among)
    for exists in tree.find_all(exp.Exists):
        _without_limit(exists.this)
    for function in list(tree.find_all(exp.Anonymous, exp.SafeDivide)):
        _elsewhere(function)


def _elsewhere(function: exp.Expr) -> None:
    """What MySQL and BigQuery call STRFTIME and a division: formats of the parts that mean the same there."""
    if isinstance(function, exp.SafeDivide):
        above, below = (exp.Paren(this=each) for each in (function.this, function.expression))
        function.replace(exp.Div(this=above, expression=below))
        return
    given, name = function.expressions, str(function.this).upper()
    if len(given) == 2 and name in _FORMATS:
        form, day = (given[1], given[0]) if name == "DATE_FORMAT" else given
        parts = re.findall("%(.?)", form.name) if form.is_string else ["?"]
        if set(parts) <= set(_FORMATS[name]):
            function.replace(exp.TimeToStr(this=day, format=form))


def _from_what_it_asks(select: exp.Select) -> None:
    """``SELECT (SELECT COUNT(*) FROM a) / (SELECT ...)`` as the same FROM one row: how many rows the first has.

    The row is there whatever they have, and none of their columns is in it.
    """
    if select.args.get("from_") is not None or any(item.is_star for item in select.expressions):
        return
    numbers = (node for item in select.expressions for node in item.find_all(exp.Subquery, bfs=False))
    first = next((each for each in numbers if isinstance(each.this, exp.Select)), None)
    if first is not None and not first.args.get("alias"):
        many = exp.Alias(this=exp.Count(this=exp.Star()), alias=exp.to_identifier(_ONE_ROW, quoted=True))
        start = exp.From(this=_as_relation(first.this.copy()))
        select.set("from_", exp.From(this=_as_relation(exp.Select(expressions=[many], from_=start))))


def _as_relation(query: exp.Query) -> exp.Expr:
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(_ONE_ROW, quoted=True)))


def _filter_instead_of_joining(select: exp.Select) -> None:
    """``a SEMI JOIN b ON c`` as ``a WHERE EXISTS (SELECT 1 FROM b WHERE c)``; ANTI JOIN where there is none."""
    start, joins = select.args.get("from_"), select.args.get("joins") or []
    chosen = [each for each in joins if each.kind in ("SEMI", "ANTI")]
    plain = [each for each in joins if each.kind not in ("SEMI", "ANTI")]
    if start is None or not chosen or any(each.side in ("RIGHT", "FULL") for each in plain):
        return
    for join in chosen:
        using = join.args.get("using") or []
        if (using and plain) or join.args.get("method") or join.side not in ("", "LEFT"):
            continue  # whose column is meant would have to be known
        if using and not start.this.alias_or_name:
            start.this.set("alias", exp.TableAlias(this=exp.to_identifier("rows joined", quoted=True)))
        outside = exp.to_identifier(start.this.alias_or_name, quoted=True)
        equal: list[exp.Expr] = [
            exp.EQ(this=exp.Column(this=name.copy(), table=outside.copy()), expression=exp.Column(this=name.copy()))
            for name in using
        ]
        on = [join.args["on"].copy()] if join.args.get("on") is not None else []
        inner = exp.Select(expressions=[exp.Literal.number(1)], from_=exp.From(this=join.this.copy()))
        found: exp.Expr = exp.Exists(this=inner.where(*equal, *on, copy=False))
        found.meta.update(join.meta)
        select.where(exp.Not(this=found) if join.kind == "ANTI" else found, copy=False)
        joins.remove(join)


def _count_each_person(part: exp.Expr) -> None:
    """``(SELECT COUNT(*) FROM b WHERE b.x = a.x) >= 2`` as ``a.x IN (SELECT x ... HAVING COUNT(*) >= 2)``.

    Said of conditions that all rows must meet, where NULL and false are one. What is true of no rows at all, as a count
    below 2 is, is said of those that are not among the others.
    """
    if type(part) not in _COMPARED:
        return
    compared, turned = _COMPARED[type(part)]
    kind, query, number = type(part), part.this, part.expression
    if isinstance(number, exp.Subquery):
        kind, query, number = turned, number, query
        compared = _COMPARED[kind][0]
    select = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(select, exp.Select) or not isinstance(number, exp.Literal) or number.is_string:
        return
    listed, clause = select.expressions, select.args.get("where")
    if clause is None or len(listed) != 1 or {name for name, value in select.args.items() if value} - _PLAIN:
        return
    value = listed[0].this if isinstance(listed[0], exp.Alias) else listed[0]
    inside = {each.alias_or_name.lower() for each in _items(select)}
    outer = {id(each) for each in select.find_all(exp.Column) if each.table and each.table.lower() not in inside}
    links = [each for each in conjuncts(clause.this) if isinstance(each, exp.EQ) and _ends_outside(each, outer)]
    if not isinstance(value, (*_NONE, *_NULL)) or len(links) != 1 or len(outer) != 1:
        return
    ends = (links[0].this, links[0].expression)
    outside, within = ends if id(ends[0]) in outer else ends[::-1]
    if not isinstance(within, exp.Column):
        return
    rest = [each.copy() for each in conjuncts(clause.this) if each is not links[0]]
    nobody = isinstance(value, _NONE) and compared(0, float(number.this))
    wanted: exp.Expr = kind(this=value.copy(), expression=number.copy())
    people = exp.Select(
        expressions=[within.copy()],
        from_=select.args["from_"].copy(),
        joins=[each.copy() for each in select.args.get("joins") or []],
        group=exp.Group(expressions=[within.copy()]),
        having=exp.Having(this=exp.Not(this=exp.Paren(this=wanted)) if nobody else wanted),
    )
    if rest:
        people = people.where(*rest, copy=False)
    found: exp.Expr = exp.In(this=outside.copy(), query=exp.Subquery(this=people))
    if nobody:
        found = exp.Not(this=exp.Coalesce(this=found, expressions=[exp.false()]))
    part.replace(found)


def _among_all(node: exp.Expr) -> None:
    """``x = ANY (SELECT ...)`` as ``x IN (SELECT ...)``, and ``x <> ALL (SELECT ...)`` as ``NOT x IN (SELECT ...)``."""
    several = node.expression
    wanted = exp.Any if isinstance(node, exp.EQ) else exp.All
    if not isinstance(several, wanted) or not isinstance(several.this, exp.Query):
        return
    query = several.this if isinstance(several.this, exp.Subquery) else exp.Subquery(this=several.this)
    found = exp.In(this=node.this, query=query)
    node.replace(found if isinstance(node, exp.EQ) else exp.Not(this=exp.Paren(this=found)))


def _among_either(node: exp.Expr) -> None:
    """``x IN (SELECT ... UNION SELECT ...)`` as ``(x IN (SELECT ...) OR x IN (SELECT ...))``."""
    query = node.args.get("query")
    both = query.this if isinstance(query, exp.Subquery) else query
    known = {"this", "expression", "distinct"}
    if not isinstance(both, exp.Union) or {name for name, value in both.args.items() if value} - known:
        return
    sides = [exp.In(this=node.this.copy(), query=exp.Subquery(this=each)) for each in (both.this, both.expression)]
    node.replace(exp.Paren(this=exp.Or(this=sides[0], expression=sides[1])))
    for each in sides:
        _among_either(each)


def _without_limit(query: exp.Expr) -> None:
    """Whether there is a row does not depend on how many would be shown, nor in which order."""
    limit = query.args.get("limit")
    if limit is None or query.args.get("offset") is not None or not isinstance(limit.expression, exp.Literal):
        return
    if re.fullmatch("0*[1-9][0-9]*", limit.expression.this):
        query.set("limit", None)
        query.set("order", None)


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that must all hold."""
    match node:
        case exp.And():
            yield from conjuncts(node.this)
            yield from conjuncts(node.expression)
        case exp.Paren():
            yield from conjuncts(node.this)
        case _:
            yield node


def _items(select: exp.Select) -> list[exp.Expr]:
    """What a SELECT reads from."""
    start = select.args.get("from_")
    return [*([start.this] if start is not None else []), *(each.this for each in select.args.get("joins") or [])]


def _ends_outside(part: exp.Expr, outer: set[int]) -> bool:
    return (id(part.this) in outer) != (id(part.expression) in outer)

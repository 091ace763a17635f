"""ROLLUP, CUBE and GROUPING SETS: one SELECT for each set of keys, below one another.

The one idea: each set is an aggregate of its own, with its own noise, and prices add up. (Sums of the finest groups
would cost nothing, and be less exact the more groups there are: that is SUM(SUM(x)) OVER (PARTITION BY ...).)
"""

from __future__ import annotations

from itertools import combinations, product

from sqlglot import exp

from lapwing.query import clauses
from lapwing.query.items import Item, items
from lapwing.query.parsing.aggregates import is_aggregate, looks_aside
from lapwing.query.parsing.places import Spot
from lapwing.query.refusals import Text

#: Sets of keys in one SELECT, at most: each is paid for.
MOST_SETS = 32
_SPREADING = (exp.Rollup, exp.Cube, exp.GroupingSets)
_Sets = list[list[exp.Expr]]


def has_grouping_sets(select: exp.Select) -> bool:
    """Whether a SELECT groups by several sets of keys."""
    group = select.args.get("group")
    if group is None:
        return False
    inside = any(isinstance(each, _SPREADING) for each in group.expressions)
    return inside or any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets"))


def grouping_sets(text: Text, select: exp.Select) -> list[exp.Select]:
    """The SELECTs that stand below one another; without ORDER BY and LIMIT, which are about all of them."""
    listed = items(text, select)
    if any(looks_aside(each.node) for each in listed):
        raise Spot(text, select).invalid(
            "Q116", "a window beside several sets of keys", "Put the windows into a SELECT around this one"
        )
    sets = _sets(text, select.args["group"], listed)
    if len(sets) > MOST_SETS:
        raise Spot(text, select).invalid(
            "Q105", f"{len(sets)} sets of keys, and each is paid for", f"Ask for at most {MOST_SETS}"
        )
    every = list({each.sql(): each for chosen in sets for each in chosen}.values())
    return [_one(select, listed, chosen, every) for chosen in sets]


def _sets(text: Text, group: exp.Group, listed: list[Item]) -> _Sets:
    """All sets of keys, in the order in which they are written."""

    def resolved(node: exp.Expr) -> list[exp.Expr]:
        if isinstance(node, exp.Paren):
            return resolved(node.this)
        if isinstance(node, exp.Tuple):
            return [each for inner in node.expressions for each in resolved(inner)]
        number = clauses.ordinal(text, node, len(listed))
        if number is not None:
            return [listed[number].node]
        alias = node.name.lower() if isinstance(node, exp.Column) and not node.table else None
        named = [item.node for item in listed if item.alias is not None and item.alias.lower() == alias]
        return named[:1] or [node]

    def spread(node: exp.Expr) -> _Sets:
        if isinstance(node, exp.Rollup):
            parts = [resolved(each) for each in node.expressions]
            return [[key for part in parts[:many] for key in part] for many in range(len(parts), -1, -1)]
        if isinstance(node, exp.Cube):
            parts = [resolved(each) for each in node.expressions]
            if len(parts) > 5:
                raise Spot(text, node).invalid("Q105", "a CUBE of so many keys", "Name at most 5, or GROUPING SETS")
            many = range(len(parts), -1, -1)
            return [[key for part in some for key in part] for count in many for some in combinations(parts, count)]
        if isinstance(node, exp.GroupingSets):
            return [found for each in node.expressions for found in spread(each)]
        return [resolved(node)]

    whole = list(group.expressions)
    for name, kind in (("rollup", exp.Rollup), ("cube", exp.Cube), ("grouping_sets", exp.GroupingSets)):
        for each in group.args.get(name) or []:
            if each.expressions:
                whole.append(each)
            else:  # GROUP BY a, b WITH ROLLUP
                whole = [kind(expressions=whole)]
    found: _Sets = []
    for chosen in product(*(spread(each) for each in whole)):
        keys = list({key.sql(): key for part in chosen for key in part}.values())
        found.append(keys)
    return found


def _one(select: exp.Select, listed: list[Item], chosen: list[exp.Expr], every: list[exp.Expr]) -> exp.Select:
    """The SELECT of one set: other keys are NULL in it, and GROUPING says which."""
    kept = {key.sql() for key in chosen}
    gone = {key.sql() for key in every} - kept

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Grouping):
            bits = [0 if each.sql() in kept else 1 for each in node.expressions]
            return exp.Literal.number(sum(bit << at for at, bit in enumerate(reversed(bits))))
        if is_aggregate(node):
            return node
        if node.sql() in gone:
            return exp.null()
        for name, value in list(node.args.items()):
            if isinstance(value, exp.Expr):
                node.set(name, put(value))
            elif isinstance(value, list):
                node.set(name, [put(each) if isinstance(each, exp.Expr) else each for each in value])
        return node

    made = select.copy()
    for name in ("order", "limit", "offset", "with_"):
        made.set(name, None)
    named = [exp.Alias(this=put(item.node.copy()), alias=exp.to_identifier(item.name, quoted=True)) for item in listed]
    made.set("expressions", named)
    having = made.args.get("having")
    if having is not None:
        having.set("this", put(having.this))
    made.set("group", exp.Group(expressions=[key.copy() for key in chosen]) if chosen else None)
    return made

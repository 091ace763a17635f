"""Relations of private rows as SELECTs: every row that comes out belongs to one person, by the value of ``type.unit``.

The one idea: each column is cast to its declared kind where it is read, so that above the scan every INTEGER is a
BIGINT, every REAL a DOUBLE without NaN, and no engine has a reason to cast, or to fail, on its own.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Column, Expression, Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.bounding import KEY_TO_COME, PLACE, keyed_hash
from lapwing.query.lowering.scalars import boolean, scalar
from lapwing.query.lowering.sql import Typed, binary, column, named
from lapwing.query.lowering.steps import steps
from lapwing.query.plan import (
    PerUnit,
    Project,
    PublicJoin,
    Relation,
    Sampled,
    Scan,
    UnitColumn,
    UnitFunction,
    UnitJoin,
    Where,
)

_FIRST, _SECOND = "a", "b"


def relation(node: Relation) -> exp.Select:
    """The rows of a relation, with the columns of its type in their order."""
    match node:
        case Scan():
            return _scan(node)
        case Where():
            kept = sql.select([column(name) for name in node.type.columns], source(node.source))
            return sql.where(kept, boolean(node.condition, node.source.type.columns))
        case Project():
            return _project(node)
        case PublicJoin():
            return _public_join(node)
        case UnitJoin():
            return _unit_join(node)
        case PerUnit():
            return _per_unit(node)
        case Sampled():
            return _sampled(node)


def source(node: Relation, alias: str = _FIRST) -> exp.Expr:
    """The rows of a relation as something to select from."""
    return sql.as_relation(relation(node), alias)


def _scan(node: Scan) -> exp.Select:
    """All rows that are somebody's: a row whose unit is NULL is nobody's and is left out."""
    read = [named(_stored(node, name), name) for name in node.type.columns]
    # of a table none of whose columns can be asked about, rows can still be counted
    rows = sql.select(read or [named(sql.whole(1), "one")], sql.relation(node.table))
    if node.type.unit is None:
        return rows
    return sql.where(rows, sql.is_known(_stored(node, node.type.unit)))


def _stored(node: Scan, name: str) -> exp.Expr:
    """A column as its kind; a unit with one zero, or -0.0 and 0.0 could be one person to a join and two to a count."""
    kind = node.type.columns[name].kind
    value = sql.read(column(name), kind)
    return sql.settled(Typed(value, kind)) if name == node.type.unit else value


def _sampled(node: Sampled) -> exp.Select:
    """The first rows of each person in the order of a keyed hash; the key is put in at the end, by ``lower``."""
    inside = node.source.type
    if inside.unit is None:
        raise sql.refused("rows of a person sampled in a table without a unit", "Declare the unit in the policy")
    names = list(inside.columns)
    order = [exp.Ordered(this=each) for each in (keyed_hash(names, KEY_TO_COME, _FIRST), *map(column, names))]
    person = [column(inside.unit, _FIRST)]
    place = exp.Window(this=exp.RowNumber(), partition_by=person, order=exp.Order(expressions=order))
    ordered = sql.select(
        [*(named(column(name, _FIRST), name) for name in names), named(place, PLACE)], source(node.source)
    )
    few = binary(exp.LTE, column(PLACE), sql.whole(node.most))
    return sql.where(sql.select([column(name) for name in names], sql.as_relation(ordered, _SECOND)), few)


def _project(node: Project) -> exp.Select:
    given, types = node.source.type.columns, node.type.columns
    chosen = [named(sql.cast(scalar(e, given), types[name].kind).sql, name) for name, e in node.columns]
    return sql.select(chosen, source(node.source))


def _public_join(node: PublicJoin) -> exp.Select:
    """``unique`` is not taken on trust: a key that the public table has twice joins nothing."""
    given, types = node.source.type.columns, node.type.columns
    keys = [(f"on_{i}", mine, sql.read(column(theirs), given[mine].kind)) for i, (mine, theirs) in enumerate(node.on)]
    kept = [
        (f"got_{i}", name, sql.read(column(theirs), types[name].kind)) for i, (name, theirs) in enumerate(node.columns)
    ]
    if node.unique:
        chosen = [named(read, inner) for inner, _, read in keys]
        chosen += [named(exp.AnyValue(this=read), inner) for inner, _, read in kept]
        once = binary(exp.EQ, exp.Count(this=exp.Star()), exp.Literal.number(1))
        public = sql.grouped(sql.select(chosen, sql.relation(node.table)), [read for _, _, read in keys], once)
    else:
        public = sql.select([named(read, inner) for inner, _, read in keys + kept], sql.relation(node.table))
    same = [binary(exp.EQ, column(mine, _FIRST), column(inner, _SECOND)) for inner, mine, _ in keys]
    result = [named(column(name, _FIRST), name) for name in given if name in types]
    result += [named(column(inner, _SECOND), name) for inner, name, _ in kept]
    return _joined(sql.select(result, source(node.source)), sql.as_relation(public, _SECOND), same, left=node.left)


def _unit_join(node: UnitJoin) -> exp.Select:
    """Rows of the same person: the units are compared as they are, since a cast could make two people one."""
    first, second = node.first.type, node.second.type
    if first.unit is None or second.unit is None or node.type.unit != first.unit:
        raise sql.refused("a join of private tables in which rows have no owner", "Join tables that have a unit")
    if first.columns[first.unit].kind is not second.columns[second.unit].kind:
        raise sql.refused(
            "a join of private tables whose units are of different kinds", "Declare both units as the same kind"
        )
    same = [binary(exp.EQ, column(first.unit, _FIRST), column(second.unit, _SECOND))]
    for mine, theirs in node.on:
        pair = (
            Typed(column(mine, _FIRST), first.columns[mine].kind),
            Typed(column(theirs, _SECOND), second.columns[theirs].kind),
        )
        left, right = sql.common(pair, text_wins=False)
        same.append(binary(exp.EQ, left.sql, right.sql))
    result = [named(column(name, _FIRST), name) for name in first.columns]
    result += [named(column(theirs, _SECOND), name) for name, theirs in node.columns]
    return _joined(sql.select(result, source(node.first)), source(node.second, _SECOND), same, left=node.left)


def _joined(rows: exp.Select, other: exp.Expr, same: list[exp.Expr], *, left: bool) -> exp.Select:
    return sql.joined(rows, other, functools.reduce(lambda a, b: binary(exp.And, a, b), same), left=left)


def _per_unit(node: PerUnit) -> exp.Select:
    """One row per person and keys. MIN, MAX and sums of whole numbers do not depend on the order of rows."""
    inside = node.source.type
    if inside.unit is None or node.type.unit is None:
        raise sql.refused("rows grouped by person in a table without a unit", "Declare the unit in the policy")
    grouped: list[tuple[str, exp.Expr]] = [(node.type.unit, column(inside.unit, _FIRST))]
    grouped += [(key, sql.settled(scalar(Column(key), inside.columns, _FIRST))) for key in node.keys]
    result = [named(expression, name) for name, expression in grouped]
    for item in node.columns:
        value = sql.cast(_unit_value(item, node), node.type.columns[item.name].kind)
        result.append(named(value.sql, item.name))
    return sql.grouped(sql.select(result, source(node.source)), [expression for _, expression in grouped])


def _unit_value(item: UnitColumn, node: PerUnit) -> Typed:
    def argument() -> Typed:
        expression: Expression | None = item.argument
        if expression is None:
            raise sql.refused(f"{item.function} for each person has nothing to work on", "Give it an argument")
        return scalar(expression, node.source.type.columns, _FIRST)

    match item.function:
        case UnitFunction.COUNT:
            counted = exp.Star() if item.argument is None else argument().sql
            return Typed(exp.Count(this=counted), Kind.INTEGER)
        case UnitFunction.MIN | UnitFunction.MAX:
            value = argument()
            function = exp.Min if item.function is UnitFunction.MIN else exp.Max
            return Typed(function(this=sql.settled(value)), value.kind)
        case UnitFunction.SUM:
            return _unit_sum(sql.number(argument()), item)


def _unit_sum(value: Typed, item: UnitColumn) -> Typed:
    if item.low is None or item.high is None:
        if value.kind is not Kind.INTEGER:
            raise sql.refused(f"the sum {item.name!r} for each person has no range", "Write SUM(CLIP(..., low, high))")
        return Typed(sql.try_cast(exp.Sum(this=value.sql), "BIGINT"), Kind.INTEGER)
    low, high = item.low // item.step, item.high // item.step
    total = exp.Sum(this=steps(value, item.step, low, high).sql)
    if value.kind is Kind.INTEGER and item.step.denominator == 1 and item.step < Fraction(2**62):
        scaled = binary(exp.Mul, total, sql.sure_cast(exp.Literal.number(item.step.numerator), sql.WIDE))
        return Typed(sql.try_cast(scaled, "BIGINT"), Kind.INTEGER)
    return Typed(binary(exp.Mul, sql.try_cast(total, "DOUBLE"), sql.real(item.step)), Kind.REAL)

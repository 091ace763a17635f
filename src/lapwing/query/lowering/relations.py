"""Relations of private rows as SELECTs: every row that comes out belongs to one person, by the value of ``type.unit``.

The one idea: each column is cast to its declared kind where it is read, so that above the scan every INTEGER is a
BIGINT, every REAL a DOUBLE without NaN, and no engine has a reason to cast, or to fail, on its own.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Column, Expression, Kind, Word
from lapwing.kernel.evidence.plan import (
    Foremost,
    Match,
    Meeting,
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
from lapwing.query.lowering import sql
from lapwing.query.lowering.bounding import KEY_TO_COME, PLACE, keyed_hash
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.dialects.dialect import settled
from lapwing.query.lowering.naming import FIRST, Names
from lapwing.query.lowering.scalars import boolean, scalar
from lapwing.query.lowering.sql import Typed, as_plan, binary, column, named, of_plan
from lapwing.query.lowering.steps import steps

_SECOND = "b"
_COMPARED: dict[Word, type[exp.Binary]] = {
    Word.EQUAL: exp.EQ,
    Word.NOT_EQUAL: exp.NEQ,
    Word.LESS: exp.LT,
    Word.AT_MOST: exp.LTE,
    Word.GREATER: exp.GT,
    Word.AT_LEAST: exp.GTE,
}


def relation(node: Relation, dialect: Dialect) -> exp.Select:
    """The rows of a relation, with the columns of its type in their order."""
    match node:
        case Scan():
            return _scan(node, dialect)
        case Where():
            names = Names(node.source.type.columns, dialect)
            condition = boolean(node.condition, names)
            kept = [as_plan(of_plan(name, FIRST), name) for name in node.type.columns]
            return sql.where(sql.select(kept, names.rows(relation(node.source, dialect))), condition)
        case Project():
            return _project(node, dialect)
        case PublicJoin():
            return _public_join(node, dialect)
        case UnitJoin():
            return _unit_join(node, dialect)
        case Match():
            return _match(node, dialect)
        case PerUnit():
            return _per_unit(node, dialect)
        case Sampled():
            return _first(node, node.most, (), (), dialect)
        case Foremost():
            return _first(node, node.most, node.within, node.order, dialect)


def source(node: Relation, dialect: Dialect, alias: str = FIRST) -> exp.Expr:
    """The rows of a relation as something to select from."""
    return sql.as_relation(relation(node, dialect), alias)


def _scan(node: Scan, dialect: Dialect) -> exp.Select:
    """All rows that are somebody's: a row whose unit is NULL is nobody's and is left out."""
    read = [as_plan(_stored(node, name, dialect), name) for name in node.type.columns]
    # of a table none of whose columns can be asked about, rows can still be counted
    rows = sql.select(read or [named(sql.whole(1), "one")], sql.stored(node.table, FIRST))
    if node.type.unit is None:
        return rows
    return sql.where(rows, sql.is_known(_stored(node, node.type.unit, dialect)))


def _stored(node: Scan, name: str, dialect: Dialect) -> exp.Expr:
    """A column as its kind; a unit with one zero, or -0.0 and 0.0 could be one person to a join and two to a count."""
    kind = node.type.columns[name].kind
    value = dialect.read(column(name, FIRST), kind)
    return settled(Typed(value, kind)) if name == node.type.unit else value


def _first(
    node: Sampled | Foremost,
    most: int,
    within: tuple[str, ...],
    order: tuple[tuple[str, bool], ...],
    dialect: Dialect,
) -> exp.Select:
    """The first rows of each person in an order, then in that of a keyed hash; ``lower`` puts the key in at the end."""
    inside = node.source.type
    if inside.unit is None:
        raise sql.refused("rows of a person chosen in a table without a unit", "Declare the unit in the policy")
    names = list(inside.columns)
    cells = [of_plan(name, FIRST) for name in names]
    by: list[exp.Expr] = []
    for name, descending in order:
        # whether it is NULL comes first: engines differ in where they put those
        by.append(exp.Ordered(this=sql.case([(sql.is_null(of_plan(name, FIRST)), sql.whole(1))], sql.whole(0))))
        by.append(exp.Ordered(this=settled(Typed(of_plan(name, FIRST), inside.columns[name].kind)), desc=descending))
    by += [exp.Ordered(this=each) for each in (keyed_hash(cells, KEY_TO_COME, dialect), *cells)]
    among = [of_plan(inside.unit, FIRST)]
    among += [settled(Typed(of_plan(name, FIRST), inside.columns[name].kind)) for name in within]
    place = exp.Window(this=exp.RowNumber(), partition_by=among, order=exp.Order(expressions=by))
    carried = [as_plan(cell, name) for cell, name in zip(cells, names, strict=True)]
    ordered = sql.select([*carried, named(place, PLACE)], source(node.source, dialect))
    few = binary(exp.LTE, column(PLACE, _SECOND), sql.whole(most))
    kept = [as_plan(of_plan(name, _SECOND), name) for name in names]
    return sql.where(sql.select(kept, sql.as_relation(ordered, _SECOND)), few)


def _project(node: Project, dialect: Dialect) -> exp.Select:
    names, types = Names(node.source.type.columns, dialect), node.type.columns
    for _, expression in node.columns:
        names.count(expression)
    chosen = [as_plan(names.cast(scalar(e, names), types[name].kind).sql, name) for name, e in node.columns]
    computed = any(not isinstance(expression, Column) for _, expression in node.columns)
    rows = sql.select(chosen, names.rows(relation(node.source, dialect)))
    return dialect.apart(rows) if computed else rows


def _public_join(node: PublicJoin, dialect: Dialect) -> exp.Select:
    """``unique`` is not taken on trust: a key that the public table has twice joins nothing."""
    given, types = node.source.type.columns, node.type.columns
    keys = [
        (f"on_{i}", mine, dialect.read(column(theirs, _SECOND), given[mine].kind))
        for i, (mine, theirs) in enumerate(node.on)
    ]
    kept = [
        (f"got_{i}", name, dialect.read(column(theirs, _SECOND), types[name].kind))
        for i, (name, theirs) in enumerate(node.columns)
    ]
    stored = sql.stored(node.table, _SECOND)
    if node.unique:
        chosen = [named(read, inner) for inner, _, read in keys]
        chosen += [named(dialect.only(Typed(read, types[name].kind)), inner) for inner, name, read in kept]
        once = binary(exp.EQ, exp.Count(this=exp.Star()), exp.Literal.number(1))
        public = sql.grouped(sql.select(chosen, stored), [read for _, _, read in keys], once)
    else:
        public = sql.select([named(read, inner) for inner, _, read in keys + kept], stored)
    same = [binary(exp.EQ, of_plan(mine, FIRST), column(inner, _SECOND)) for inner, mine, _ in keys]
    result = [as_plan(of_plan(name, FIRST), name) for name in given if name in types]
    result += [as_plan(column(inner, _SECOND), name) for inner, name, _ in kept]
    return _joined(
        sql.select(result, source(node.source, dialect)), sql.as_relation(public, _SECOND), same, left=node.left
    )


def _unit_join(node: UnitJoin, dialect: Dialect) -> exp.Select:
    """Rows of the same person: the units are compared as they are, since a cast could make two people one."""
    first, second = node.first.type, node.second.type
    if first.unit is None or second.unit is None or node.type.unit != first.unit:
        raise sql.refused("a join of private tables in which rows have no owner", "Join tables that have a unit")
    if first.columns[first.unit].kind is not second.columns[second.unit].kind:
        raise sql.refused(
            "a join of private tables whose units are of different kinds", "Declare both units as the same kind"
        )
    same = [binary(exp.EQ, of_plan(first.unit, FIRST), of_plan(second.unit, _SECOND))]
    for mine, theirs in node.on:
        pair = (
            Typed(of_plan(mine, FIRST), first.columns[mine].kind),
            Typed(of_plan(theirs, _SECOND), second.columns[theirs].kind),
        )
        left, right = dialect.common(pair, text_wins=False)
        same.append(binary(exp.EQ, left.sql, right.sql))
    result = [as_plan(of_plan(name, FIRST), name) for name in first.columns]
    result += [as_plan(of_plan(theirs, _SECOND), name) for name, theirs in node.columns]
    return _joined(
        sql.select(result, source(node.first, dialect)), source(node.second, dialect, _SECOND), same, left=node.left
    )


def _match(node: Match, dialect: Dialect) -> exp.Select:
    """Rows that compare with others; of private ones only the same person's, whose units are compared as they are."""
    here, there = node.source.type, node.other.type
    same: list[exp.Expr] = []
    if not node.public:
        if here.unit is None or there.unit is None or node.type.unit != here.unit:
            raise sql.refused("rows that meet private ones and have no owner", "Join tables that have a unit")
        if here.columns[here.unit].kind is not there.columns[there.unit].kind:
            raise sql.refused("units of different kinds that meet", "Declare both units as the same kind")
        same.append(binary(exp.EQ, of_plan(here.unit, FIRST), of_plan(there.unit, _SECOND)))
    for mine, word, theirs in node.on:
        pair = (
            Typed(of_plan(mine, FIRST), here.columns[mine].kind),
            Typed(of_plan(theirs, _SECOND), there.columns[theirs].kind),
        )
        left, right = dialect.common(pair, text_wins=False)
        same.append(binary(_COMPARED[word], left.sql, right.sql))
    condition = sql.every(same) or exp.true()
    result = [as_plan(of_plan(name, FIRST), name) for name in here.columns]
    if node.how is Meeting.MARK:
        met = sql.where(sql.select([named(sql.whole(1), "one")], source(node.other, dialect, _SECOND)), condition)
        found = dialect.exists(met)
        return sql.select([*result, as_plan(found, str(node.mark))], source(node.source, dialect))
    result += [as_plan(of_plan(theirs, _SECOND), name) for name, theirs in node.columns]
    rows = sql.select(result, source(node.source, dialect))
    return sql.joined(rows, source(node.other, dialect, _SECOND), condition, left=node.how is Meeting.LEFT)


def _joined(rows: exp.Select, other: exp.Expr, same: list[exp.Expr], *, left: bool) -> exp.Select:
    return sql.joined(rows, other, functools.reduce(lambda a, b: binary(exp.And, a, b), same), left=left)


def _per_unit(node: PerUnit, dialect: Dialect) -> exp.Select:
    """One row per person and keys. MIN, MAX and sums of whole numbers do not depend on the order of rows."""
    inside = node.source.type
    if inside.unit is None or node.type.unit is None:
        raise sql.refused("rows grouped by person in a table without a unit", "Declare the unit in the policy")
    names = Names(inside.columns, dialect)
    grouped: list[tuple[str, exp.Expr]] = [(node.type.unit, of_plan(inside.unit, FIRST))]
    grouped += [(key, settled(scalar(Column(key), names))) for key in node.keys]
    result = [as_plan(expression, name) for name, expression in grouped]
    for item in node.columns:
        value = dialect.cast(_unit_value(item, names), node.type.columns[item.name].kind)
        result.append(as_plan(value.sql, item.name))
    rows = sql.select(result, names.rows(relation(node.source, dialect)))
    return sql.grouped(rows, [expression for _, expression in grouped])


def _unit_value(item: UnitColumn, names: Names) -> Typed:
    def argument() -> Typed:
        expression: Expression | None = item.argument
        if expression is None:
            raise sql.refused(f"{item.function} for each person has nothing to work on", "Give it an argument")
        return names.once(scalar(expression, names))

    match item.function:
        case UnitFunction.COUNT:
            counted = exp.Star() if item.argument is None else argument().sql
            return Typed(exp.Count(this=counted), Kind.INTEGER)
        case UnitFunction.DIFFERENT:
            each = exp.Distinct(expressions=[settled(argument())])
            return Typed(exp.Count(this=each), Kind.INTEGER)
        case UnitFunction.MIN | UnitFunction.MAX:
            value = argument()
            function = exp.Min if item.function is UnitFunction.MIN else exp.Max
            return Typed(names.dialect.extreme(function, Typed(settled(value), value.kind)), value.kind)
        case UnitFunction.LOWER_MEDIAN | UnitFunction.UPPER_MEDIAN:
            value = argument()
            upper = item.function is UnitFunction.UPPER_MEDIAN
            return Typed(names.dialect.median(settled(value), upper=upper), value.kind)
        case UnitFunction.SUM:
            return _unit_sum(names.once(names.number(argument())), item, names.dialect)


def _unit_sum(value: Typed, item: UnitColumn, dialect: Dialect) -> Typed:
    if item.low is None or item.high is None:
        if value.kind is not Kind.INTEGER:
            raise sql.refused(f"the sum {item.name!r} for each person has no range", "Write SUM(CLIP(..., low, high))")
        return Typed(dialect.narrowed(dialect.summed(value.sql, 2**63)), Kind.INTEGER)
    low, high = item.low // item.step, item.high // item.step
    points = steps(value, item.step, low, high, dialect)
    total = dialect.summed(points.sql, max(abs(low), abs(high)))
    if value.kind is Kind.INTEGER and item.step.denominator == 1 and item.step < Fraction(2**62):
        scaled = binary(exp.Mul, total, dialect.widened(exp.Literal.number(item.step.numerator)))
        return Typed(dialect.narrowed(scaled), Kind.INTEGER)
    return Typed(dialect.scaled(total, item.step), Kind.REAL)

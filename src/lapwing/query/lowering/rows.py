"""The rows of an aggregate, reduced to what is counted: whose each is, its group, and a whole number a measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.expressions import Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.bounding import ROWS, UNIT
from lapwing.query.lowering.groups import key_value, listed
from lapwing.query.lowering.relations import source
from lapwing.query.lowering.scalars import scalar
from lapwing.query.lowering.sql import Typed, binary, column, named
from lapwing.query.lowering.steps import bucket, measured
from lapwing.query.plan import Aggregate, Function, Measurement

KEY = "key_"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows with a column ``unit`` where they are ``owned``, then ``columns``.

    ``counted`` has X of each measurement that needs one, as a column under the alias ROWS with its range.
    """

    select: exp.Select
    columns: tuple[str, ...]
    counted: Mapping[str, Typed]
    owned: bool
    costly: bool = False


def rows_of(aggregate: Aggregate, measurements: Iterable[Measurement]) -> Rows:
    """The rows of the listed groups."""
    inside = aggregate.source.type
    keys = {f"{KEY}{i}": key_value(key, aggregate.source) for i, key in enumerate(aggregate.keys)}
    columns: dict[str, Typed] = {}
    counted: dict[str, Typed] = {}
    wanted = list(measurements)
    totals = {each.argument: each for each in wanted if each.function is Function.TOTAL}
    for measurement in wanted:
        # The X of a sum is NULL exactly where its argument is, so a count of the same argument is told by it.
        told = totals.get(measurement.argument) if measurement.function is Function.ROWS else None
        x = _counted(told or measurement, aggregate)
        if x is None:
            continue
        if inside.unit is not None and (told or measurement).function in (Function.TOTAL, Function.SQUARES):
            x = _narrow(x)
        # Measurements of the same X share its column.
        name = next((known for known, value in columns.items() if value.sql == x.sql), f"x_{len(columns)}")
        columns[name] = x
        counted[measurement.name] = Typed(column(name, ROWS), x.kind, x.low, x.high)
    chosen = [named(column(inside.unit), UNIT)] if inside.unit is not None else []
    chosen += [named(value, name) for name, value in keys.items()]
    chosen += [named(value.sql, name) for name, value in columns.items()]
    select = sql.select(chosen or [named(sql.whole(1), "one")], source(aggregate.source))
    conditions = [
        condition
        for key, value in zip(aggregate.keys, keys.values(), strict=True)
        if (condition := listed(key, value)) is not None
    ]
    kept = sql.every(conditions)
    return Rows(sql.where(select, kept) if kept else select, (*keys, *columns), counted, inside.unit is not None)


def _narrow(x: Typed) -> Typed:
    """X in 32 bits where it fits: the join that finds the weights is an eighth faster with less to carry."""
    fits = max(abs(x.low), abs(x.high)) < 2**31
    return Typed(sql.sure_cast(x.sql, "INT"), x.kind, x.low, x.high) if fits else x


def people_in_groups(rows: Rows) -> Rows:
    """One row for each person in each group where the argument was known in some row; the limit is then of groups."""
    keys = tuple(name for name in rows.columns if name.startswith(KEY))
    chosen = [column(name, ROWS) for name in ((UNIT, *keys) if rows.owned else keys)]
    # Without a unit each row is a person of its own, and two that are alike are two.
    pairs = sql.select(chosen or [named(sql.whole(1), "one")], sql.as_relation(rows.select, ROWS))
    argument = next(iter(rows.counted.values()), None)
    if argument is not None:
        pairs = sql.where(pairs, sql.is_known(argument.sql))
    return Rows(pairs.distinct(copy=False) if rows.owned else pairs, keys, {}, rows.owned, costly=rows.owned)


def _counted(measurement: Measurement, aggregate: Aggregate) -> Typed | None:
    """X of a row, NULL where the row does not count; None where every row counts 1."""
    if measurement.argument is None:
        if measurement.function in (Function.ROWS, Function.UNITS):
            return None
        raise sql.refused(f"the measurement {measurement.name!r} has nothing to work on", "Give it an argument")
    value = scalar(measurement.argument, aggregate.source.type.columns)
    match measurement.function:
        case Function.ROWS | Function.UNITS:
            known = sql.case([(sql.is_known(value.sql), exp.Literal.number(1))])
            return Typed(known, Kind.INTEGER, 1, 1)
        case Function.DISTINCT:
            return Typed(sql.settled(value), value.kind)
        case Function.QUANTILE:
            return bucket(value, measurement)
        case Function.TOTAL:
            return measured(value, measurement)
        case Function.SQUARES:
            x = measured(value, measurement)
            size = max(abs(x.low), abs(x.high)) ** 2
            wide = x.sql if size < 2**62 else sql.sure_cast(x.sql, sql.WIDE)
            return Typed(binary(exp.Mul, wide, wide), Kind.INTEGER, 0, size)

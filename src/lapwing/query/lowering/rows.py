"""The rows of an aggregate, reduced to what is counted: whose each is, its group, and a whole number a measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Kind
from lapwing.kernel.evidence.plan import Aggregate, Function, Measurement
from lapwing.query.lowering import sql
from lapwing.query.lowering.bounding import ROWS, UNIT
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.dialects.dialect import settled
from lapwing.query.lowering.groups import key_value, listed
from lapwing.query.lowering.naming import FIRST, Names
from lapwing.query.lowering.relations import relation
from lapwing.query.lowering.scalars import scalar
from lapwing.query.lowering.sql import Typed, binary, column, named
from lapwing.query.lowering.steps import bucket, measured

KEY = "key_"
#: What is added up row by row.
ADDED = (Function.TOTAL, Function.SQUARES, Function.SHARE)


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


def rows_of(aggregate: Aggregate, measurements: Iterable[Measurement], dialect: Dialect) -> Rows:
    """The rows of the listed groups."""
    inside = aggregate.source.type
    names = Names(inside.columns, dialect)
    keys = {f"{KEY}{i}": key_value(key, names) for i, key in enumerate(aggregate.keys)}
    columns: dict[str, Typed] = {}
    counted: dict[str, Typed] = {}
    wanted = list(measurements)
    totals = {each.argument: each for each in wanted if each.function is Function.TOTAL or _is_plain_share(each)}
    for measurement in wanted:
        # The X of a sum is NULL exactly where its argument is, so a count of the same argument is told by it.
        told = totals.get(measurement.argument) if measurement.function is Function.ROWS else None
        x = _counted(told or measurement, names)
        if x is None:
            continue
        if inside.unit is not None and (told or measurement).function in ADDED:
            x = _narrow(x, dialect)
        # Measurements of the same X share its column.
        name = next((known for known, value in columns.items() if value.sql == x.sql), f"x_{len(columns)}")
        columns[name] = x
        counted[measurement.name] = Typed(column(name, ROWS), x.kind, x.low, x.high)
    chosen = [named(sql.of_plan(inside.unit, FIRST), UNIT)] if inside.unit is not None else []
    chosen += [named(value, name) for name, value in keys.items()]
    chosen += [named(value.sql, name) for name, value in columns.items()]
    select = sql.select(chosen or [named(sql.whole(1), "one")], names.rows(relation(aggregate.source, dialect)))
    conditions = [
        condition
        for key, value in zip(aggregate.keys, keys.values(), strict=True)
        if (condition := listed(key, value, dialect)) is not None
    ]
    kept = sql.every(conditions)
    return Rows(sql.where(select, kept) if kept else select, (*keys, *columns), counted, inside.unit is not None)


def _narrow(x: Typed, dialect: Dialect) -> Typed:
    """X as a number of 32 bits where it fits."""
    fits = max(abs(x.low), abs(x.high)) < 2**31
    return Typed(dialect.narrow(x.sql), x.kind, x.low, x.high) if fits else x


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


def _counted(measurement: Measurement, names: Names) -> Typed | None:
    """X of a row, NULL where the row does not count; None where every row counts 1."""
    if measurement.argument is None:
        if measurement.function in (Function.ROWS, Function.UNITS):
            return None
        raise sql.refused(f"the measurement {measurement.name!r} has nothing to work on", "Give it an argument")
    value = names.once(scalar(measurement.argument, names))
    match measurement.function:
        case Function.ROWS | Function.UNITS:
            known = sql.case([(sql.is_known(value.sql), exp.Literal.number(1))])
            return Typed(known, Kind.INTEGER, 1, 1)
        case Function.DISTINCT:
            return Typed(settled(value), value.kind)
        case Function.QUANTILE:
            return bucket(value, measurement, names)
        case Function.TOTAL:
            return measured(value, measurement, names.dialect)
        case Function.SQUARES:
            return _square(names.once(measured(value, measurement, names.dialect)), measurement.shift, names.dialect)
        case Function.SHARE:
            return _share(names.once(measured(value, measurement, names.dialect)), measurement, names.dialect)


def _is_plain_share(measurement: Measurement) -> bool:
    """Whether what a row counts is X itself; the other place of it is told by the sum, and by how many rows there are.

    See ``sums``: Σ (N - X) is N times the rows, less Σ X.
    """
    return measurement.function is Function.SHARE and measurement.degree == 1


def _share(x: Typed, measurement: Measurement, dialect: Dialect) -> Typed:
    """X from 0 to N, of degree 1; of degree 2 the squares of X and of N - X, or what they leave of the square of N."""
    if x.low != 0 or x.high >= 2**31 or measurement.degree not in (1, 2):
        raise sql.refused(f"the measurement {measurement.name!r} has no possible places", "Use larger steps")
    if measurement.degree == 1:
        return x
    shift = measurement.shift
    above = _square(x, shift, dialect)
    rest = Typed(binary(exp.Sub, sql.whole(x.high), x.sql), Kind.INTEGER, 0, x.high)
    below = _square(rest, shift, dialect)
    if measurement.place != 1:
        return above if measurement.place else below
    left = binary(exp.Sub, binary(exp.Sub, sql.whole(x.high**2 >> shift), above.sql), below.sql)
    return Typed(left, Kind.INTEGER, 0, x.high**2 >> shift)


def _square(x: Typed, shift: int, dialect: Dialect) -> Typed:
    """floor(X²/2^shift)."""
    size = max(abs(x.low), abs(x.high)) ** 2
    large = size >= 2**62
    wide = dialect.widened(x.sql) if large else x.sql
    square = binary(exp.Mul, wide, wide)
    if not shift:
        return Typed(square, Kind.INTEGER, 0, size)
    part = 2**shift
    halved = dialect.divided_wide(square, part) if large else dialect.divided(square, sql.whole(part))
    return Typed(halved, Kind.INTEGER, 0, size // part)

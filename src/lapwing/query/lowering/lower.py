"""``lower``: the statements of a typed query. Their results are what noise is added to.

The one idea: rows first become (person, keys, whole numbers), then each person is bounded, then whole numbers are added
in twice the width and clamped to 61 bits. Clamping is 1-Lipschitz in each group, so it never raises a sensitivity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from lapwing.errors import InvalidInput
from lapwing.query.lowering import bounding, sql
from lapwing.query.lowering.bounding import HEAVY, KEPT, ROWS, UNIT, Weight
from lapwing.query.lowering.public import PublicKeys, public_keys
from lapwing.query.lowering.rows import KEY, Rows, people_in_groups, rows_of
from lapwing.query.lowering.sql import binary, column, named
from lapwing.query.plan import Aggregate, Bounding, Function, Measurement, Query

#: Sums are clamped to this, so that noise has room in 64 bits.
LIMIT = 2**61
#: Largest size of one summand: 2^36 rows of it are still far from the 127 bits they are added in.
_SUMMAND = 2**90
#: A weight's steps, at most: 2^40 rows of full weight still fit 64 bits.
_STEPS = 2**20
_DIALECTS = ("duckdb",)


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT with columns in this order: ``keys``, a bucket if ``bucketed``, ``values`` as BIGINT, never NULL."""

    sql: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    bucketed: bool = False


@dataclass(frozen=True, slots=True)
class Lowered:
    """The statements of a query, for one snapshot, and its joins with public tables, to be looked at before."""

    statements: tuple[Statement, ...]
    joins: tuple[PublicKeys, ...]


def lower(query: Query, dialect: str, sampling_key: int) -> Lowered:
    """The statements that compute every measurement of a query before noise.

    Groups without rows are absent, and rows outside the listed keys are in no group and do not count towards a person's
    limit. ``sampling_key`` is secret: it decides which rows a sample keeps, and appears in statements that sample.
    """
    if dialect not in _DIALECTS:
        raise InvalidInput("Q352", f"no engine speaks the dialect {dialect!r}", f"Use one of: {', '.join(_DIALECTS)}")
    aggregate = query.aggregate
    measurements = [*aggregate.measurements, *([aggregate.selection] if aggregate.selection else [])]
    statements = [_statement(aggregate, together, dialect, sampling_key) for together in _together(measurements)]
    return Lowered(tuple(statements), tuple(public_keys(aggregate.source)))


def _together(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """Measurements that one statement can compute: those that count the same rows of each person."""
    groups: dict[object, list[Measurement]] = {}
    for measurement in measurements:
        sampled = measurement.rows_per_unit if measurement.bounding is Bounding.SAMPLE else None
        match measurement.function:
            case Function.QUANTILE:
                shared: object = (Function.QUANTILE, measurement.name)
            case Function.UNITS:
                shared = (Function.UNITS, measurement.argument, sampled)
            case _:
                shared = (Function.ROWS, sampled)
        groups.setdefault(shared, []).append(measurement)
    return list(groups.values())


def _statement(aggregate: Aggregate, measurements: list[Measurement], dialect: str, sampling_key: int) -> Statement:
    rows = rows_of(aggregate, measurements)
    function = measurements[0].function
    if function is Function.UNITS:
        rows = people_in_groups(rows)
    select, parts = _bounded(rows, measurements, sampling_key)
    weights = _weights(rows, measurements)
    group = [column(f"{KEY}{i}", ROWS) for i in range(len(aggregate.keys))]
    chosen = [named(key, f"{KEY}{i}") for i, key in enumerate(group)]
    if function is Function.QUANTILE:
        bucket = rows.counted[measurements[0].name].sql
        select, group = sql.where(select, sql.is_known(bucket)), [*group, bucket]
        chosen.append(named(bucket, "bucket"))
    for i, measurement in enumerate(measurements):
        chosen.append(named(_clamped(_value(measurement, rows, weights)), f"value_{i}"))
    select.set("expressions", chosen)
    select = sql.grouped(select, group) if group else select
    for name, body, stored in parts:
        select = select.with_(exp.to_identifier(name, quoted=True), as_=body, materialized=stored, copy=False)
    secret = exp.Literal.string(f"{sampling_key:x}")
    for place in list(select.find_all(exp.Placeholder)):
        place.replace(secret.copy())
    names = tuple(measurement.name for measurement in measurements)
    keys = tuple(key.name for key in aggregate.keys)
    return Statement(select.sql(dialect=dialect), keys, names, function is Function.QUANTILE)


def _weights(rows: Rows, measurements: list[Measurement]) -> list[Weight]:
    """The different weights of a statement. Without a unit each row is a person of its own and within every limit."""
    if not rows.owned:
        return []
    wanted = [m for m in measurements if m.bounding is Bounding.WEIGHTS]
    return list(dict.fromkeys(Weight(m.rows_per_unit, m.weight_steps) for m in wanted))


def _bounded(
    rows: Rows, measurements: list[Measurement], sampling_key: int
) -> tuple[exp.Select, list[tuple[str, exp.Select, bool]]]:
    """A SELECT without columns yet, from the bounded rows under the alias ROWS, and the WITH parts it needs."""
    plain = sql.select([], sql.relation(ROWS))
    sampled = measurements[0].bounding is Bounding.SAMPLE
    weights = _weights(rows, measurements)
    # People in groups are found by a costly DISTINCT, so once; plain rows are cheaper to read again than to keep.
    base = (ROWS, rows.select, rows.costly and bool(weights or sampled))
    if rows.owned and sampled:
        limit = measurements[0].rows_per_unit
        kept = bounding.sample([UNIT, *rows.columns], limit, sampling_key)
        select = sql.select([], exp.alias_(sql.relation(KEPT), ROWS, table=True, quoted=True))
        return select, [base, (HEAVY, bounding.over(limit), False), (KEPT, kept, False)]
    if weights:
        return bounding.weighted(plain), [base, (HEAVY, bounding.heavy(weights), False)]
    return plain, [base]


def _value(measurement: Measurement, rows: Rows, weights: list[Weight]) -> exp.Expr:
    """Σ weight · X before clamping. Whatever is added is small enough that no sum can overflow."""
    full = measurement.weight_steps
    if not 1 <= full <= _STEPS or not 1 <= measurement.rows_per_unit < 2**40:
        raise sql.refused(f"the measurement {measurement.name!r} has no possible weights", "Choose smaller limits")
    weight = Weight(measurement.rows_per_unit, full)
    each = None
    if measurement.bounding is Bounding.WEIGHTS and weight in weights:
        each = bounding.weight_of(weights.index(weight), weight)
    x = None if measurement.function is Function.QUANTILE else rows.counted.get(measurement.name)
    match measurement.function:
        case Function.DISTINCT:
            if measurement.bounding is Bounding.WEIGHTS or x is None:
                raise sql.refused("different values cannot be counted by weights", "Bound them by a sample")
            return _times(exp.Count(this=exp.Distinct(expressions=[x.sql])), full)
        case Function.TOTAL | Function.SQUARES:
            if x is None:
                raise sql.refused(f"the measurement {measurement.name!r} has nothing to add", "Give it an argument")
            size = max(abs(x.low), abs(x.high)) * full
            if size >= _SUMMAND:
                raise sql.refused(f"the steps of {measurement.name!r} are too fine to be added", "Use larger steps")
            if each is None:
                return _times(exp.Sum(this=x.sql), full)
            wide = sql.sure_cast(x.sql, "BIGINT" if size < 2**62 else sql.WIDE)
            return exp.Sum(this=binary(exp.Mul, each, wide))
        case _:
            if each is None:
                return _times(exp.Count(this=exp.Star() if x is None else x.sql), full)
            return exp.Sum(this=each if x is None else binary(exp.Mul, each, x.sql))


def _times(value: exp.Expr, steps: int) -> exp.Expr:
    return value if steps == 1 else binary(exp.Mul, value, exp.Literal.number(steps))


def _clamped(value: exp.Expr) -> exp.Expr:
    """The sum in ±LIMIT as a BIGINT; 0 where nothing was added."""
    known = exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
    return sql.sure_cast(sql.least(sql.greatest(known, sql.whole(-LIMIT)), sql.whole(LIMIT)), "BIGINT")

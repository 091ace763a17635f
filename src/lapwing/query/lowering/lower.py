"""``lower``: the statements of a typed query. Their results are what noise is added to.

The one idea: rows first become (person, keys, whole numbers), then each person is bounded, then whole numbers are added
in twice the width and clamped to 61 bits. Clamping is 1-Lipschitz in each group, so it never raises a sensitivity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from lapwing.kernel.evidence.plan import Aggregate, Bounding, Function, Measurement
from lapwing.query.lowering import bounding, sql
from lapwing.query.lowering.bounding import HEAVY, KEPT, PARTS, ROWS, UNIT, Weight
from lapwing.query.lowering.dialects import Dialect, dialect_named
from lapwing.query.lowering.public import PublicKeys, public_keys
from lapwing.query.lowering.rows import KEY, Rows, people_in_groups, rows_of
from lapwing.query.lowering.sql import column, named
from lapwing.query.lowering.sums import clamped, full, less_than_full, weighed
from lapwing.query.refusals import InvalidQuery

#: The columns of results.
VALUE = "value_"


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


def lower(aggregate: Aggregate, dialect: str, sampling_key: int) -> Lowered:
    """The statements that compute every measurement of a query before noise.

    Groups without rows are absent, and rows outside the listed keys are in no group and do not count towards a person's
    limit. ``sampling_key`` is secret: it decides which rows a sample keeps, and appears in statements that sample.
    """
    said = dialect_named(dialect)
    measurements = [*aggregate.measurements, *([aggregate.selection] if aggregate.selection else [])]
    try:
        statements = [_statement(aggregate, together, said, sampling_key) for together in _together(measurements)]
        return Lowered(tuple(statements), tuple(public_keys(aggregate.source)))
    except RecursionError:  # steps upon steps, each short to write, are one deep statement
        raise InvalidQuery("Q105", "the query nests too deeply", "Ask it in fewer steps") from None


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


def _statement(aggregate: Aggregate, measurements: list[Measurement], dialect: Dialect, sampling_key: int) -> Statement:
    rows = rows_of(aggregate, measurements, dialect)
    function = measurements[0].function
    if function is Function.UNITS:
        rows = people_in_groups(rows)
    weights = _weights(rows, measurements)
    kept, parts = _bounded(rows, measurements, weights, sampling_key, dialect)
    group = {f"{KEY}{i}": column(f"{KEY}{i}", ROWS) for i in range(len(aggregate.keys))}
    if function is Function.QUANTILE:
        bucket = rows.counted[measurements[0].name].sql
        kept, group = sql.where(kept, sql.is_known(bucket)), group | {"bucket": bucket}
    if weights and dialect.windows:
        sums = [weighed(each, rows.counted.get(each.name), dialect) for each in measurements]
    else:
        sums = [full(each, rows.counted.get(each.name), dialect) for each in measurements]
    if weights and not dialect.windows:
        only = bounding.of_heavy(kept.copy())
        less = [less_than_full(each, rows.counted.get(each.name), weights, dialect) for each in measurements]
        both = exp.Union(this=_grouped(kept, group, sums), expression=_grouped(only, group, less), distinct=False)
        kept, group = sql.select([], sql.as_relation(both, PARTS)), {name: column(name, PARTS) for name in group}
        sums = [exp.Sum(this=column(f"{VALUE}{i}", PARTS)) for i in range(len(measurements))]
    select = _grouped(kept, group, [clamped(each) for each in sums])
    for name, body, stored in parts:
        kept_once = stored if dialect.materializes else None
        select = select.with_(exp.to_identifier(name, quoted=True), as_=body, materialized=kept_once, copy=False)
    secret = exp.Literal.string(f"{sampling_key:x}")
    for place in list(select.find_all(exp.Placeholder)):
        place.replace(secret.copy())
    names = tuple(measurement.name for measurement in measurements)
    keys = tuple(key.name for key in aggregate.keys)
    return Statement(dialect.printed(select), keys, names, function is Function.QUANTILE)


def _grouped(rows: exp.Select, group: Mapping[str, exp.Expr], values: Iterable[exp.Expr]) -> exp.Select:
    """The values of each group, all of them named."""
    chosen = [named(key, name) for name, key in group.items()]
    chosen += [named(value, f"{VALUE}{i}") for i, value in enumerate(values)]
    rows.set("expressions", chosen)
    return sql.grouped(rows, group.values()) if group else rows


def _weights(rows: Rows, measurements: list[Measurement]) -> list[Weight]:
    """The different weights of a statement. Without a unit each row is a person of its own and within every limit."""
    if not rows.owned:
        return []
    wanted = [m for m in measurements if m.bounding is Bounding.WEIGHTS]
    return list(dict.fromkeys(Weight(m.rows_per_unit, m.weight_steps) for m in wanted))


def _bounded(
    rows: Rows, measurements: list[Measurement], weights: list[Weight], sampling_key: int, dialect: Dialect
) -> tuple[exp.Select, list[tuple[str, exp.Select, bool]]]:
    """A SELECT without columns yet, from rows under the alias ROWS, and the WITH parts it needs."""
    plain = sql.select([], sql.relation(ROWS))
    sampled = measurements[0].bounding is Bounding.SAMPLE
    # People in groups are found by a costly DISTINCT, so once; plain rows are cheaper to read again than to keep.
    base = (ROWS, rows.select, rows.costly and bool(weights or sampled))
    if rows.owned and sampled:
        limit = measurements[0].rows_per_unit
        kept = bounding.sample([UNIT, *rows.columns], limit, sampling_key, dialect)
        select = sql.select([], exp.alias_(sql.relation(KEPT), ROWS, table=True, quoted=True))
        return select, [base, (HEAVY, bounding.over(limit), False), (KEPT, kept, False)]
    if weights and dialect.windows:
        return sql.select([], bounding.windowed([UNIT, *rows.columns])), [(ROWS, rows.select, False)]
    return plain, [base, *([(HEAVY, bounding.heavy(weights, dialect), False)] if weights else [])]

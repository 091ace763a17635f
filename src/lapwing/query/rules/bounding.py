"""How one person's rows are held to a limit before they are aggregated."""

from __future__ import annotations

from fractions import Fraction

from lapwing.query.expressions import Expression
from lapwing.query.measurement_steps import Lattice
from lapwing.query.plan import Bounding, Function, Measurement
from lapwing.query.requests import Grouping

#: Weights are multiples of one part in this many.
WEIGHT_STEPS = 2**16


def weight_steps(grouping: Grouping) -> int:
    """The fineness of weights; 1 where there are none."""
    return 1 if grouping.source.type.rows_per_unit is not None else WEIGHT_STEPS


def bounding(
    grouping: Grouping, function: Function, argument: Expression | None, lattice: Lattice | None = None
) -> Measurement:
    """A measurement to which one person adds weight of at most rows_per_unit · weight_steps, in all groups together.

    Where a person is known to have at most r rows nothing is done. Otherwise the k/m weights of m > k rows, rounded
    down, sum to at most k; different people are weighed over their groups, of which there is one without keys, and no
    more than there are known keys; and where whole rows are needed (different values) k of them are kept.
    """
    known = grouping.source.type.rows_per_unit
    if function is Function.UNITS and not grouping.grouped:
        how, rows, steps = Bounding.NONE, 1, 1
    elif known is not None and (function is not Function.UNITS or grouping.listed is None or known <= grouping.listed):
        how, rows, steps = Bounding.NONE, known, 1
    elif function is Function.UNITS:
        how, rows, steps = Bounding.WEIGHTS, grouping.groups_that_count(), WEIGHT_STEPS
    elif function is Function.DISTINCT:
        how, rows, steps = Bounding.SAMPLE, grouping.rows_that_count(), 1
    else:
        how, rows, steps = Bounding.WEIGHTS, grouping.rows_that_count(), WEIGHT_STEPS
    plain = Measurement("", function, argument, how, rows, steps)
    if lattice is None:
        return plain
    return Measurement(
        "", function, argument, how, rows, steps, lattice.low, lattice.high, lattice.step, lattice.centre
    )


def people_in_groups(grouping: Grouping) -> Measurement:
    """How many different people a group has, for choosing the groups to show: a person is in at most k, with 1 in each.

    Weights would not do. A person of m > k groups would have k/m in each of them, and all m could come out by chance:
    the chance that a group nobody else is in is shown must be paid for by k of them, not by m.
    """
    owned = grouping.source.type.unit is not None
    function = Function.UNITS if owned else Function.ROWS  # without a unit each row is a person
    known, most = grouping.source.type.rows_per_unit, grouping.groups
    if known is not None and (most is None or known <= most):
        return Measurement("", function, None, Bounding.NONE, known, 1)
    # a person is in at most as many groups as rows of theirs count, and in fewer where the policy says so
    return Measurement("", function, None, Bounding.SAMPLE, most or grouping.rows_that_count(), 1)


def quantile_of(
    grouping: Grouping, argument: Expression, fraction: Fraction, low: Fraction, step: Fraction, buckets: int
) -> Measurement:
    """A quantile over equal buckets, bucket i being [low + i·step, low + (i + 1)·step)."""
    plain = bounding(grouping, Function.QUANTILE, argument)
    return Measurement(
        "",
        Function.QUANTILE,
        argument,
        plain.bounding,
        plain.rows_per_unit,
        plain.weight_steps,
        low,
        low + buckets * step,
        step,
        fraction=fraction,
        buckets=buckets,
    )

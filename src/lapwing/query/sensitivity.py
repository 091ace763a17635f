"""How far one person can move a measurement, in whole engine steps.

The one idea: before noise a measurement is a vector, one whole number per group, that a person's rows add to. What a
person adds is a mixture of points ``k·S·X·e`` (all their weight on one value X in one group e): the extremes are there.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lapwing.algebra.neighbours import Neighbours, notion
from lapwing.kernel.evidence.plan import Function, Measurement
from lapwing.kernel.evidence.release import Change


def change(measurement: Measurement, grouped: bool, neighbours: Neighbours) -> Change:
    """Bounds the distance of a measurement on neighbouring tables.

    Let K = k·S, the most weight of a person, and X in [a, b] what a row counts; p = max(b, 0), q = max(-a, 0) and
    m = max(p, q). A row that is filtered out or NULL counts 0. So a person adds v with Σ|v| <= K·m, and each v lies
    in the convex hull of 0, K·p·e and -K·q·e over groups e.

    ADDED: the difference is v. Σ|v| <= K·m, and Σv² <= (Σ|v|)².

    REPLACED: the difference is v - w, both in that hull; norms are convex, so they are largest at its corners. In one
    group: K·(p + q). In two: Σ|d| = 2·K·m and Σd² = 2·(K·m)²; or in the same one again: Σd² = (K·(p + q))². The
    largest of these bounds everything; p + q <= 2·m.

    DISTINCT does not add, but a kept row adds or takes at most one different value of one group, and no more was used.
    QUANTILE: the score of a bucket is -|den·below - num·all|; the inside is a sum of X = den - num for rows below and
    -num for others, and |·| moves no more than its inside. The bounds hold for each bucket, and for the largest move in
    each group: with weights W before and W' after it is at most max(W·p + W'·q, W·q + W'·p), again convex.
    """
    least, most = contribution(measurement)
    p, q = max(most, 0), max(-least, 0)
    m, weight = max(p, q), measurement.rows_per_unit * measurement.weight_steps
    if notion(neighbours) is Neighbours.ADDED:
        return Change(weight * m, (weight * m) ** 2)
    together = weight * (p + q)
    if not grouped:
        return Change(together, together**2)
    return Change(2 * weight * m, max(together**2, 2 * (weight * m) ** 2))


def contribution(measurement: Measurement) -> tuple[int, int]:
    """The least and the most that one row of full weight counts."""
    match measurement.function:
        case Function.ROWS | Function.UNITS | Function.DISTINCT:
            return 1, 1
        case Function.QUANTILE:
            fraction = measurement.fraction
            assert fraction is not None  # noqa: S101  # a quantile has its fraction
            return -fraction.numerator, fraction.denominator - fraction.numerator
        case Function.TOTAL | Function.SQUARES | Function.SHARE:
            bottom, top = (_steps(end, measurement) for end in (measurement.low, measurement.high))
            if measurement.function is Function.SHARE:
                return 0, whole_row(measurement)
            if measurement.function is Function.TOTAL:
                return bottom, top
            crosses, part = bottom <= 0 <= top, 2**measurement.shift
            return 0 if crosses else min(bottom**2, top**2) // part, max(bottom**2, top**2) // part


def whole_row(measurement: Measurement) -> int:
    """What all places of a SHARE together count for a row: floor(N^degree/2^shift)."""
    assert measurement.low is not None  # noqa: S101  # shares have a range
    assert measurement.high is not None  # noqa: S101  # as above
    steps = int((measurement.high - measurement.low) / measurement.step)
    return (steps if measurement.degree == 1 else steps**2) >> measurement.shift


def _steps(end: Fraction | None, measurement: Measurement) -> int:
    assert end is not None  # noqa: S101  # a total has a range
    return math.floor(end / measurement.step) - measurement.centre

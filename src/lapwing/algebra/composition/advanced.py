"""Advanced composition: k bounds add up like √k, for a little δ.

[DRV10] Thm III.3 in the form [DR14] Thm 3.20, and [KOV15] Thm 3.5 for bounds that differ. Adaptive, but the number of
mechanisms and their bounds are fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import SupportsIndex

from flint import arb

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.composition.alike import alike, approx
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ApproxDP
from lapwing.algebra.parameters import positive_delta, whole


def advanced(measure: ApproxDP, count: SupportsIndex, slack: Number) -> ApproxDP:
    """k-fold composition: (ε√(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ') for the slack δ', [DRV10].

    Because the loss is a martingale with drift at most ε(e^ε - 1) and steps within ±ε: Azuma's inequality.
    """
    k = whole(count, "count")
    extra = positive_delta(slack, "delta slack")
    epsilon = measure.epsilon

    def total() -> arb:
        spread = (2 * k * -ball(extra).log()).sqrt()
        return ball(epsilon) * (spread + k * ball(epsilon).expm1())

    return approx(enclose(total).upper if epsilon else epsilon, k * measure.delta + extra)


def advanced_heterogeneous(measures: Iterable[ApproxDP], slack: Number) -> ApproxDP:
    """(Σ ε tanh(ε/2) + √(2 ln(1/δ') Σ ε²), 1 - (1 - δ')Π(1 - δ)) for bounds that differ, [KOV15] Thm 3.5.

    Because an (ε, δ) mechanism is randomised response that gives itself away with probability δ: its loss has
    mean at most ε tanh(ε/2) and lies within ±ε, so Hoeffding's inequality bounds the sum.
    """
    parts = alike(measures)
    extra = positive_delta(slack, "delta slack")
    squares = sum((part.epsilon**2 for part in parts), Fraction(0))

    def total() -> arb:
        drift = sum((ball(part.epsilon) * (ball(part.epsilon) / 2).tanh() for part in parts), arb(0))
        return drift + (2 * -ball(extra).log() * ball(squares)).sqrt()

    delta = 1 - (1 - extra) * prod((1 - part.delta for part in parts), start=Fraction(1))
    return approx(enclose(total).upper if squares else squares, delta)

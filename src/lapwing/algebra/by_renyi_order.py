"""Bounds by way of a Rényi order: what the ledger and the noise of answers need of :mod:`~lapwing.algebra.conversion`.

Any order gives a valid bound, so the best order is *searched* with floats and the bound at that one order is then
*computed* with balls: a bad search costs tightness, never truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import Number, exact
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP


def pure_to_renyi(measure: PureDP, orders: Iterable[Number]) -> RenyiDP:
    """D_α ≤ ln(cosh((α - 1/2)ε) / cosh(ε/2)) / (α - 1), because randomised response is the worst ε-DP mechanism."""
    epsilon = measure.epsilon

    def bound(order: Fraction) -> Fraction:
        if epsilon == 0 or order <= 1:  # an order up to 1 is refused by RenyiDP itself
            return Fraction(0)

        def divergence() -> arb:
            # cosh(a) / cosh(b) with a > b > 0, without overflow: e^(a-b) (1 + e^(-2a)) / (1 + e^(-2b))
            a, b = ball((order - Fraction(1, 2)) * epsilon), ball(epsilon / 2)
            return (a - b + (-2 * a).exp().log1p() - (-2 * b).exp().log1p()) / ball(order - 1)

        return min(epsilon, enclose(divergence).upper)  # D_α never exceeds the largest loss

    return curve_over(orders, bound)


def zcdp_at_delta(measure: ZCDP, delta: Number) -> ApproxDP:
    """The least ε for this δ over all orders, by [CKS20] Cor. 13.

    ε(α) is quasi-convex: its sublevel sets are those of the convex ln δ(α) in ``zcdp_at_epsilon``.
    """
    rho = measure.rho
    if rho == 0:
        return ApproxDP(0, delta)
    failure = parameters.positive_delta(delta)
    rate, log_delta = as_float(rho), -as_float(enclose(lambda: -ball(failure).log()).upper)

    def epsilon(log_b: float) -> float:
        b = math.exp(log_b)
        return (1 + b) * rate - math.log1p(1 / b) - (log_delta + math.log1p(b)) / b

    b = from_log(_least(epsilon))
    return ApproxDP(epsilon_at_order(b, (1 + b) * rho, failure), failure)


def zcdp_within(budget: ApproxDP) -> ZCDP:
    """A ρ that implies ``budget`` and is the largest such to twelve digits: what a filter may spend in zCDP."""
    parameters.positive_delta(budget.delta)

    def fits(rho: Fraction) -> bool:
        return zcdp_at_delta(ZCDP(rho), budget.delta).epsilon <= budget.epsilon

    high = budget.epsilon
    if high == 0:
        return ZCDP(0)
    while fits(high):
        high *= 2
    low = Fraction(0)
    while high - low > high / 10**12:
        middle = (low + high) / 2 if low else high / 16
        low, high = (middle, high) if fits(middle) else (low, middle)
    return ZCDP(low)


# --- the formulas, with b = α - 1 so that orders just above 1 keep their digits ---


def cost_of_order(b: Fraction, delta: Fraction) -> Fraction:
    """What is added to a Rényi bound to get ε, rounded up: ln(1 - 1/α) - (ln δ + ln α)/(α - 1), [CKS20] Prop. 12."""

    def cost() -> arb:
        return -(1 / ball(b)).log1p() - (ball(delta).log() + ball(b).log1p()) / ball(b)

    return enclose(cost).upper


def epsilon_at_order(b: Fraction, bound: Fraction, delta: Fraction) -> Fraction:
    """The ε at order 1 + b, never below 0: (ε, δ) with ε < 0 implies (0, δ)."""
    return max(Fraction(0), bound + cost_of_order(b, delta))


def curve_over(orders: Iterable[Number], bound: Callable[[Fraction], Fraction]) -> RenyiDP:
    """The bound at each of some orders."""
    points: dict[Number, Number] = {}
    for order in orders:
        alpha = exact(order, "Rényi order")
        points[alpha] = bound(alpha)
    return RenyiDP(points)


LOG_RANGE = (-600.0, 600.0)  # of ln(α - 1)


def _least(function: Callable[[float], float]) -> float:
    """Where a quasi-convex function is least, by narrowing thirds (golden section would save nothing here)."""
    low, high = LOG_RANGE
    for _ in range(160):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) <= function(right):
            high = right
        else:
            low = left
    return (low + high) / 2


def from_log(log_b: float) -> Fraction:
    """The b that a search found by its logarithm."""
    return Fraction(math.exp(log_b))


def as_float(number: Fraction) -> float:
    """A float for the searches; a number too large for one becomes the largest scale the searches cover."""
    return float(min(number, Fraction(10) ** 250))

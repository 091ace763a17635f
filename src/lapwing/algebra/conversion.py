"""From one measure of privacy to another, always in the direction that stays true.

Every function returns a bound that its argument implies, rounded outward. Two shapes: ``x_to_y`` where the new
bound is determined, and ``x_at_delta`` / ``x_at_epsilon`` where an (ε, δ) bound has one number to choose. For
these any Rényi order gives a valid bound, so the best order is *searched* with floats and the bound at that one
order is then *computed* with balls: a bad search costs tightness, never truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.by_renyi_order import (
    LOG_RANGE,
    as_float,
    cost_of_order,
    curve_over,
    epsilon_at_order,
    from_log,
    pure_to_renyi,
    zcdp_at_delta,
    zcdp_within,
)
from lapwing.algebra.exact import Number, decimal_down, exact
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP
from lapwing.errors import Unbounded

__all__ = [
    "approx_at_delta",
    "approx_to_pure",
    "at_delta",
    "pure_at_delta",
    "pure_at_epsilon",
    "pure_to_approx",
    "pure_to_renyi",
    "pure_to_tight_zcdp",
    "pure_to_zcdp",
    "renyi_at_delta",
    "renyi_at_epsilon",
    "renyi_within",
    "zcdp_at_delta",
    "zcdp_at_epsilon",
    "zcdp_to_renyi",
    "zcdp_within",
]

# --- from pure ε ---


def pure_to_approx(measure: PureDP) -> ApproxDP:
    """(ε, 0)-DP, because it is the same statement."""
    return ApproxDP(measure.epsilon, 0)


def pure_to_zcdp(measure: PureDP) -> ZCDP:
    """ε²/2-zCDP, [BS16] Prop. 1.4: exact, and hardly loose for small ε."""
    return ZCDP(measure.epsilon**2 / 2)


def pure_to_tight_zcdp(measure: PureDP) -> ZCDP:
    """ε·tanh(ε/2)-zCDP, the smallest ρ that every ε-DP mechanism satisfies.

    Randomised response is the worst ε-DP mechanism ([KOV15] Thm 3.1): (α - 1)D_α = f(α - 1/2) - f(1/2) for
    f(u) = ln cosh(εu). In the variable w = u², f is concave, as tanh(x)/x decreases; its slope at w = 1/4 is
    ε tanh(ε/2), and α(α - 1) is (α - 1/2)² - 1/4. So (α - 1)D_α ≤ ε tanh(ε/2)·α(α - 1), with equality as α → 1.
    """
    epsilon = measure.epsilon
    if epsilon == 0:
        return ZCDP(0)
    return ZCDP(min(epsilon**2 / 2, enclose(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh()).upper))


def pure_at_delta(measure: PureDP, delta: Number) -> ApproxDP:
    """The smallest ε' for this δ: ln(e^ε - δ(1 + e^ε)), because randomised response is the worst ε-DP mechanism."""
    failure = parameters.delta(delta)
    epsilon = measure.epsilon
    if failure == 0 or epsilon == 0:
        return ApproxDP(epsilon, failure)
    # ln(1 - δ(1 + e^-ε)) + ε; not above 0 once δ passes (e^ε - 1)/(e^ε + 1)
    if enclose(lambda: (ball(epsilon) / 2).tanh()).upper <= failure:
        return ApproxDP(0, failure)

    def smaller() -> arb:
        return ball(epsilon) + (-ball(failure) * (1 + (-ball(epsilon)).exp())).log1p()

    return ApproxDP(min(epsilon, max(Fraction(0), enclose(smaller).upper)), failure)


def pure_at_epsilon(measure: PureDP, epsilon: Number) -> ApproxDP:
    """The smallest δ for this ε': (e^ε - e^ε')/(1 + e^ε), because randomised response is the worst ε-DP mechanism."""
    target = parameters.nonnegative(epsilon, "epsilon")
    true = measure.epsilon
    if target >= true:
        return ApproxDP(target, 0)

    def failure() -> arb:
        return -ball(target - true).expm1() / (1 + (-ball(true)).exp())

    return _approx(target, enclose(failure).upper)


# --- between (ε, 0) and ε ---


def approx_to_pure(measure: ApproxDP) -> PureDP:
    """ε-DP, when δ is 0; refused otherwise, because then no ε is large enough."""
    if measure.delta > 0:
        raise Unbounded(
            "A310",
            f"a bound with delta {decimal_down(measure.delta)} does not imply any pure bound",
            "Use a mechanism with delta 0, or keep the (epsilon, delta) bound",
        )
    return PureDP(measure.epsilon)


def approx_at_delta(measure: ApproxDP, delta: Number) -> ApproxDP:
    """The same ε at a larger δ; a smaller δ is refused, because nothing is known there."""
    failure = parameters.delta(delta)
    if failure < measure.delta:
        raise Unbounded(
            "A311",
            f"the bound holds with delta {decimal_down(measure.delta)}, and says nothing at {decimal_down(failure)}",
            "Ask for at least the delta of the bound",
        )
    return ApproxDP(measure.epsilon, failure)


# --- from Rényi ---


def renyi_at_delta(measure: RenyiDP, delta: Number) -> ApproxDP:
    """The least ε over the listed orders by [CKS20] Prop. 12 (also [BBGHS20] Thm 21); 0 is the least it can be."""
    failure = parameters.positive_delta(delta)
    return ApproxDP(min(epsilon_at_order(order - 1, bound, failure) for order, bound in measure.curve), failure)


def renyi_at_epsilon(measure: RenyiDP, epsilon: Number) -> ApproxDP:
    """The least δ over the listed orders by [CKS20] Prop. 12."""
    target = parameters.nonnegative(epsilon, "epsilon")
    return _approx(target, min(_delta_at_order(order - 1, bound, target) for order, bound in measure.curve))


def renyi_within(budget: ApproxDP, order: Number) -> RenyiDP:
    """The largest Rényi bound at one order that still implies ``budget``: what a filter at that order may spend."""
    alpha = exact(order, "Rényi order")
    failure = parameters.positive_delta(budget.delta)

    # An order up to 1 is refused by RenyiDP itself.
    spare = budget.epsilon - cost_of_order(alpha - 1, failure) if alpha > 1 else Fraction(0)
    if spare < 0:
        raise Unbounded(
            "A312",
            f"at Rényi order {decimal_down(alpha)} no loss at all implies epsilon {decimal_down(budget.epsilon)}",
            "Use a larger order",
        )
    return RenyiDP({alpha: spare})


# --- from zCDP ---


def zcdp_to_renyi(measure: ZCDP, orders: Iterable[Number]) -> RenyiDP:
    """D_α ≤ ρα, because that is the definition."""
    return curve_over(orders, lambda order: measure.rho * order)


def zcdp_at_epsilon(measure: ZCDP, epsilon: Number) -> ApproxDP:
    """The least δ for this ε over all orders, by [CKS20] Cor. 13.

    ln δ(α) is convex, with slope (2α - 1)ρ - ε + ln(1 - 1/α): the best order is where that is 0.
    """
    target = parameters.nonnegative(epsilon, "epsilon")
    rho = measure.rho
    if rho == 0:
        return ApproxDP(target, 0)
    rate, aim = as_float(rho), as_float(target)

    def slope(log_b: float) -> float:
        b = math.exp(log_b)
        return (2 * b + 1) * rate - aim - math.log1p(1 / b)

    b = from_log(_root(slope))
    return _approx(target, _delta_at_order(b, (1 + b) * rho, target))


# --- whichever measure it is ---


def at_delta(measure: Measure, delta: Number) -> ApproxDP:
    """The best (ε, δ) bound that ``measure`` implies for this δ."""
    match measure:
        case PureDP():
            return pure_at_delta(measure, delta)
        case ApproxDP():
            return approx_at_delta(measure, delta)
        case ZCDP():
            return zcdp_at_delta(measure, delta)
        case RenyiDP():
            return renyi_at_delta(measure, delta)


def _delta_at_order(b: Fraction, bound: Fraction, epsilon: Fraction) -> Fraction:
    """The δ at order α = 1 + b: e^((α-1)(bound - ε)) / (α - 1) · (1 - 1/α)^α, [CKS20] Prop. 12."""

    def log_delta() -> arb:
        order = ball(b)
        return order * (ball(bound - epsilon) - (1 / order).log1p()) - order.log1p()

    return enclose(lambda: log_delta().exp()).upper


def _approx(epsilon: Fraction, delta: Fraction) -> ApproxDP:
    if delta >= 1:
        raise Unbounded(
            "A302",
            f"delta comes to {decimal_down(delta)} at epsilon {decimal_down(epsilon)}, and such a bound says nothing",
            "Ask for a larger epsilon",
        )
    return ApproxDP(epsilon, delta)


def _root(increasing: Callable[[float], float]) -> float:
    """Where an increasing function crosses 0, by bisection."""
    low, high = LOG_RANGE
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(middle) > 0 else (middle, high)
    return (low + high) / 2

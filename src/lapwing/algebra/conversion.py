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
from lapwing.algebra.exact import Number, decimal_down, exact
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP
from lapwing.errors import Unbounded

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

    return _curve(orders, bound)


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
    return ApproxDP(min(_epsilon_at_order(order - 1, bound, failure) for order, bound in measure.curve), failure)


def renyi_at_epsilon(measure: RenyiDP, epsilon: Number) -> ApproxDP:
    """The least δ over the listed orders by [CKS20] Prop. 12."""
    target = parameters.nonnegative(epsilon, "epsilon")
    return _approx(target, min(_delta_at_order(order - 1, bound, target) for order, bound in measure.curve))


def renyi_within(budget: ApproxDP, order: Number) -> RenyiDP:
    """The largest Rényi bound at one order that still implies ``budget``: what a filter at that order may spend."""
    alpha = exact(order, "Rényi order")
    failure = parameters.positive_delta(budget.delta)

    # An order up to 1 is refused by RenyiDP itself.
    spare = budget.epsilon - _cost_of_order(alpha - 1, failure) if alpha > 1 else Fraction(0)
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
    return _curve(orders, lambda order: measure.rho * order)


def zcdp_at_delta(measure: ZCDP, delta: Number) -> ApproxDP:
    """The least ε for this δ over all orders, by [CKS20] Cor. 13.

    ε(α) is quasi-convex: its sublevel sets are those of the convex ln δ(α) in :func:`zcdp_at_epsilon`.
    """
    rho = measure.rho
    if rho == 0:
        return ApproxDP(0, delta)
    failure = parameters.positive_delta(delta)
    rate, log_delta = _float(rho), -_float(enclose(lambda: -ball(failure).log()).upper)

    def epsilon(log_b: float) -> float:
        b = math.exp(log_b)
        return (1 + b) * rate - math.log1p(1 / b) - (log_delta + math.log1p(b)) / b

    b = _from_log(_least(epsilon))
    return ApproxDP(_epsilon_at_order(b, (1 + b) * rho, failure), failure)


def zcdp_at_epsilon(measure: ZCDP, epsilon: Number) -> ApproxDP:
    """The least δ for this ε over all orders, by [CKS20] Cor. 13.

    ln δ(α) is convex, with slope (2α - 1)ρ - ε + ln(1 - 1/α): the best order is where that is 0.
    """
    target = parameters.nonnegative(epsilon, "epsilon")
    rho = measure.rho
    if rho == 0:
        return ApproxDP(target, 0)
    rate, aim = _float(rho), _float(target)

    def slope(log_b: float) -> float:
        b = math.exp(log_b)
        return (2 * b + 1) * rate - aim - math.log1p(1 / b)

    b = _from_log(_root(slope))
    return _approx(target, _delta_at_order(b, (1 + b) * rho, target))


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


# --- the two formulas, with b = α - 1 so that orders just above 1 keep their digits ---


def _cost_of_order(b: Fraction, delta: Fraction) -> Fraction:
    """What is added to a Rényi bound to get ε, rounded up: ln(1 - 1/α) - (ln δ + ln α)/(α - 1), [CKS20] Prop. 12."""

    def cost() -> arb:
        return -(1 / ball(b)).log1p() - (ball(delta).log() + ball(b).log1p()) / ball(b)

    return enclose(cost).upper


def _epsilon_at_order(b: Fraction, bound: Fraction, delta: Fraction) -> Fraction:
    """The ε at order 1 + b, never below 0: (ε, δ) with ε < 0 implies (0, δ)."""
    return max(Fraction(0), bound + _cost_of_order(b, delta))


def _delta_at_order(b: Fraction, bound: Fraction, epsilon: Fraction) -> Fraction:
    """The δ at order α = 1 + b: e^((α-1)(bound - ε)) / (α - 1) · (1 - 1/α)^α, [CKS20] Prop. 12."""

    def log_delta() -> arb:
        order = ball(b)
        return order * (ball(bound - epsilon) - (1 / order).log1p()) - order.log1p()

    return enclose(lambda: log_delta().exp()).upper


def _curve(orders: Iterable[Number], bound: Callable[[Fraction], Fraction]) -> RenyiDP:
    points: dict[Number, Number] = {}
    for order in orders:
        alpha = exact(order, "Rényi order")
        points[alpha] = bound(alpha)
    return RenyiDP(points)


def _approx(epsilon: Fraction, delta: Fraction) -> ApproxDP:
    if delta >= 1:
        raise Unbounded(
            "A302",
            f"delta comes to {decimal_down(delta)} at epsilon {decimal_down(epsilon)}, and such a bound says nothing",
            "Ask for a larger epsilon",
        )
    return ApproxDP(epsilon, delta)


# --- float searches: they choose an order, nothing else ---

_LOG_RANGE = (-600.0, 600.0)  # of ln(α - 1)


def _least(function: Callable[[float], float]) -> float:
    """Where a quasi-convex function is least, by narrowing thirds (golden section would save nothing here)."""
    low, high = _LOG_RANGE
    for _ in range(160):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) <= function(right):
            high = right
        else:
            low = left
    return (low + high) / 2


def _root(increasing: Callable[[float], float]) -> float:
    """Where an increasing function crosses 0, by bisection."""
    low, high = _LOG_RANGE
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(middle) > 0 else (middle, high)
    return (low + high) / 2


def _from_log(log_b: float) -> Fraction:
    return Fraction(math.exp(log_b))


def _float(number: Fraction) -> float:
    """A float for the searches; a number too large for one becomes the largest scale the searches cover."""
    return float(min(number, Fraction(10) ** 250))

"""Group privacy: tables that differ in k units are k neighbour steps apart.

[DR14] Thm 2.2 for ε; [Vadhan17] Lemma 2.2 for (ε, δ); [BS16] Prop. 1.9 for zCDP; for Rényi the step of
[Mironov17] Prop. 2, without its rounding to powers of 3.
"""

from __future__ import annotations

from fractions import Fraction
from typing import SupportsIndex, TypeVar, cast

from flint import arb

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.composition.alike import approx
from lapwing.algebra.composition.renyi import at_order
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP
from lapwing.algebra.parameters import whole
from lapwing.errors import Unbounded

M = TypeVar("M", bound=Measure)


def group(measure: M, size: SupportsIndex) -> M:
    """The bound for tables that differ in ``size`` units, along a path of ``size`` neighbours.

    Pure: kε, since the ratios multiply. Concentrated: k²ρ. (ε, δ) and Rényi: see below.
    """
    k = whole(size, "group size")
    bound: Measure = measure
    match bound:
        case PureDP():
            grown: Measure = PureDP(k * bound.epsilon)
        case ApproxDP():
            grown = _approx_group(bound, k)
        case ZCDP():
            grown = ZCDP(k * k * bound.rho)
        case RenyiDP():
            grown = bound
            for _ in range((k - 1).bit_length()):  # the least c with 2^c >= k doublings
                grown = _renyi_pair(grown)
    return cast(M, grown)


def _approx_group(measure: ApproxDP, k: int) -> ApproxDP:
    """(kε, δ(1 + e^ε + … + e^((k-1)ε))): at each step the δs so far are multiplied by e^ε."""
    epsilon, delta = measure.epsilon, measure.delta
    if k == 1 or delta == 0:
        return ApproxDP(k * epsilon, delta)
    if epsilon == 0:
        return approx(Fraction(0), k * delta)

    def grown() -> arb:
        return ball(delta) * (ball(k * epsilon).expm1() / ball(epsilon).expm1())

    return approx(k * epsilon, enclose(grown).upper)


def _renyi_pair(measure: RenyiDP) -> RenyiDP:
    """Two steps P, R, Q: D_α(P‖Q) ≤ (α - 1/2)/(α - 1) · D_2α(P‖R) + D_(2α-1)(R‖Q), by Cauchy-Schwarz.

    E_Q[(P/Q)^α] is the integral of P^α/R^(α-1/2) times R^(α-1/2)/Q^(α-1); squaring each factor gives the two
    divergences. A bound at order 2α so becomes one at order α, which must stay above 1.
    """
    halved: dict[Number, Number] = {}
    for order, bound in measure.curve:
        alpha = order / 2
        second = at_order(measure, order - 1)
        if alpha > 1 and second is not None:
            halved[alpha] = (alpha - Fraction(1, 2)) / (alpha - 1) * bound + second
    if not halved:
        raise Unbounded(
            "A306",
            "the Rényi curve has no order large enough for this group: each doubling of the group halves the orders",
            "Give bounds at larger orders, above twice the group size",
        )
    return RenyiDP(halved)

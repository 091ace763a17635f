"""Composition of Rényi curves: at one order the bounds add [Mironov17] Prop. 1.

Orders that are not listed in every curve are dropped from the sum. A bound at a larger order would hold at a
smaller one too (Rényi divergence grows with its order), and :func:`at_order` uses that where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from lapwing.algebra.composition.alike import alike
from lapwing.algebra.measures import RenyiDP
from lapwing.errors import Unbounded


def renyi(measures: Iterable[RenyiDP]) -> RenyiDP:
    """The pointwise sum on the common orders, because D_α of an adaptive pair is at most D_α + sup D_α."""
    curves = [dict(measure.curve) for measure in alike(measures)]
    return RenyiDP({order: sum((curve[order] for curve in curves), Fraction(0)) for order in common_orders(curves)})


def common_orders(curves: list[dict[Fraction, Fraction]]) -> list[Fraction]:
    """The orders at which every curve has a bound; refuses when there are none."""
    orders = set(curves[0]).intersection(*curves[1:])
    if not orders:
        raise Unbounded(
            "A303", "the Rényi curves have no order in common", "Evaluate every mechanism at the same list of orders"
        )
    return sorted(orders)


def at_order(measure: RenyiDP, order: Fraction) -> Fraction | None:
    """A bound on D_α at any order up to the largest listed one, None beyond: D_α is nondecreasing in α."""
    return min((bound for listed, bound in measure.curve if listed >= order), default=None)

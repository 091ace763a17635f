"""The Rényi orders that an account is kept in: fixed when it is opened, each with its weight and its limit.

A charge adds to every column a bound on its divergence of that order: α·ρ for a concentrated price, and for a pure one
ln(cosh((α - 1/2)·ε)/cosh(ε/2))/(α - 1), that of randomised response, which is the largest of any ε-DP mechanism. The
limit of order α with weight w is

    c = ε - ln(1 - 1/α) + (ln(w·δ') + ln α)/(α - 1),

for which a total X <= c leaves at most w·δ' of the loss above ε (the proof is in ``allowance``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.by_renyi_order import pure_to_renyi
from lapwing.algebra.measures import PureDP

#: How far the orders are from the best one for ρ alone, and their weights, which add up to 1.
_STRETCHES = (1, 2, 4, 16)
_WEIGHTS = (Fraction(70, 100), Fraction(20, 100), Fraction(7, 100), Fraction(3, 100))
#: Columns are rounded up, and limits down, to multiples of this: sums stay short.
_FINEST = 2**64


@dataclass(frozen=True, slots=True)
class Order:
    """A Rényi order above 1, the part of δ' it may use, and the largest total of its column."""

    alpha: Fraction
    weight: Fraction
    limit: Fraction


def orders_for(epsilon: Fraction, tail: Fraction) -> tuple[Order, ...]:
    """Orders for a budget ε whose losses may pass it with probability ``tail``; any choice is sound."""
    best = _best_order(float(epsilon), float(tail))
    alphas = [1 + stretch * (best - 1) for stretch in _STRETCHES]
    return tuple(order_at(a, weight, epsilon, tail) for a, weight in zip(alphas, _WEIGHTS, strict=True))


def order_at(alpha: Fraction, weight: Fraction, epsilon: Fraction, tail: Fraction) -> Order:
    """The order with its limit, rounded down."""
    above = alpha - 1
    limit = enclose(
        lambda: ball(epsilon) - (ball(above / alpha)).log() + (ball(weight * tail * alpha)).log() / ball(above)
    ).lower
    return Order(alpha, weight, Fraction(math.floor(limit * _FINEST), _FINEST))


@lru_cache(maxsize=4096)
def divergence(epsilon: Fraction, alpha: Fraction) -> Fraction:
    """A bound on the divergence of order α of every ε-DP mechanism, rounded up."""
    if epsilon == 0:
        return Fraction(0)
    ((_, bound),) = pure_to_renyi(PureDP(epsilon), [alpha]).curve
    return Fraction(math.ceil(bound * _FINEST), _FINEST)


@lru_cache(maxsize=1024)
def largest_pure(alpha: Fraction, room: Fraction) -> Fraction:
    """The largest ε, up to rounding down, whose divergence of order α fits the room."""
    if room <= 0:
        return Fraction(0)
    a, most = float(alpha), float(room)
    low, high = 0.0, 1.0
    while _divergence(high, a) <= most:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(middle, a) <= most else (low, middle)
    found = Fraction(math.floor(low * 10**15), 10**15)
    for digits in (15, 12, 9, 6):  # floating-point numbers only guess; what is promised is checked
        if divergence(found, alpha) <= room:
            return found
        found = max(Fraction(0), Fraction(math.floor(low * 10**digits) - 1, 10**digits))
    return min(room, found) if divergence(min(room, found), alpha) <= room else Fraction(0)


def _divergence(epsilon: float, alpha: float) -> float:
    """ln(cosh((α - 1/2)·ε)/cosh(ε/2))/(α - 1), without overflow."""
    if epsilon == 0:
        return 0.0
    wide, narrow = (alpha - 0.5) * epsilon, epsilon / 2
    log_ratio = wide - narrow + math.log1p(math.exp(-2 * wide)) - math.log1p(math.exp(-2 * narrow))
    if wide < 1e-3:  # where the difference of logarithms has no digits left
        log_ratio = (wide**2 - narrow**2) / 2
    return log_ratio / (alpha - 1)


def _best_order(epsilon: float, tail: float) -> Fraction:
    """About the order whose limit pays for most ρ: the largest c/α."""

    def paid(above: float) -> float:
        alpha = 1 + above
        limit = epsilon - math.log(above / alpha) + (math.log(tail) + math.log(alpha)) / above
        return limit / alpha

    low, high = math.log(1e-6), math.log(1e9)
    for _ in range(200):  # c/α rises to its best and falls from there
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (first, high) if paid(math.exp(first)) < paid(math.exp(second)) else (low, second)
    above = math.exp(low)
    return 1 + Fraction(f"{above:.3g}")

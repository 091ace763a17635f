"""Rényi curves of mechanisms: D_α at any order, summed over a composition and turned into ε at the best order.

The one idea: every order gives a valid bound, so orders are chosen freely (a coarse ladder, then finer around
the best) and only the bound at the chosen ones is computed, rounded up. The moment of a Poisson sample is a finite
binomial sum at whole orders [MTZ19 Sec. 3.3]; between them only a real-valued Gaussian sample is known, by an integral.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb

from lapwing.algebra.accounting.sampled_gaussian import sampled_gaussian_moment
from lapwing.algebra.accounting.terms import (
    Approx,
    Concentrated,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
    Term,
)
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.conversion import renyi_at_delta
from lapwing.algebra.measures import RenyiDP

#: Orders tried first: 1 + 2^(i/4) from about 1.001 to about 10^6, and whole numbers for samples.
_LADDER = tuple(1 + Fraction(round(2 ** (i / 4) * 2**20), 2**20) for i in range(-40, 80))
_WHOLE = (*range(2, 65), *(round(64 * 2 ** (i / 4)) for i in range(1, 17)))
#: Orders tried between the neighbours of the best one so far, and how often that is repeated.
_BETWEEN = 12
_ROUNDS = 4


def renyi_bound(term: Term, order: Fraction) -> Fraction:
    """A bound on D_α between neighbours, apart from open failures, rounded up; see :func:`_needs_whole_orders`."""
    match term:
        case Gaussian() | Concentrated():
            return order * term.rho  # [Mironov17] Prop 7 for the Gaussian, [CKS20] Thm 4 on a lattice
        case Poisson(rate, base) if rate != 1:
            if order.denominator != 1 and _needs_whole_orders(term):
                raise AssertionError("the curve of this sample is known at whole orders")
            return _divergence(term, order)
        case Poisson(_, base):
            return renyi_bound(base, order)
    epsilon = term.epsilon
    return min(epsilon, _divergence(term, order)) if epsilon else Fraction(0)


def renyi_curve(term: Term, orders: Iterable[Fraction]) -> RenyiDP:
    """The term's Rényi curve at ``orders``."""
    return RenyiDP({order: renyi_bound(term, order) for order in orders})


def renyi_epsilon(terms: Sequence[tuple[int, Term]], delta: Fraction) -> tuple[Fraction, Fraction]:
    """(ε, the order it comes from) of ``count`` runs of each term at δ: curves add [Mironov17 Prop 1]."""
    sampled = any(isinstance(term, Poisson) and term.rate != 1 for _, term in terms)
    whole = any(_needs_whole_orders(term) for _, term in terms)
    orders: list[Fraction] = [Fraction(order) for order in _WHOLE] if sampled else list(_LADDER)
    known: dict[Fraction, Fraction] = {}
    for _ in range(_ROUNDS if whole or not sampled else 2):  # an integral is exact but slow: one refinement is enough
        for order in orders:
            if order not in known:
                total = sum((count * renyi_bound(term, order) for count, term in terms), Fraction(0))
                known[order] = renyi_at_delta(RenyiDP({order: total}), delta).epsilon
        best = min(known, key=lambda order: known[order])
        orders = _around(best, sorted(known), whole=whole)
    return known[best], best


def _needs_whole_orders(term: Term) -> bool:
    """Whether the term's curve is used at whole orders only: every sample but one of an ordinary real-valued Gaussian.

    With next to no noise the integral is as hard as it is pointless.
    """
    if not isinstance(term, Poisson) or term.rate == 1:
        return False
    base = term.base
    return not (isinstance(base, Gaussian) and base.steps is None and base.squared_ratio <= 100)


def _around(best: Fraction, known: Sequence[Fraction], *, whole: bool) -> list[Fraction]:
    """Orders between the neighbours of the best one."""
    place = known.index(best)
    low, high = known[max(place - 1, 0)], known[min(place + 1, len(known) - 1)]
    between = [low + (high - low) * i / _BETWEEN for i in range(1, _BETWEEN)]
    return [Fraction(round(order)) for order in between] if whole else between


def _divergence(term: Term, order: Fraction) -> Fraction:
    """D_α = ln E_Q[(P/Q)^α] / (α − 1), rounded up."""
    return enclose(lambda: _moment(term, order).log() / ball(order - 1), relative_bits=60).upper


def _moment(term: Term, order: Fraction) -> arb:
    """E_Q[(P/Q)^α] of the term's worst pair."""
    match term:
        case Laplace(steps=None):
            # [Mironov17] Prop 6
            odds = 2 * order - 1
            up, down = ((order - 1) * term.epsilon), -order * term.epsilon
            return ball(order / odds) * ball(up).exp() + ball((order - 1) / odds) * ball(down).exp()
        case Laplace(steps=int(steps)):
            return _lattice_moment(term.epsilon, steps, order)
        case Pure() | RandomizedResponse() | Approx():
            return _lattice_moment(term.epsilon, 1, order)  # randomized response is the worst [KOV15]
        case Gaussian() | Concentrated():
            # On a lattice too: shifting by a whole number of steps leaves the normaliser as it is.
            return ball(order * (order - 1) * term.rho).exp()
        case Poisson(rate, Gaussian() as base) if order.denominator != 1:
            return sampled_gaussian_moment(rate, base.squared_ratio, order)
        case Poisson(rate, base):
            return _sampled_moment(base, rate, int(order))
    raise AssertionError("a term without a Rényi curve")


def _lattice_moment(epsilon: Fraction, steps: int, order: Fraction) -> arb:
    """Σ m·e^((α−1)l) over the losses of discrete Laplace (see ``pairs``): a geometric series between its two ends."""
    gap = ball(-epsilon / steps).exp()
    ratio = ball(-(2 * order - 1) * epsilon / steps)
    last = ball(-(2 * order - 1) * epsilon).exp()
    inner = (1 - gap) * (ratio.exp() - last) / -ratio.expm1() if steps > 1 else arb(0)
    return ball((order - 1) * epsilon).exp() * (1 + inner + last) / (1 + gap)


def _sampled_moment(base: Term, rate: Fraction, order: int) -> arb:
    """E_Q[((1−q) + q·P/Q)^α] = Σ C(α,j)(1−q)^(α−j) q^j E_Q[(P/Q)^j].

    This is the direction in which the unit is taken out; the other one is never larger for a pair that is its own
    mirror image [MTZ19 Thm 5], and all of ours are.
    """
    miss, hit = 1 - ball(rate), ball(rate)
    total = miss**order + order * miss ** (order - 1) * hit
    for j in range(2, order + 1):
        total += arb.bin_uiui(order, j) * miss ** (order - j) * hit**j * _moment(base, Fraction(j))
    return total

"""The Rényi moment of a sampled Gaussian at *any* order, by an integral with a certified error.

The one idea: at whole orders the moment is a finite sum, but the best order lies between two of them. There FLINT
integrates rigorously: what it returns is a ball that contains the integral, or a wide one, never a wrong one.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt

from flint import acb, arb, ctx

from lapwing.algebra.balls import ball


def sampled_gaussian_moment(rate: Fraction, squared_ratio: Fraction, order: Fraction) -> arb:
    """E[((1−q) + q·e^(μz − μ²/2))^α] for z ~ N(0, 1), as a ball: E_Q[(P/Q)^α] of the sampled pair.

    Outside the range integrated the power is at most (1−q) + q·e^(α(μz − μ²/2)), as x^α is convex; of that the tails
    are known.
    """
    hit, mean, alpha = ball(rate), ball(squared_ratio).sqrt(), ball(order)
    reach = isqrt(2 * ctx.prec) + 2  # e^(−reach²/2) is below the working precision
    end = reach + ceil(order) * (isqrt(ceil(squared_ratio)) + 1)

    def integrand(z: acb, analytic: bool) -> acb:
        base = (mean * z - mean**2 / 2).exp() * hit + (1 - hit)
        if analytic and not bool(base.real > 0):  # the power has a cut there: have FLINT divide the range
            return acb(arb.nan())
        return (alpha * base.log() - z**2 / 2).exp()

    inside = acb.integral(integrand, acb(-reach), acb(end)).real / (2 * arb.pi()).sqrt()
    shifted = (alpha * (alpha - 1) * mean**2 / 2).exp()
    left = (1 - hit) * _beyond(arb(reach)) + hit * shifted * _beyond(reach + alpha * mean)
    right = (1 - hit) * _beyond(arb(end)) + hit * shifted * _beyond(end - alpha * mean)
    return inside + (left + right).union(arb(0))


def _beyond(distance: arb) -> arb:
    """P(z > distance)."""
    return (distance / arb(2).sqrt()).erfc() / 2

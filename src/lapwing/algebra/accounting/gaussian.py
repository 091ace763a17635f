"""The Gaussian mechanism on the real line, exactly: Balle and Wang's analytic formula and its inverses.

The one idea: k Gaussian answers are one. Adding N(0, σᵢ²) to answers of L2 sensitivity Δᵢ is, however
adaptively they are asked, as private as one answer with μ² = Σ (Δᵢ/σᵢ)² [DRS22 Cor 3.3], and μ² is rational.
Its profile is

    δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)                                              [BW18 Thm 8].

This is about *real-valued* noise. What Lapwing draws lives on a lattice; see ``lattice_gaussian``.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.accounting.smallest_passing import smallest, smallest_positive
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import Number
from lapwing.algebra.metrics import L2


def gaussian_profile(squared_ratio: Fraction, epsilon: arb) -> arb:
    """δ(ε) of N(μ, 1) against N(0, 1) for any real ε, as a ball; ``squared_ratio`` is μ² > 0."""
    ratio = ball(squared_ratio).sqrt()
    root_two = arb(2).sqrt()
    left = ((epsilon / ratio - ratio / 2) / root_two).erfc()
    right = ((epsilon / ratio + ratio / 2) / root_two).erfc()
    return (left - epsilon.exp() * right) / 2


def gaussian_delta(squared_ratio: Number, epsilon: Number) -> Fraction:
    """The δ of Gaussian answers with Σ (Δ/σ)² = ``squared_ratio`` at ε, rounded up [BW18 Thm 8]."""
    ratio = parameters.nonnegative(squared_ratio, "squared ratio")
    level = parameters.nonnegative(epsilon, "epsilon")
    if ratio == 0:
        return Fraction(0)
    return enclose(lambda: gaussian_profile(ratio, ball(level))).upper


def gaussian_epsilon(squared_ratio: Number, delta: Number) -> Fraction:
    """The smallest ε of Gaussian answers with Σ (Δ/σ)² = ``squared_ratio`` at δ, rounded up."""
    ratio = parameters.nonnegative(squared_ratio, "squared ratio")
    target = parameters.positive_delta(delta)
    return smallest(lambda epsilon: gaussian_delta(ratio, epsilon) <= target, max(ratio, Fraction(1, 2**20)), "epsilon")


def gaussian_sigma(epsilon: Number, delta: Number, sensitivity: L2) -> Fraction:
    """The smallest σ of real-valued Gaussian noise that is (ε, δ)-private, rounded up [BW18 Alg. 1]."""
    level = parameters.epsilon(epsilon)
    target = parameters.positive_delta(delta)
    if sensitivity.squared == 0:
        return Fraction(0)
    return smallest_positive(
        lambda sigma: gaussian_delta(sensitivity.squared / sigma**2, level) <= target, Fraction(1), "sigma"
    )

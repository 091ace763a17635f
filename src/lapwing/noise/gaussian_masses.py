"""Sums of f(x) = e^(-x²/2σ²) over the integers as balls: what pmf, tails and variance of the discrete Gaussian need.

The one idea: no sum is ever long. Over all integers, Poisson's formula turns a slow series into a fast one; over
a tail, terms are added until a geometric series bounds the rest, and where that would take too many (σ large),
Euler and Maclaurin's formula replaces the sum by an integral, with a remainder that is bounded, not estimated.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from flint import arb

from lapwing.algebra.balls import ball

#: Series stop when the rest is certainly below this fraction of the sum: finer than any caller asks.
_NEGLIGIBLE = Fraction(1, 2**160)
#: Tails of a σ² up to this are summed directly: at most some 1,000 terms.
_DIRECT_UP_TO = 64**2
#: Euler–Maclaurin is used to this order; while t/σ² < 1/8 the remainder is below 2^-100 of the sum.
_ORDER = 20


def total(variance: Fraction) -> arb:
    """Σ f(x) over all integers."""
    if variance < 1:
        return 1 + 2 * _series(1 / (2 * ball(variance)), 1)
    # Poisson summation: Σ f(x) = √(2π)σ·Σ e^(-2π²σ²k²).
    return (2 * arb.pi() * ball(variance)).sqrt() * (1 + 2 * _series(_dual(variance), 1))


def second_moment(variance: Fraction) -> arb:
    """Σ x²·f(x) over all integers, divided by Σ f(x)."""
    if variance < 1:
        return 2 * _series(1 / (2 * ball(variance)), 1, power=2) / total(variance)
    # Differentiating Poisson's formula by σ² gives σ² - 4π²σ⁴·Σ k²e^(-2π²σ²k²)/Σ e^(-2π²σ²k²), over all integers k.
    dual = _dual(variance)
    share = 2 * _series(dual, 1, power=2) / (1 + 2 * _series(dual, 1))
    return ball(variance) - 4 * arb.pi() ** 2 * ball(variance) ** 2 * share


def upper_sum(variance: Fraction, first: int) -> arb:
    """Σ f(x) over x >= first, for first >= 1."""
    if variance <= _DIRECT_UP_TO or 8 * first >= variance:
        return _series(1 / (2 * ball(variance)), first)
    return _euler_maclaurin(variance, first)


def _dual(variance: Fraction) -> arb:
    return 2 * arb.pi() ** 2 * ball(variance)


def _series(rate: arb, first: int, power: int = 0) -> arb:
    """Σ k^power·e^(-rate·k²) over k >= first >= 1: each ratio of terms is smaller than the one before."""
    term, ratio, step = (-rate * first**2).exp(), (-rate * (2 * first + 1)).exp(), (-2 * rate).exp()
    found = arb(0)
    k = first
    while True:
        here, next_ratio = term, ratio
        if power:
            here, next_ratio = term * k**power, ratio * ball(Fraction((k + 1) ** power, k**power))
        rest = here / (1 - next_ratio)
        if next_ratio < 1 and (rest <= found * ball(_NEGLIGIBLE) or not here > 0):
            return found + rest.union(arb(0))
        found += here
        term, ratio, k = term * ratio, ratio * step, k + 1


def _euler_maclaurin(variance: Fraction, first: int) -> arb:
    """Σ f(x) over x >= first = ∫f + f(first)/2 - Σ B_2j/(2j)!·f^(2j-1)(first) + R, with |R| <= |B_n|/n!·∫|f^(n)|."""
    v, t = ball(variance), ball(first)
    z = t / v.sqrt()
    f = (-z * z / 2).exp()
    # f^(n) = (-1)^n h_n·f, where h_n = He_n(t/σ)/σ^n and He_(n+1)(z) = z·He_n(z) - n·He_(n-1)(z).
    before, h = arb(1), t / v
    integral = (arb.pi() / 2).sqrt() * (z / arb(2).sqrt()).erfc()
    found = v.sqrt() * integral + f / 2
    for n in range(1, _ORDER, 2):
        found += arb.bernoulli(n + 1) / factorial(n + 1) * h * f  # an odd derivative: -(-h·f)
        for m in (n, n + 1):
            before, h = h, (t * h - m * before) / v
    # |He_n(y)| <= Σ |c_k|·y^k, and J_k = ∫ y^k e^(-y²/2) over y >= z satisfies J_k = z^(k-1)·e^(-z²/2) + (k-1)·J_(k-2).
    size = arb(0)
    for k in range(0, _ORDER + 1, 2):
        if k:
            integral = z ** (k - 1) * f + (k - 1) * integral
        m = (_ORDER - k) // 2
        size += factorial(_ORDER) // (2**m * factorial(m) * factorial(k)) * integral
    remainder = arb.bernoulli(_ORDER).abs_upper() / factorial(_ORDER) * size * v.sqrt() / v ** (_ORDER // 2)
    return found + remainder.union(-remainder)

"""How likely a draw of noise is to fall in a range, bounded from below.

The one idea: the checker needs lower bounds only. It sums certain mass inside an event and certain mass outside it;
what is missing from 1 is the width of its answer. So every function here may err towards 0 and nowhere else.

Draws are counted in lattice steps: ``laplace`` is P(k) ∝ e^(-|k|/t), ``exponential`` is P(k) ∝ e^(-k/t) for k >= 0,
``gaussian`` is P(k) ∝ e^(-k²/2t²), where t is the scale divided by the lattice step.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, isqrt
from typing import NamedTuple

from flint import arb, fmpq

from lapwing.algebra import balls
from lapwing.algebra.balls import ball
from lapwing.noise import gaussian_masses

#: Gaussians that reach further are not tabulated: each of their masses is computed by itself.
MAX_TABLE = 20_000


class Law(NamedTuple):
    """A distribution on whole lattice steps. Its scale is kept as two integers: laws are hashed millions of times."""

    kind: str
    numerator: int
    denominator: int

    @property
    def scale(self) -> Fraction:
        """The scale in lattice steps."""
        return Fraction(self.numerator, self.denominator)


class Draw(NamedTuple):
    """A draw of which only this is known: it lies from ``low`` to ``high`` (None: unbounded), both included."""

    law: Law
    low: int | None
    high: int | None


@lru_cache(maxsize=1 << 16)
def mass(draw: Draw, bits: int) -> fmpq:
    """A lower bound, good to about ``bits`` binary places, on the probability that the draw lies in its range."""
    law, low, high = draw
    if high is None and (low is None or (law.kind == "exponential" and low <= 0)):
        return fmpq(1)
    if low is not None and high is not None and low > high:
        return fmpq(0)
    if law.kind == "gaussian":
        if reach(law, bits) > MAX_TABLE:
            return _wide_gaussian(law.scale**2, low, high, bits)
        end, sums = _gaussian_sums(law.scale, bits)
        first = 0 if low is None else min(max(low + end, 0), 2 * end + 1)
        last = 2 * end + 1 if high is None else min(max(high + end + 1, 0), 2 * end + 1)
        return max(sums[last] - sums[first], fmpq(0))
    at_least = _laplace_at_least if law.kind == "laplace" else _exponential_at_least
    with balls.precision(bits + 32):
        ratio = ball(-1 / law.scale).exp()
        start = arb(1) if low is None else at_least(ratio, low)
        return _down(start if high is None else start - at_least(ratio, high + 1), bits)


def reach(law: Law, bits: int) -> int:
    """A K beyond which less than about 2^-bits of the law lies. Only a choice: what lies beyond is never counted."""
    nats = Fraction(7, 10) * (bits + 1)  # ln 2 < 0.7
    return isqrt(ceil(2 * nats * law.scale**2)) + 2 if law.kind == "gaussian" else ceil(nats * law.scale) + 1


def choice(scores: tuple[Fraction, ...], scale: Fraction, bits: int) -> list[fmpq]:
    """Lower bounds on P(i) = e^(s_i/scale) / Σ e^(s_j/scale); exact when all scores are equal."""
    if len(set(scores)) == 1:
        return [fmpq(1, len(scores))] * len(scores)
    with balls.precision(bits + 32):
        best = max(scores)
        weights = [ball((score - best) / scale).exp() for score in scores]
        return [_down(weight / sum(weights, arb(0)), bits) for weight in weights]


def _laplace_at_least(ratio: arb, step: int) -> arb:
    """P(k >= step) = r^step/(1+r) above 0; below, by symmetry, 1 - P(k >= 1-step)."""
    return ratio**step / (1 + ratio) if step >= 1 else 1 - ratio ** (1 - step) / (1 + ratio)


def _exponential_at_least(ratio: arb, step: int) -> arb:
    return ratio ** max(step, 0)


@lru_cache(maxsize=64)
def _gaussian_sums(sigma: Fraction, bits: int) -> tuple[int, list[fmpq]]:
    """K, and lower bounds on P(-K <= k < -K+i) for i = 0 … 2K+1.

    The normaliser is bounded above: beyond K successive terms shrink at least by e^(-(2K+3)/2σ²), a geometric series.
    """
    end = reach(Law("gaussian", sigma.numerator, sigma.denominator), bits)
    with balls.precision(bits + 32):
        terms = [ball(-Fraction(k * k) / (2 * sigma * sigma)).exp() for k in range(end + 2)]
        shrink = ball(-Fraction(2 * end + 3) / (2 * sigma * sigma)).exp()
        total = terms[0] + 2 * sum(terms[1 : end + 1], arb(0)) + 2 * terms[end + 1] / (1 - shrink)
        # ``total`` is the normaliser or more, so each quotient is the probability or less
        one_side = [_down(term / total, bits) for term in terms[: end + 1]]
    return end, list(accumulate([*one_side[:0:-1], *one_side], initial=fmpq(0)))


def _wide_gaussian(variance: Fraction, low: int | None, high: int | None, bits: int) -> fmpq:
    """A lower bound on P(low <= k <= high), by sums that :mod:`lapwing.noise.gaussian_masses` encloses."""

    def at_least(step: int) -> arb:
        if step >= 1:
            return gaussian_masses.upper_sum(variance, step) / whole
        return 1 - gaussian_masses.upper_sum(variance, 1 - step) / whole

    with balls.precision(bits + 64):
        whole = gaussian_masses.total(variance)
        if low is not None and low == high:
            return _down(ball(-Fraction(low * low) / (2 * variance)).exp() / whole, bits)
        if low is None and high is not None:  # the mirror image, so that a far tail keeps its digits
            low, high = -high, None
        start = arb(1) if low is None else at_least(low)
        return _down(start if high is None else start - at_least(high + 1), bits)


def _down(value: arb, bits: int) -> fmpq:
    """The ball's number rounded down to a multiple of 2^-bits, not below 0."""
    low = value.lower() * arb(2) ** bits
    whole = low.floor().lower().unique_fmpz()
    return fmpq(0) if whole is None or whole < 0 else fmpq(whole, 1) / fmpq(2) ** bits

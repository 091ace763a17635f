"""How likely a draw of whole numbers is to fall in a range.

``discrete_laplace(t)`` has P(k) ∝ e^(-|k|/t), ``discrete_gaussian(t)`` has P(k) ∝ e^(-k²/2t²). Everything is a ball
that contains the truth, at the working precision.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt
from typing import NamedTuple

from flint import arb

from lapwing.algebra.balls import ball
from lapwing.noise import gaussian_masses


class Law(NamedTuple):
    """A distribution on whole numbers; its scale is kept as two integers, because laws are hashed often."""

    kind: str
    numerator: int
    denominator: int

    @property
    def scale(self) -> Fraction:
        """The scale."""
        return Fraction(self.numerator, self.denominator)


class Draw(NamedTuple):
    """A draw of which only this is known: it lies from ``low`` to ``high`` (None: unbounded), both included."""

    law: Law
    low: int | None
    high: int | None


def mass(draw: Draw) -> arb:
    """The probability that the draw lies in its range."""
    law, low, high = draw
    if low is None and high is None:
        return arb(1)
    if low is not None and high is not None and low > high:
        return arb(0)
    if low is not None and low == high:
        return _point(law, low)
    if low is None or (high is not None and high < 0):  # the mirror image, so that a far tail keeps its digits
        low, high = None if high is None else -high, None if low is None else -low
    start = arb(1) if low is None else _at_least(law, low)
    return start if high is None else start - _at_least(law, high + 1)


def reach(law: Law, bits: int) -> int:
    """A K beyond which less than about 2^-bits of the law lies. Only a choice: what lies beyond is counted as lost."""
    nats = Fraction(7, 10) * (bits + 1)  # ln 2 < 0.7
    wide = isqrt(ceil(2 * nats * law.scale**2)) + 2
    return wide if law.kind == "discrete_gaussian" else ceil(nats * law.scale) + 1


def _point(law: Law, step: int) -> arb:
    if law.kind == "discrete_gaussian":
        variance = law.scale**2
        return ball(-Fraction(step * step) / (2 * variance)).exp() / gaussian_masses.total(variance)
    ratio = ball(-1 / law.scale).exp()
    return ratio ** abs(step) * (1 - ratio) / (1 + ratio)


def _at_least(law: Law, step: int) -> arb:
    """P(k >= step): above 0 a tail; below, by symmetry, 1 - P(k >= 1-step)."""
    if step < 1:
        return 1 - _at_least(law, 1 - step)
    if law.kind == "discrete_gaussian":
        variance = law.scale**2
        return gaussian_masses.upper_sum(variance, step) / gaussian_masses.total(variance)
    ratio = ball(-1 / law.scale).exp()
    return ratio**step / (1 + ratio)

"""Privacy-loss distributions in integers: a rigorous, tight accountant for any sum of mechanisms.

The one idea: keep *too much* mass at *too large* losses, everywhere and always. A :class:`LossDistribution` is a
measure m of non-negative masses on a grid of losses and at +∞; its profile is

    δ_m(ε) = m(∞) + Σ_l m(l)·(1 − e^(ε−l))⁺.

It *dominates* a mechanism if δ_m(ε) ≥ δ(ε) for every real ε, negative ones included. Masses are integers in
units of 2^−bits, and products of them are exact polynomial products, so nothing is lost that is not given away
on purpose and on the safe side.

Why that is sound:

- *More is safe.* δ_m grows when a mass grows or moves to a larger loss, because (1 − e^(ε−l))⁺ is ≥ 0 and grows
  with l. So rounding masses up, moving the low tail up to the lowest kept loss and the high tail to +∞ keep
  domination. Total mass may pass 1; nothing below uses that it does not.
- *Spreading is safe.* (1 − e^ε·x)⁺ is convex in x = e^(−l), so a mass may be split between the two grid points
  around it if Σm and Σm·e^(−l) stay (then more may go to the upper one). This is how the grid is coarsened, and
  what the connect-the-dots discretisation does to a whole profile [DGKKM22].
- *Composition is convolution.* For measures, normalised or not, the profile of m₁ ∗ m₂ is ∫ δ_{m₂}(ε − l) dm₁(l).
  If m₂ dominates the second mechanism after *every* answer of the first, replace its profile under the
  integral; by symmetry do the same for m₁. So m₁ ∗ m₂ dominates the adaptive composition ([ZDW22] Thm 10, whose
  proof needs the pointwise inequality for all real ε and no normalisation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil

from flint import fmpz_poly

from lapwing.algebra.balls import ball, lower, precision, upper
from lapwing.errors import Unbounded

#: More grid points than this are halved. The error of a halving is of second order in the grid step.
MAX_POINTS = 1 << 15


@dataclass(frozen=True, slots=True)
class Fineness:
    """How finely to compute: units of 2^−bits, and how much tail mass one operation may move, in those units."""

    bits: int
    low_tail: int
    high_tail: int


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """Masses (in units of 2^−bits) at the losses lowest, lowest + step, …, and at +∞."""

    lowest: Fraction
    step: Fraction
    masses: fmpz_poly
    infinite: int
    fineness: Fineness

    def compose(self, other: LossDistribution) -> LossDistribution:
        """Dominates the adaptive composition of whatever the two dominate: the convolution, rounded up."""
        left, right = _on_common_step(self, other)
        bits = self.fineness.bits
        mine, theirs = int(left.masses(1)), int(right.masses(1))
        lost = left.infinite * theirs + mine * right.infinite + left.infinite * right.infinite
        product = _shifted_up(left.masses * right.masses, bits)
        composed = LossDistribution(left.lowest + right.lowest, left.step, product, -(-lost >> bits), self.fineness)
        return composed.trimmed().kept_small()

    def power(self, count: int) -> LossDistribution:
        """Dominates ``count`` adaptive runs, by repeated squaring."""
        result = self
        for bit in bin(count)[3:]:
            result = result.compose(result)
            if bit == "1":
                result = result.compose(self)
        return result

    def trimmed(self) -> LossDistribution:
        """Moves the low tail up to the lowest kept loss, and the high tail to +∞."""
        masses = self.masses
        most = masses.length() - 1
        low = _longest(most, lambda length: masses.truncate(length)(1) <= self.fineness.low_tail)
        high = _longest(most - low, lambda length: masses.right_shift(most + 1 - length)(1) <= self.fineness.high_tail)
        kept = masses.truncate(most + 1 - high).right_shift(low) + masses.truncate(low)(1)
        lost = int(masses.right_shift(most + 1 - high)(1))
        return replace(self, lowest=self.lowest + low * self.step, masses=kept, infinite=self.infinite + lost)

    def kept_small(self) -> LossDistribution:
        """Coarsens until no more than MAX_POINTS grid points are left."""
        result = self
        while result.masses.length() > MAX_POINTS:
            result = result.coarsened()
        return result

    def coarsened(self) -> LossDistribution:
        """On twice the step: each odd mass is split so that Σm and Σm·e^(−l) stay, rounded towards the upper part.

        m at l becomes m/(1+e^(−h)) at l+h and the rest at l−h.
        """
        bits = self.fineness.bits
        with precision(bits + 64):
            share = min(1 << bits, ceil(upper(1 / (1 + ball(-self.step).exp())) * (1 << bits)))
        # The largest loss keeps its place, so that no loss ever passes the true maximum.
        shift = self.masses.degree() % 2
        masses = self.masses.left_shift(shift).coeffs()
        odd = fmpz_poly(masses[1::2])
        up = _shifted_up(odd * share, bits)
        coarser = fmpz_poly(masses[0::2]) + (odd - up) + up.left_shift(1)
        return replace(self, lowest=self.lowest - shift * self.step, step=2 * self.step, masses=coarser)

    def delta(self, epsilon: Fraction) -> Fraction:
        """δ_m(ε), rounded up."""
        above, discounted, first = self._tail(epsilon, None)
        if above == 0:
            return min(Fraction(1), Fraction(self.infinite, 1 << self.fineness.bits))
        with precision(self.fineness.bits + 64):
            factor = max(Fraction(0), lower(ball(epsilon - first).exp()))
        return min(Fraction(1), (self.infinite + above - factor * discounted) / (1 << self.fineness.bits))

    def epsilon(self, delta: Fraction) -> Fraction:
        """The smallest ε ≥ 0 with δ_m(ε) ≤ delta, rounded up: a closed form between two grid points."""
        unit = 1 << self.fineness.bits
        target = delta * unit
        if self.infinite > target:
            raise Unbounded(
                "A530", "the privacy loss is infinite with a probability above delta", "Give a larger delta"
            )
        above, discounted, first = self._tail(Fraction(0), target)
        if above == 0:
            return Fraction(0)
        if discounted == 0:  # rounded away
            return first
        # For ε between the next lower grid point and ``first``: δ = infinite + above − e^(ε−first)·discounted.
        with precision(self.fineness.bits + 64):
            wanted = ball(self.infinite + above - target) / discounted
            offset = min(Fraction(0), upper(wanted.log())) if bool(wanted > 0) else -self.step
        return max(Fraction(0), first + max(offset, -self.step))

    def _tail(self, epsilon: Fraction, target: Fraction | None) -> tuple[int, int, Fraction]:
        """(Σ m, Σ m·e^(first−l) rounded down, first) over the losses from ``first`` up.

        ``first`` is the lowest grid point above ``epsilon`` with δ_m(first) ≤ target (if a target is given).
        """
        bits = self.fineness.bits
        with precision(bits + 64):
            decay = max(0, int(lower(ball(-self.step).exp()) * (1 << bits)))
        masses = self.masses.coeffs()
        above = discounted = 0
        position = len(masses)
        while position > 0 and self.lowest + (position - 1) * self.step > epsilon:
            mass = int(masses[position - 1])
            next_above, next_discounted = above + mass, mass + (discounted * decay >> bits)
            if target is not None and self.infinite + next_above - next_discounted > target:
                break
            above, discounted = next_above, next_discounted
            position -= 1
        return above, discounted, self.lowest + position * self.step


def _on_common_step(left: LossDistribution, right: LossDistribution) -> tuple[LossDistribution, LossDistribution]:
    """Both on one step; theirs are powers of two of each other.

    The coarser one goes over to the finer grid, which costs nothing, unless that takes too many points.
    """
    while left.step != right.step:
        if left.step > right.step:
            right, left = _on_common_step(right, left)
        elif 2 * right.masses.length() <= MAX_POINTS:
            right = replace(right, step=right.step / 2, masses=right.masses.inflate(2))
        else:
            left = left.coarsened()
        if max(left.step, right.step) % min(left.step, right.step) != 0:
            raise AssertionError("two loss distributions are on grids that no halving joins")
    return left, right


def _shifted_up(masses: fmpz_poly, bits: int) -> fmpz_poly:
    """Every coefficient divided by 2^bits and rounded up."""
    return (masses + _almost_units(bits, masses.length())) // fmpz_poly([1 << bits])


def _almost_units(bits: int, length: int) -> fmpz_poly:
    """``length`` coefficients of 2^bits − 1: what is added before a division that rounds down, to round up."""
    if length > 2 * MAX_POINTS:
        return fmpz_poly([(1 << bits) - 1] * length)
    return _many_almost_units(bits).truncate(length)


@lru_cache(maxsize=4)
def _many_almost_units(bits: int) -> fmpz_poly:
    return fmpz_poly([(1 << bits) - 1] * (2 * MAX_POINTS))


def _longest(longest: int, fits: Callable[[int], bool]) -> int:
    """The largest length from 0 to ``longest`` that fits, for a property that shorter ones share; 0 always fits."""
    fitting, beyond = 0, longest + 1
    while beyond - fitting > 1:
        middle = (fitting + beyond) // 2
        if fits(middle):
            fitting = middle
        else:
            beyond = middle
    return fitting

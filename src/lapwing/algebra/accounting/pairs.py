"""Dominating pairs: the privacy profile of one run of each mechanism, for every real ε.

The one idea: a pair is its profile δ(ε) = sup_S Pr[P ∈ S] − e^ε·Pr[Q ∈ S]. Where
its losses lie only steers the grid of the accountant and cannot make a bound wrong.

Pairs of Laplace, Gaussian and randomized response are their own mirror image. A Poisson sample is not: taking
the unit out and putting it in have different profiles, and a bound must hold for both, so it has two pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt

from flint import arb

from lapwing.algebra.accounting.gaussian import gaussian_profile
from lapwing.algebra.accounting.terms import Base, Gaussian, Laplace, Poisson, Pure, RandomizedResponse
from lapwing.algebra.balls import ball, lower, precision, upper
from lapwing.algebra.subsampling import amplified

Profile = Callable[[arb], arb]

#: A discrete Gaussian's tails are kept in a table of this many entries at most.
MAX_TABLE = 1 << 15


class TooFine(Exception):
    """The lattice has too many points for a table; the message says so in a sentence."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A profile, and hints for the grid.

    Losses at ``anchor`` plus multiples of ``spacing`` belong on it; if ``is_lattice``, there are no others.
    """

    profile: Profile
    anchor: Fraction = Fraction(0)
    spacing: Fraction | None = None
    is_lattice: bool = False


def pairs(term: Base | Poisson, bits: int) -> tuple[Pair, Pair]:
    """(pair when the unit is taken out, pair when it is put in), good to about 2^−bits."""
    if isinstance(term, Poisson) and term.rate != 1:
        base = _symmetric(term.base, bits)
        out, into = _taken_out(base.profile, term.rate), _put_in(base.profile, term.rate)
        if isinstance(term.base, Gaussian):
            return Pair(out), Pair(into)
        # Both ends of the loss carry much mass: they are put on the grid, as nearly as rationals can.
        top = amplified(term.base.epsilon, term.rate)
        bottom = amplified(-term.base.epsilon, term.rate)
        return Pair(out, top, top - bottom), Pair(into, -bottom, top - bottom)
    pair = _symmetric(term.base if isinstance(term, Poisson) else term, bits)
    return pair, pair


def gaussian_pair(squared_ratio: Fraction) -> Pair:
    """N(μ, 1) against N(0, 1)."""
    return Pair(lambda epsilon: gaussian_profile(squared_ratio, epsilon))


def _symmetric(term: Base, bits: int) -> Pair:
    match term:
        case Laplace(steps=None):
            return _laplace_pair(term.epsilon)
        case Laplace(steps=int(steps)):
            return _lattice_laplace_pair(term.epsilon, steps)
        case Gaussian(steps=None):
            return gaussian_pair(term.squared_ratio)
        case Gaussian(steps=int(steps)):
            return _lattice_gaussian_pair(term.squared_ratio, steps, bits)
        case Pure() | RandomizedResponse():
            # The worst ε-DP mechanism is randomized response [KOV15], which is Laplace noise on one step.
            return _lattice_laplace_pair(term.epsilon, 1)
    raise AssertionError("a term without a dominating pair")


def _laplace_pair(epsilon: Fraction) -> Pair:
    """Real-valued Laplace: δ(x) = 1 − e^((x−ε)/2) between −ε and ε, 1 − e^x below, 0 above."""

    def profile(x: arb) -> arb:
        return _piecewise(x, epsilon, lambda: -((x - ball(epsilon)) / 2).expm1())

    return Pair(profile, epsilon, 2 * epsilon)


def _lattice_laplace_pair(epsilon: Fraction, steps: int) -> Pair:
    """Laplace on a lattice, N steps per sensitivity: losses (N−2j)·ε/N for j = 0 … N and no others.

    With a = ε/N, the losses ε − 2ja have probability 1/(1+e^(−a)) for j = 0, e^(−ja)·(1−e^(−a))/(1+e^(−a)) for
    0 < j < N and e^(−Na)/(1+e^(−a)) for j = N. Summing gives δ = 1 − e^((l−ε)/2) at each loss l, the value of
    real-valued Laplace noise there, and δ is linear in e^ε between losses. So the lattice is the
    connect-the-dots discretisation of the line: it hides *less*, and least for N = 1, which is randomized response.
    """
    gap = 2 * epsilon / steps

    def chord(x: arb, index: int) -> arb:
        upper_loss = ball(epsilon - index * gap)
        high, low = (ball(-index * gap / 2)).exp(), (ball(-(index + 1) * gap / 2)).exp()  # 1 − δ at the two losses
        # α runs from e^(l−gap) to e^l; weight of the upper loss is (α/e^l − e^−gap)/(1 − e^−gap).
        weight = ((x - upper_loss).exp() - ball(-gap).exp()) / -ball(-gap).expm1()
        return 1 - (low + weight * (high - low))

    def between(x: arb) -> arb:
        # At a loss the ball straddles two chords; they meet there, so both readings are close.
        position = (ball(epsilon) - x) / ball(gap)
        around = {min(max(floor(end), 0), steps - 1) for end in (lower(position), upper(position))}
        values = [chord(x, index) for index in sorted(around)]
        return values[0].union(values[-1])

    return Pair(lambda x: _piecewise(x, epsilon, lambda: between(x)), epsilon, gap, True)


def _piecewise(x: arb, epsilon: Fraction, between: Callable[[], arb]) -> arb:
    """The profile of a pair whose losses lie in [−ε, ε], given its values between."""
    edge = ball(epsilon)
    if bool(x >= edge):
        return arb(0)
    if bool(x <= -edge):
        return -x.expm1()
    value = between()
    if not bool(x < edge):
        value = value.union(arb(0))
    if not bool(x > -edge):
        value = value.union(-x.expm1())
    return value


def _lattice_gaussian_pair(squared_ratio: Fraction, steps: int, bits: int) -> Pair:
    """Discrete Gaussian, N steps per sensitivity: Pr[Y > εσ²/N − N/2] − e^ε·Pr[Y > εσ²/N + N/2] [CKS20 Thm 7]."""
    variance = steps**2 / squared_ratio  # in lattice steps
    last = isqrt(int(2 * variance * (bits + 40))) + 2  # beyond it the tail is below 2^−bits, and is in ``rest``
    if last > MAX_TABLE // 2:
        raise TooFine(f"the discrete Gaussian has σ of about {isqrt(int(variance))} lattice steps")
    with precision(2 * bits + 64):
        weights = [ball(-Fraction(y * y) / (2 * variance)).exp() for y in range(last + 1)]
        beyond = weights[last] / (1 - ball(-Fraction(last) / variance).exp())  # ratios fall from e^(−last/σ²)
        rest = beyond.union(arb(0))  # Σ_{y ≥ last}
        sums = [rest]  # sums[i] = Σ_{y ≥ last − i}
        for y in range(last - 1, -last, -1):
            sums.append(sums[-1] + weights[abs(y)])
        total = sums[-1] + rest
        tails = [value / total for value in (*sums, total)]
        tails[-1] = tails[-1].union(tails[-2])  # holds Pr[Y ≥ y] for every y ≤ −last

    def at_least(y: int) -> arb:
        return tails[min(max(last - y, 0), 2 * last)]

    def profile(x: arb) -> arb:
        threshold = x * ball(variance) / steps - ball(Fraction(steps, 2))
        # At a loss the ball may straddle an integer; δ is continuous there, so both readings are close.
        starts = {floor(end) + 1 for end in (lower(threshold), upper(threshold))}
        values = [at_least(y) - x.exp() * at_least(y + steps) for y in sorted(starts)]
        return values[0].union(values[-1])

    return Pair(profile, -squared_ratio / 2, squared_ratio / steps, True)


def _taken_out(base: Profile, rate: Fraction) -> Profile:
    """(1−q)Q + qP against Q: q·δ(ln((α−1+q)/q)) at α = e^ε above 1−q, and 1 − α below [ZDW22 Thm 11]."""

    def profile(x: arb) -> arb:
        alpha = x.exp()
        excess = alpha - 1 + ball(rate)
        if bool(excess > 0):
            return ball(rate) * base((excess / ball(rate)).log())
        if bool(excess <= 0):
            return 1 - alpha
        return 1 - alpha + excess.upper().union(arb(0))  # the profile's slope in α is at least −1

    return profile


def _put_in(base: Profile, rate: Fraction) -> Profile:
    """Q against (1−q)Q + qP: w·δ(ln(αq/w)) with w = 1 − α(1−q) while that is positive, then 0 [ZDW22 Thm 11]."""

    def profile(x: arb) -> arb:
        alpha = x.exp()
        weight = 1 - alpha * (1 - ball(rate))
        if bool(weight > 0):
            return weight * base((alpha * ball(rate) / weight).log())
        if bool(weight <= 0):
            return arb(0)
        return weight.upper().union(arb(0))

    return profile

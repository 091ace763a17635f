"""The discrete Gaussian on a lattice, exactly: the noise that really runs.

The one idea: the lattice is part of the claim. Noise N_ℤ(0, σ²), counted in lattice steps, hides a difference
of Δ steps with profile

    δ(ε) = Pr[Y > εσ²/Δ − Δ/2] − e^ε·Pr[Y > εσ²/Δ + Δ/2],   Y ~ N_ℤ(0, σ²)                [CKS20 Thm 7],

and hides fewer steps at least as well (for each threshold t, Pr[Y+Δ ≥ t] grows with Δ). On fine lattices it
is close to the real-valued Gaussian's profile, but above it at some ε: calibrating to the real-valued formula
would be a guess.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.accounting.gaussian import gaussian_sigma
from lapwing.algebra.accounting.smallest_passing import smallest, smallest_whole
from lapwing.algebra.balls import ball, precision, upper
from lapwing.algebra.exact import Number
from lapwing.algebra.metrics import L2

#: Working precision before the size of the parameters is added; tails are relative, so a small δ costs none of it.
BITS = 256
#: From this σ² on, tails are summed by Euler–Maclaurin with a proved remainder, below it term by term.
DIRECT_UP_TO = 40_000


def lattice_gaussian_delta(sigma_squared: Number, steps: int, epsilon: Number) -> Fraction:
    """The δ of discrete Gaussian noise for a difference of ``steps`` lattice steps at ε, rounded up [CKS20 Thm 7]."""
    variance = parameters.scale(sigma_squared, "sigma squared")
    distance = parameters.whole(steps, "steps", least=0)
    level = parameters.nonnegative(epsilon, "epsilon")
    if distance == 0:
        return Fraction(0)
    with precision(_bits(variance, level)):
        return min(Fraction(1), max(Fraction(0), upper(lattice_gaussian_profile(variance, distance, level))))


def lattice_gaussian_epsilon(sigma_squared: Number, steps: int, delta: Number) -> Fraction:
    """The smallest ε of discrete Gaussian noise for a difference of ``steps`` lattice steps at δ, rounded up."""
    variance = parameters.scale(sigma_squared, "sigma squared")
    distance = parameters.whole(steps, "steps", least=0)
    target = parameters.positive_delta(delta)
    start = max(distance**2 / variance, Fraction(1, 2**20))
    return smallest(lambda level: lattice_gaussian_delta(variance, distance, level) <= target, start, "epsilon")


def lattice_gaussian_sigma(epsilon: Number, delta: Number, steps: int, grid: Number = Fraction(1, 1000)) -> Fraction:
    """The smallest σ, in lattice steps and a multiple of ``grid``, whose noise on the lattice is (ε, δ)-private."""
    level = parameters.epsilon(epsilon)
    target = parameters.positive_delta(delta)
    distance = parameters.whole(steps, "steps")
    unit = parameters.scale(grid, "grid")
    guess = int(gaussian_sigma(level, target, L2(distance)) / unit)
    return unit * smallest_whole(
        lambda units: lattice_gaussian_delta((unit * units) ** 2, distance, level) <= target, guess, "sigma"
    )


def lattice_gaussian_profile(variance: Fraction, steps: int, epsilon: Fraction) -> arb:
    """δ(ε) for any real ε as a ball, at the working precision."""
    centre = epsilon * variance / steps
    near = (centre - Fraction(steps, 2)).__floor__() + 1  # the first integer above the threshold: exact
    far = (centre + Fraction(steps, 2)).__floor__() + 1
    if variance < DIRECT_UP_TO:
        whole_line = 1 + 2 * _direct_tail(variance, 1)
        tails = [
            _direct_tail(variance, a) if a > 0 else whole_line - _direct_tail(variance, 1 - a) for a in (near, far)
        ]
    else:
        # Poisson summation: Σ e^(−y²/2σ²) = √(2π)σ·(1 + 2Σ e^(−2π²σ²j²)).
        theta = 4 * (-2 * arb.pi() ** 2 * ball(variance)).exp()
        whole_line = (2 * arb.pi() * ball(variance)).sqrt() * (1 + theta.union(arb(0)))
        tails = [_smooth_tail(variance, a) for a in (near, far)]
    return (tails[0] - ball(epsilon).exp() * tails[1]) / whole_line


def _direct_tail(variance: Fraction, first: int) -> arb:
    """Σ_{y ≥ first} e^(−y²/2σ²) for first ≥ 1, term by term, with the rest bounded by a geometric series."""
    step = ball(-1 / variance).exp()
    term = ball(-Fraction(first * first) / (2 * variance)).exp()
    ratio = ball(-Fraction(2 * first + 1) / (2 * variance)).exp()
    total = arb(0)
    while True:
        for _ in range(32):
            total += term
            term *= ratio
            ratio *= step
        rest = term / (1 - ratio)  # ratios only fall from here
        if bool(rest < total.rad()) or bool(rest < total * arb(2) ** -BITS):
            return total + rest.union(arb(0))


def _smooth_tail(variance: Fraction, first: int) -> arb:
    """The same sum for large σ and any ``first``: midpoint rule with its Peano remainder.

    With c = first − 1/2 and f(x) = e^(−x²/2σ²), integrating by parts twice against the midpoint kernel gives
    Σ f(y) = ∫_c^∞ f + f'(c)/24 − ∫ f''''·M with −1/384 ≤ M ≤ 0, and |f''''| ≤ (x⁴/σ⁸ + 6x²/σ⁶ + 3/σ⁴)·f.
    """
    s = ball(variance)
    c = ball(Fraction(2 * first - 1, 2))
    density = (-c * c / (2 * s)).exp()
    mass = (arb.pi() * s / 2).sqrt() * (c / (2 * s).sqrt()).erfc()
    second = s * (c * density + mass)  # ∫ x²f
    fourth = s * c**3 * density + 3 * s * second  # ∫ x⁴f
    remainder = (fourth / s**4 + 6 * second / s**3 + 3 * mass / s**2) / 384
    return mass - c / s * density / 24 + remainder.union(-remainder)


def _bits(variance: Fraction, epsilon: Fraction) -> int:
    """Room for the cancellation between the two tails and for the argument of e^ε."""
    return BITS + 2 * int(variance).bit_length() + 2 * int(epsilon).bit_length()

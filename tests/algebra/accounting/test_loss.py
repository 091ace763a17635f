"""The privacy-loss accountant: dominates at every step, against exact enumeration and closed forms."""

from fractions import Fraction

import mpmath
import pytest
from flint import fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting.loss import Fineness, LossDistribution
from lapwing.errors import Unbounded
from tests.algebra.accounting.digits import digits, real

FIVE = Fraction("1e-5")
BITS = 40
#: The references have 120 digits.
ROUNDING = Fraction(1, 10**100)
EXACT = Fineness(BITS, 0, 0)


@digits
def profile(distribution, level):
    """δ_m(ε) in 120 digits."""
    x = real(level)
    masses = [int(mass) for mass in distribution.masses.coeffs()]
    losses = [real(distribution.lowest + i * distribution.step) for i in range(len(masses))]
    total = sum(mass * (1 - mpmath.exp(x - loss)) for mass, loss in zip(masses, losses, strict=True) if loss > x)
    return (total + distribution.infinite) / 2**BITS


distributions = st.builds(
    lambda lowest, step, masses, infinite: LossDistribution(lowest, step, fmpz_poly(masses), infinite, EXACT),
    st.fractions(-2, 2, max_denominator=20),
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(1)]),
    st.lists(st.integers(0, 2**BITS), min_size=2, max_size=9).filter(any),
    st.integers(0, 2**30),
)
levels = st.fractions(-4, 6, max_denominator=50)


@given(distributions, levels)
@settings(deadline=None)
def test_coarsening_and_trimming_dominate(distribution, level):
    before = profile(distribution, level)
    assert profile(distribution.coarsened(), level) >= before - ROUNDING
    loose = LossDistribution(
        distribution.lowest, distribution.step, distribution.masses, distribution.infinite, Fineness(BITS, 2**39, 2**39)
    )
    assert profile(loose.trimmed(), level) >= before


@digits
def convolved(left, right, level):
    """δ(ε) of the convolution in 120 digits."""
    x = real(level)
    exact = real(Fraction(left.infinite, 2**BITS) * Fraction(int(right.masses(1)) + right.infinite, 2**BITS))
    exact += real(Fraction(int(left.masses(1)) * right.infinite, 4**BITS))
    for i, a in enumerate(left.masses.coeffs()):
        for j, b in enumerate(right.masses.coeffs()):
            loss = real(left.lowest + i * left.step + right.lowest + j * right.step)
            if loss > x:
                exact += int(a) * int(b) * (1 - mpmath.exp(x - loss)) / mpmath.mpf(4) ** BITS
    return exact


@given(distributions, distributions, levels)
@settings(deadline=None)
def test_composition_dominates_the_exact_convolution(left, right, level):
    exact = convolved(left, right, level)
    composed = profile(left.compose(right), level)
    assert composed >= exact - ROUNDING
    assert composed <= exact + Fraction(1, 2 ** (BITS - 12)) or left.step != right.step


@given(distributions, levels)
@settings(deadline=None)
def test_delta_is_rounded_up_and_epsilon_meets_its_delta(distribution, level):
    bound = distribution.delta(level)
    assert bound >= min(1, profile(distribution, level)) - ROUNDING
    target = Fraction(distribution.infinite + 2**20, 2**BITS)
    epsilon = distribution.epsilon(target)
    assert profile(distribution, epsilon) <= target


def test_infinite_loss_above_delta_is_refused():
    with pytest.raises(Unbounded, match="A530"):
        LossDistribution(Fraction(0), Fraction(1), fmpz_poly([1]), 2**30, EXACT).epsilon(Fraction(1, 2**20))

"""The analytic Gaussian and the discrete one, against 120-digit sums: never below, and tight."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting import lattice_gaussian as lattice
from lapwing.algebra.accounting.gaussian import gaussian_delta, gaussian_epsilon, gaussian_sigma
from lapwing.algebra.accounting.lattice_gaussian import (
    lattice_gaussian_delta,
    lattice_gaussian_epsilon,
    lattice_gaussian_profile,
    lattice_gaussian_sigma,
)
from lapwing.algebra.balls import precision
from lapwing.algebra.metrics import L2
from lapwing.errors import InvalidInput
from tests.algebra.accounting.digits import digits, real


@digits
def exact_delta(squared_ratio, level):
    mu, x = mpmath.sqrt(real(squared_ratio)), real(level)
    return mpmath.ncdf(mu / 2 - x / mu) - mpmath.exp(x) * mpmath.ncdf(-mu / 2 - x / mu)


@digits
def exact_lattice_delta(variance, steps, level):
    """Straight from the definition: Σ (P(y) − e^ε·Q(y))⁺ for P = Q shifted by ``steps``."""
    s, factor = real(variance), mpmath.exp(real(level))
    reach = int(40 * float(s) ** 0.5) + steps + 5

    def weight(y):
        return mpmath.exp(-(y * y) / (2 * s))

    total = sum(weight(y) for y in range(-reach, reach + 1))
    return sum(max(0, weight(y - steps) - factor * weight(y)) for y in range(-reach, reach + 1)) / total


@pytest.mark.parametrize(("squared_ratio", "reference"), [(10, "17.856587"), (1, "4.377178")])
def test_reference_values(squared_ratio, reference):
    bound = gaussian_epsilon(squared_ratio, "1e-5")
    assert abs(bound - Fraction(reference)) < Fraction("1e-6")
    assert exact_delta(squared_ratio, bound) <= Fraction("1e-5")
    assert exact_delta(squared_ratio, bound * (1 - Fraction(1, 10**12))) > Fraction("1e-5")


@given(st.fractions(Fraction(1, 10**6), 50), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_smallest_epsilon_at_any_delta(squared_ratio, places):
    bound = gaussian_epsilon(squared_ratio, Fraction(1, 10**places))
    target = Fraction(1, 10**places)
    assert exact_delta(squared_ratio, bound) <= target
    assert bound == 0 or exact_delta(squared_ratio, bound * (1 - Fraction(1, 10**10))) > target


@given(st.fractions(Fraction(1, 10), 5), st.integers(2, 12), st.fractions(Fraction(1, 10), 20))
@settings(max_examples=30, deadline=None)
def test_smallest_sigma(epsilon, places, sensitivity):
    sigma = gaussian_sigma(epsilon, Fraction(1, 10**places), L2(sensitivity))
    target = Fraction(1, 10**places)
    assert exact_delta((sensitivity / sigma) ** 2, epsilon) <= target
    assert exact_delta((sensitivity / sigma) ** 2 * (1 + Fraction(1, 10**10)), epsilon) > target


def test_no_sensitivity_needs_no_noise():
    assert gaussian_delta(0, 1) == 0
    assert gaussian_epsilon(0, "1e-5") == 0
    assert gaussian_sigma(1, "1e-5", L2(0)) == 0


def test_delta_zero_is_refused():
    with pytest.raises(InvalidInput, match="A103"):
        gaussian_epsilon(1, 0)


@given(
    st.fractions(Fraction(1, 4), 60, max_denominator=20),
    st.integers(1, 6),
    st.fractions(0, 4, max_denominator=50),
)
@settings(max_examples=60, deadline=None)
def test_lattice_profile_is_the_definition(variance, steps, epsilon):
    truth = exact_lattice_delta(variance, steps, epsilon)
    bound = lattice_gaussian_delta(variance, steps, epsilon)
    assert truth <= bound + Fraction(1, 10**100)
    assert bound <= truth * (1 + Fraction(1, 10**20)) + Fraction(1, 10**60)


@pytest.mark.parametrize("epsilon", ["-0.01", "0", "0.01", "0.5", "2"])
@pytest.mark.parametrize("steps", [1, 7, 100])
def test_both_ways_of_summing_tails_agree(monkeypatch, epsilon, steps):
    values = []
    for limit in (1, 10**9):
        monkeypatch.setattr(lattice, "DIRECT_UP_TO", limit)
        with precision(300):
            values.append(lattice_gaussian_profile(Fraction(300) ** 2, steps, Fraction(epsilon)))
    assert values[0].overlaps(values[1])
    assert bool(abs(values[0] - values[1]) < 1e-8)


@pytest.mark.parametrize(("epsilon", "steps", "grid"), [("1", 1, "1/1000"), ("0.5", 10, "1/10"), ("1", 1000, "1")])
def test_smallest_sigma_on_a_lattice(epsilon, steps, grid):
    sigma, unit = lattice_gaussian_sigma(epsilon, "1e-5", steps, grid), Fraction(grid)
    assert (sigma / unit).denominator == 1
    assert lattice_gaussian_delta(sigma**2, steps, epsilon) <= Fraction("1e-5")
    assert lattice_gaussian_delta((sigma - unit) ** 2, steps, epsilon) > Fraction("1e-5")


def test_a_coarse_lattice_hides_less_than_the_real_line():
    assert lattice_gaussian_epsilon(16, 1, "1e-5") > gaussian_epsilon(Fraction(1, 16), "1e-5") * Fraction("1.001")
    assert lattice_gaussian_sigma(1, "1e-5", 1) > gaussian_sigma(1, "1e-5", L2(1)) + Fraction(1, 100)

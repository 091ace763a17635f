"""Optimal composition against the same sum in 120 digits: never below the exact ε, and within 1e-12 of it."""

import time
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting.optimal import optimal_delta, optimal_epsilon
from lapwing.algebra.measures import ApproxDP, PureDP
from lapwing.errors import InvalidInput, Unbounded
from tests.algebra.accounting.digits import digits, real


@digits
def exact_delta(epsilon, delta, count, level):
    """[KOV15] Thm 3.3 term by term."""
    e, x, d = real(epsilon), real(level), real(delta)
    total, here, there = mpmath.mpf(0), mpmath.exp(count * e), mpmath.mpf(1)  # C(k,l)·e^((k−l)ε) and C(k,l)·e^(lε)
    for lies in range(count + 1):
        if (count - 2 * lies) * Fraction(epsilon) <= Fraction(level):
            break
        total += here - mpmath.exp(x) * there
        choices = mpmath.mpf(count - lies) / (lies + 1)
        here, there = here * choices * mpmath.exp(-e), there * choices * mpmath.exp(e)
    return 1 - (1 - d) ** count * (1 - total / (1 + mpmath.exp(e)) ** count)


@pytest.mark.parametrize(
    ("epsilon", "count", "reference"),
    [
        ("0.1", 10, "0.99369"),
        ("0.1", 100, "4.306791373"),
        ("0.1", 1000, "17.787128450"),
        ("0.01", 1000, "1.1977327983"),
        ("0.01", 10000, "4.3763845093"),
    ],
)
def test_reference_values(epsilon, count, reference):
    bound = optimal_epsilon(PureDP(epsilon), count, "1e-5")
    assert abs(bound - Fraction(reference)) < Fraction(reference) * Fraction("2e-6")
    assert exact_delta(epsilon, 0, count, bound) <= Fraction("1e-5")
    assert exact_delta(epsilon, 0, count, bound * (1 - Fraction(1, 10**12))) > Fraction("1e-5")


@given(
    st.fractions(Fraction(1, 1000), 3, max_denominator=1000),
    st.integers(1, 40),
    st.integers(1, 14),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_smallest_epsilon_at_any_delta(epsilon, count, places, fails):
    target = Fraction(1, 10**places)
    failure = target / (2 * count) if fails else Fraction(0)
    bound = optimal_epsilon(ApproxDP(epsilon, failure), count, target)
    assert exact_delta(epsilon, failure, count, bound) <= target
    if bound > 0:
        assert exact_delta(epsilon, failure, count, bound * (1 - Fraction(1, 10**12))) > target
    assert bound <= count * epsilon
    assert exact_delta(epsilon, failure, count, bound) <= optimal_delta(ApproxDP(epsilon, failure), count, bound)


@given(st.fractions(Fraction(1, 100), 1, max_denominator=100), st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_grows_with_count_and_falls_with_delta(epsilon, count):
    one = optimal_epsilon(PureDP(epsilon), count, "1e-6")
    assert one <= optimal_epsilon(PureDP(epsilon), count + 1, "1e-6")
    assert one <= optimal_epsilon(PureDP(epsilon), count, "1e-7")


def test_ten_thousand_runs_take_less_than_a_second():
    started = time.process_time()
    optimal_epsilon(PureDP("0.01"), 10_000, "1e-5")
    assert time.process_time() - started < 1


def test_delta_zero_is_basic_composition():
    assert optimal_epsilon(PureDP("0.1"), 10, 0) == 1


def test_failures_that_use_up_delta_are_refused():
    with pytest.raises(Unbounded, match="A503"):
        optimal_epsilon(ApproxDP("0.1", "1e-6"), 100, "1e-5")
    assert optimal_epsilon(ApproxDP("0.1", "1e-5"), 1, "1e-5") == Fraction(1, 10)


def test_counts_out_of_range_are_refused():
    with pytest.raises(InvalidInput, match="A108"):
        optimal_epsilon(PureDP("0.1"), 0, "1e-5")
    with pytest.raises(InvalidInput, match="A502"):
        optimal_epsilon(PureDP("0.1"), 10**8 + 1, "1e-5")

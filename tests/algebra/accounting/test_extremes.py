"""Numbers and types from the edge of the world: refused in one line, or accounted for; never a traceback."""

import math
from fractions import Fraction

import numpy as np
import pytest

from lapwing.algebra.accounting.account import account
from lapwing.algebra.accounting.methods import RIGOROUS
from lapwing.algebra.accounting.optimal import optimal_delta, optimal_epsilon
from lapwing.algebra.accounting.terms import Approx, Concentrated, Laplace, Poisson, Pure
from lapwing.algebra.measures import ApproxDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput, LapwingError, NotComparable


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_numpy_counts_do_not_wrap_around(kind):
    counts = np.array([100, 100, 100], dtype=kind)
    assert account(zip(counts, [Pure("0.1")] * 3, strict=True), 0).best.epsilon == 30


@pytest.mark.parametrize("count", [True, "3", 1.5, None])
def test_other_counts_are_refused(count):
    with pytest.raises(InvalidInput):
        account([(count, Pure(1))], 0)


def test_what_is_no_term_is_refused():
    with pytest.raises(InvalidInput, match="A515"):
        account([(1, "laplace(1)")], 0)


def test_a_sampled_failing_mechanism_keeps_its_neighbours_and_its_failures():
    found = account("poisson(0.01, approx(1, 1e-4))", "1e-5", methods=RIGOROUS)
    assert found.neighbours == (Neighbours.ADDED,)
    # qδ = 1e-6 of δ is spent on failures, and ln(1 + q(e - 1)) is the rest
    assert float(found.best.epsilon) == pytest.approx(math.log1p(0.01 * math.expm1(1)), rel=1e-2)
    with pytest.raises(LapwingError):
        account("poisson(0.5, approx(1, 1e-3))", "1e-5", methods=RIGOROUS)


@pytest.mark.parametrize("base", [Concentrated(1), Poisson("0.5", Pure(1)), "pure(1)", None])
def test_only_what_is_amplified_can_be_sampled(base):
    with pytest.raises(InvalidInput, match="A505"):
        Poisson("0.5", base)


@pytest.mark.parametrize("expression", ["poisson(2, poisson(0.25, laplace(1)))", "poisson(1.5, approx(1, 1e-6))"])
def test_a_rate_above_one_is_refused_however_deep(expression):
    with pytest.raises(InvalidInput, match="A105"):
        account(expression, "1e-5")


EXTREME = [
    "approx(0, 1e-7)",
    "2 * approx(0, 1e-7)",
    "approx(0, 0)",
    "laplace(1e-400)",
    "laplace(1e400)",
    "laplace(1/3e4900)",
    "laplace(1, steps=1e4500)",
    "laplace(1, steps=1000000000)",
    "gaussian(1e200)",
    "gaussian(1e-200)",
    "pure(1e300)",
    "pure(1e-4000)",
    "approx(1e300, 1e-300)",
    "randomized_response(1e-400)",
    "poisson(0.5, laplace(1e-10))",
    "poisson(0.5, gaussian(1e-10))",
]


@pytest.mark.parametrize("expression", EXTREME)
def test_extreme_numbers_are_accounted_for(expression):
    found = account(expression, "1e-5")
    assert found.best.rigorous
    assert found.best.epsilon >= 0
    assert len(str(found.expression)) < 80


def test_huge_sums_do_not_ask_the_estimate():
    found = account("1000000000 * pure(1e-9)", "1e-5")
    assert all(row.rigorous for row in found.rows)


def test_optimal_composition_takes_numpy_counts_and_refuses_other_measures():
    assert optimal_epsilon(PureDP("0.1"), np.int64(100), "1e-5") == optimal_epsilon(PureDP("0.1"), 100, "1e-5")
    assert optimal_delta(ApproxDP("0.1", "1e-9"), np.int8(10), 1) == optimal_delta(ApproxDP("0.1", "1e-9"), 10, 1)
    with pytest.raises(NotComparable):
        optimal_epsilon("0.1", 10, "1e-5")
    with pytest.raises(InvalidInput) as refusal:
        optimal_epsilon(PureDP("0.1"), 10**5000, "1e-5")
    assert len(str(refusal.value)) < 200


def test_terms_with_long_numbers_have_short_names():
    assert len(str(account([(1, Laplace(Fraction(10**50 + 1, 3 * 10**49)))], 0).expression)) < 60
    assert Approx(1, "1e-9").delta == Fraction(1, 10**9)

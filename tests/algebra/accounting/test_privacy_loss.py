"""The privacy-loss accountant against exact enumeration, closed forms and dp-accounting: never below, and tight."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting.gaussian import gaussian_epsilon
from lapwing.algebra.accounting.lattice_gaussian import lattice_gaussian_epsilon
from lapwing.algebra.accounting.optimal import optimal_epsilon
from lapwing.algebra.accounting.privacy_loss import privacy_loss_epsilon, privacy_losses
from lapwing.algebra.accounting.terms import Gaussian, Laplace, Poisson, Pure
from lapwing.algebra.measures import PureDP
from tests.algebra.accounting.digits import digits, real

FIVE = Fraction("1e-5")


@digits
def enumerated_delta(epsilons, level):
    """δ(ε') of randomized responses with different ε, over all 2^k outcomes."""
    x, total = real(level), mpmath.mpf(0)
    for signs in product((1, -1), repeat=len(epsilons)):
        loss = sum(sign * epsilon for sign, epsilon in zip(signs, epsilons, strict=True))
        if loss > level:
            mass = mpmath.mpf(1)
            for sign, epsilon in zip(signs, epsilons, strict=True):
                mass /= 1 + mpmath.exp(-sign * real(epsilon))
            total += mass * (1 - mpmath.exp(x - real(loss)))
    return total


@given(st.lists(st.fractions(Fraction(1, 50), 2, max_denominator=50), min_size=1, max_size=6), st.integers(1, 12))
@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))  # too slow to shrink
def test_different_epsilons_are_exact(epsilons, places):
    delta = Fraction(1, 10**places)
    bound = privacy_loss_epsilon([(1, Pure(epsilon)) for epsilon in epsilons], delta)
    assert enumerated_delta(epsilons, bound) <= Fraction(delta)
    assert bound == 0 or enumerated_delta(epsilons, bound * (1 - Fraction(1, 10**5))) > Fraction(delta)


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 10), ("0.1", 1000), ("0.01", 10000), ("1/3", 77), ("2", 5)])
@pytest.mark.parametrize("delta", ["1e-5", "1e-12", "1e-14"])
def test_equal_epsilons_meet_optimal_composition(epsilon, count, delta):
    best = optimal_epsilon(PureDP(epsilon), count, delta)
    for term in (Pure(epsilon), Laplace(1 / Fraction(epsilon), steps=1)):
        bound = privacy_loss_epsilon([(count, term)], Fraction(delta))
        assert best * (1 - Fraction(1, 10**20)) <= bound <= best * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("delta", ["1e-5", "1e-12"])
@pytest.mark.parametrize(
    ("terms", "squared_ratio"),
    [
        ([(1, Gaussian(1))], "1"),
        ([(5, Gaussian(20)), (1, Gaussian(10))], "9/400"),
        ([(4, Poisson(1, Gaussian(20))), (1, Gaussian(20))], "1/80"),  # a sample of everyone is composed, not joined
    ],
)
def test_gaussian_meets_the_analytic_formula(terms, squared_ratio, delta):
    best = gaussian_epsilon(Fraction(squared_ratio), delta)
    assert best <= privacy_loss_epsilon(terms, Fraction(delta)) <= best * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize(("sigma", "steps"), [(4, 1), (3, 2), ("7/5", 3)])
def test_one_lattice_gaussian_meets_its_formula(sigma, steps):
    best = lattice_gaussian_epsilon((Fraction(sigma) * steps) ** 2, steps, FIVE)
    bound = privacy_loss_epsilon([(1, Gaussian(sigma, steps=steps))], FIVE)
    assert best * (1 - Fraction(1, 10**12)) <= bound <= best * (1 + Fraction(1, 10**6))


def test_laplace_reference_value():
    bound = privacy_loss_epsilon([(100, Laplace(10))], FIVE)
    assert abs(bound - Fraction("4.2204")) < Fraction("1e-4")


def test_poisson_sampled_gaussian_reference_value():
    bound = privacy_loss_epsilon([(10000, Poisson("0.01", Gaussian(1)))], FIVE)
    assert Fraction("6.1864") <= bound <= Fraction("6.1890")


def test_coarser_lattices_hide_less_and_integers_least():
    bounds = [privacy_loss_epsilon([(100, Laplace(10, steps=steps))], FIVE) for steps in (1, 2, 4, 20)]
    real_valued = privacy_loss_epsilon([(100, Laplace(10))], FIVE)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > real_valued * Fraction("1.02")
    assert abs(bounds[0] - optimal_epsilon(PureDP("0.1"), 100, FIVE)) < Fraction(1, 10**9)
    assert bounds[-1] >= real_valued * (1 - Fraction(1, 10**6))


def test_order_of_terms_is_irrelevant():
    terms = [(20, Laplace(10)), (3, Gaussian(5)), (4, Pure("0.2")), (2, Gaussian(9, steps=1))]
    one, other = privacy_loss_epsilon(terms, FIVE), privacy_loss_epsilon(terms[::-1], FIVE)
    assert abs(one - other) < one / 10**5


def test_sampling_has_two_directions_and_the_worse_one_counts():
    both = privacy_losses([(10, Poisson("0.2", Pure(1)))], FIVE)
    assert len(both) == 2
    bounds = [one.epsilon(FIVE) for one in both]
    assert abs(bounds[0] - bounds[1]) > Fraction(1, 100)
    assert privacy_loss_epsilon([(10, Poisson("0.2", Pure(1)))], FIVE) == max(bounds)


@digits
def sampled_delta(rate, epsilon, count, level, taken_out):
    """Exact δ of sampled randomized response by the binomial distribution of its two losses."""
    q, e, x = real(rate), mpmath.exp(real(epsilon)), real(level)
    p = e / (1 + e)
    first = [p, 1 - p]
    second = [1 - p, p]
    mixed = [q * a + (1 - q) * b for a, b in zip(first, second, strict=True)]
    left, right = (mixed, second) if taken_out else (second, mixed)
    total = mpmath.mpf(0)
    for k in range(count + 1):
        a = left[0] ** k * left[1] ** (count - k)
        b = right[0] ** k * right[1] ** (count - k)
        total += mpmath.binomial(count, k) * max(0, a - mpmath.exp(x) * b)
    return total


@pytest.mark.parametrize(("rate", "epsilon", "count"), [("0.2", "1", 10), ("1/2", "3", 3), ("0.01", "1/2", 50)])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
def test_sampled_pure_against_the_binomial_sum(rate, epsilon, count, delta):
    bound = privacy_loss_epsilon([(count, Poisson(rate, Pure(epsilon)))], Fraction(delta))
    worst = max(sampled_delta(rate, epsilon, count, bound, way) for way in (True, False))
    assert worst <= Fraction(delta)
    below = bound * (1 - Fraction(1, 10**5))
    assert max(sampled_delta(rate, epsilon, count, below, way) for way in (True, False)) > Fraction(delta)


@pytest.mark.parametrize(
    "terms",
    [
        [(100, Laplace(10))],
        [(7, Poisson("0.1", Laplace(1)))],
        [(100, Laplace(10)), (5, Gaussian(20))],
        [(500, Poisson("0.02", Gaussian(1)))],
    ],
)
def test_between_the_two_estimates_of_dp_accounting(terms):
    library = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    ends = []
    for pessimistic in (False, True):
        total = None
        for count, term in terms:
            rate, base = (float(term.rate), term.base) if isinstance(term, Poisson) else (1.0, term)
            arguments = {
                "sampling_prob": rate,
                "pessimistic_estimate": pessimistic,
                "value_discretization_interval": 1e-4,
                "use_connect_dots": pessimistic,
            }
            if isinstance(base, Laplace):
                one = library.from_laplace_mechanism(float(base.scale), **arguments)
            else:
                one = library.from_gaussian_mechanism(float(base.sigma), **arguments)
            composed = one.self_compose(count)
            total = composed if total is None else total.compose(composed)
        ends.append(total.get_epsilon_for_delta(1e-5))
    bound = float(privacy_loss_epsilon(terms, FIVE))
    assert ends[0] <= bound <= ends[1] * (1 + 1e-5)

"""Rényi curves against integration in many digits, and their ε against the reference values."""

from fractions import Fraction

import mpmath
import pytest

from lapwing.algebra.accounting.renyi import _moment, renyi_bound, renyi_curve, renyi_epsilon
from lapwing.algebra.accounting.sampled_gaussian import sampled_gaussian_moment
from lapwing.algebra.accounting.terms import Approx, Concentrated, Gaussian, Laplace, Poisson, Pure, RandomizedResponse
from lapwing.algebra.balls import precision

FIVE = Fraction("1e-5")


def divergence(left, right, order):
    """D_α(P‖Q) of two densities on the line."""
    with mpmath.workdps(25):
        points = [-40, -10, -3, 0, 1, 3, 10, 40]
        moment = mpmath.quad(lambda x: left(x) ** order * right(x) ** (1 - order), points)
        return mpmath.log(moment) / (order - 1)


def gaussian(centre):
    return lambda x: mpmath.npdf(x - centre)


def laplace(centre):
    return lambda x: mpmath.exp(-abs(x - centre)) / 2


@pytest.mark.parametrize(("term", "density"), [(Gaussian(1), gaussian), (Laplace(1), laplace)])
@pytest.mark.parametrize("order", [2, 3, 7])
def test_curves_are_the_integral(term, density, order):
    truth = divergence(density(1), density(0), order)
    bound = mpmath.mpf(float(renyi_bound(term, Fraction(order))))
    assert truth * (1 - mpmath.mpf(10) ** -12) <= bound <= truth * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize(("base", "density"), [(Gaussian(1), gaussian), (Laplace(1), laplace)])
@pytest.mark.parametrize("order", [2, 5])
def test_sampled_curves_are_the_worse_direction(base, density, order):
    rate = Fraction(1, 5)
    inside, outside = density(1), density(0)

    def mixed(x):
        return (inside(x) + 4 * outside(x)) / 5

    out, into = divergence(mixed, outside, order), divergence(outside, mixed, order)
    bound = mpmath.mpf(float(renyi_bound(Poisson(rate, base), Fraction(order))))
    assert out > into
    assert out * (1 - mpmath.mpf(10) ** -12) <= bound <= out * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("order", ["3/2", "2", "9"])
def test_lattice_laplace_is_the_sum_over_its_losses(steps, order):
    alpha = Fraction(order)
    with mpmath.workdps(40):
        step = mpmath.mpf(2) / 3 / steps
        weights = {y: mpmath.exp(-step * abs(y)) for y in range(-400, 401 + steps)}
        total = (1 + mpmath.exp(-step)) / (1 - mpmath.exp(-step))
        power = mpmath.mpf(alpha.numerator) / alpha.denominator
        moment = sum(weights[y] ** power * weights[y - steps] ** (1 - power) for y in range(steps - 400, 401)) / total
        truth = float(mpmath.log(moment) / (power - 1))
    assert float(renyi_bound(Laplace("3/2", steps=steps), alpha)) == pytest.approx(truth, rel=1e-12)


def test_reference_value_of_the_sampled_gaussian():
    epsilon, order = renyi_epsilon([(10000, Poisson("0.01", Gaussian(1)))], FIVE)
    assert Fraction("6.7125") < epsilon < Fraction("6.7135")  # the reference says 6.713
    assert 4 < order < 5


@pytest.mark.parametrize(("rate", "sigma"), [("0.01", 1), ("1/3", "1/2"), ("0.999", 20)])
@pytest.mark.parametrize("order", [2, 5, 40])
def test_the_integral_is_the_finite_sum_at_whole_orders(rate, sigma, order):
    term = Poisson(rate, Gaussian(sigma))
    with precision(200):
        integral = sampled_gaussian_moment(term.rate, term.base.squared_ratio, Fraction(order))
        assert integral.overlaps(_moment(term, Fraction(order)))
        assert integral.rel_accuracy_bits() > 100


def test_between_whole_orders_the_curve_of_a_sample_is_the_integral_in_many_digits():
    def mixed(x):
        return mpmath.mpf("0.9") * mpmath.npdf(x) + mpmath.mpf("0.1") * mpmath.npdf(x - 1)

    bound = renyi_bound(Poisson("0.1", Gaussian(1)), Fraction(9, 2))
    assert float(bound) == pytest.approx(float(divergence(mixed, gaussian(0), mpmath.mpf("4.5"))), rel=1e-12)


def test_zcdp_values_come_out_of_the_curve():
    assert float(renyi_epsilon([(1000, Gaussian(10))], FIVE)[0]) == pytest.approx(19.047260, abs=1e-6)
    assert float(renyi_epsilon([(1, Concentrated("0.5"))], FIVE)[0]) == pytest.approx(4.728387, abs=1e-6)


def test_worst_pure_mechanism_is_randomized_response():
    order = Fraction(5)
    worst = renyi_bound(Pure(1), order)
    assert worst == renyi_bound(Laplace(1, steps=1), order) == renyi_bound(Approx(1, "1e-9"), order)
    assert worst > renyi_bound(Laplace(1, steps=2), order) > renyi_bound(Laplace(1), order)
    response = renyi_bound(RandomizedResponse("3/4"), Fraction(2))
    assert float(response) == pytest.approx(float(mpmath.log(mpmath.mpf(7) / 3)))  # 9/16·4 + 1/16·4/3 = 7/3


def test_a_curve_never_passes_epsilon_and_grows_with_the_order():
    curve = renyi_curve(Laplace(2), [Fraction(n) for n in (2, 10, 1000, 10**6)]).curve
    bounds = [bound for _, bound in curve]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= Fraction(1, 2)

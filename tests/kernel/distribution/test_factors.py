"""Draws integrated away: against closed forms, NumPy's draws, and in every order."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from flint import fmpq

from lapwing.algebra import balls
from lapwing.kernel.distribution.exponentials import ExactRing
from lapwing.kernel.distribution.factors import Impossible, drawn, implied, multiply, settle
from lapwing.kernel.distribution.pieces import Calculus, Ring
from lapwing.kernel.distribution.values import Form
from lapwing.kernel.uncomputable import Uncomputable
from tests.kernel.distribution.laws import sampled


def rational(number):
    number = Fraction(number)
    return fmpq(number.numerator, number.denominator)


def chance(kinds, tests, ring=None):
    """The probability that all tests (coefficients, low, high) hold."""
    calculus = Calculus(ring or Ring())
    factors = {}
    with balls.precision(128):
        for i, (kind, scale) in enumerate(kinds):
            multiply(calculus, factors, Form(((i, 1),), 0), drawn(calculus, kind, rational(scale)))
        for coefficients, low, high in tests:
            form = Form(tuple((i, rational(c)) for i, c in sorted(coefficients.items())), 0)
            ends = (None if end is None else rational(end) for end in (low, high))
            multiply(calculus, factors, form, calculus.indicator(*ends))
        weight = settle(calculus, factors, ())
    if factors:
        raise Uncomputable("a cycle")
    return weight


ORDERS = [("laplace", 2)] * 3


def test_every_order_of_three_equal_draws_is_as_likely():
    for a, b, c in itertools.permutations(range(3)):
        found = chance(ORDERS, [({a: 1, b: -1}, 0, None), ({b: 1, c: -1}, 0, None), ({a: 1, c: -1}, 0, None)])
        assert abs(float(found) - 1 / 6) < 1e-15


def test_closed_forms_stay_closed_forms():
    """P(Laplace(2) > 3) = e^(-3/2)/2; the difference of two is below 0 half of the time."""
    exactly = chance([("laplace", 2)], [({0: 1}, 3, None)], ExactRing())
    assert exactly.numerator == ((Fraction(-3, 2), Fraction(1, 2)),)
    half = chance([("laplace", 2), ("laplace", 2)], [({0: 1, 1: -1}, None, 0)], ExactRing())
    assert half.fraction == Fraction(1, 2)


def test_the_sum_of_two_laplaces_has_its_density():
    """With scales 1 and 1 the density is (1 + |t|)e^(-|t|)/4, so P(S > 1) = (2 + 1)/4·e^(-1)."""
    found = chance([("laplace", 1)] * 2, [({0: 1, 1: 1}, 1, None)])
    assert float(found) == pytest.approx(3 / 4 * math.exp(-1), rel=1e-14)


def test_gaussians_of_which_only_a_sum_matters_are_one():
    found = chance([("gaussian", 3), ("gaussian", 4)], [({0: 1, 1: -1}, 5, None)])
    assert float(found) == pytest.approx(0.15865525393145707, rel=1e-14)


def test_a_far_tail_keeps_its_digits():
    assert float(chance([("gaussian", 2)], [({0: 1}, 30, None)])) == pytest.approx(3.6709661993126986e-51, rel=1e-12)
    assert float(chance([("laplace", 1)], [({0: 1}, 200, None)])) == pytest.approx(math.exp(-200) / 2, rel=1e-12)


def test_what_excludes_itself_is_impossible():
    with pytest.raises(Impossible):
        chance([("laplace", 1)], [({0: 1}, 1, None), ({0: 1}, None, 0)])
    with pytest.raises(Impossible):
        chance([("exponential", 1)], [({0: 1}, None, 0)])


def test_a_chain_implies_its_ends():
    calculus = Calculus(Ring())
    factors = {}
    for form in (Form(((0, 1), (1, -1)), 0), Form(((1, 1), (2, -1)), 0)):
        multiply(calculus, factors, form, calculus.indicator(fmpq(1), None))
    assert implied(factors, Form(((0, 1), (2, -1)), -2))
    assert implied(factors, Form(((0, 3), (2, -3)), -6))
    assert not implied(factors, Form(((0, 1), (2, -1)), -3))
    assert not implied(factors, Form(((0, -1), (2, 1)), 0))


def test_a_product_of_conditions_in_a_cycle_is_refused():
    tests = [({0: 1, 1: 1}, 0, 1), ({1: 1, 2: 1}, 0, 1), ({0: 1, 2: -1}, 0, 1)]
    with pytest.raises(Uncomputable):
        chance(ORDERS, tests)


@pytest.mark.parametrize("seed", range(60))
def test_random_systems_agree_with_sampling(seed):
    generator = random.Random(seed)
    kinds = [
        (generator.choice(["laplace", "laplace", "exponential", "gaussian"]), generator.choice([1, 2, Fraction(1, 3)]))
        for _ in range(generator.choice([1, 2, 2, 3]))
    ]
    tests = []
    for _ in range(generator.choice([1, 2, 3])):
        chosen = generator.sample(range(len(kinds)), generator.randint(1, min(2, len(kinds))))
        low = Fraction(generator.randint(-8, 4), 4)
        ends = generator.choice([(low, None), (None, low + 2), (low, low + 2)])
        tests.append(({i: generator.choice([1, -1, 2, Fraction(1, 2)]) for i in chosen}, *ends))
    share, count = sampled(kinds, tests)
    try:
        found = float(chance(kinds, tests))
    except Impossible:
        found = 0.0
    except Uncomputable:
        pytest.skip("beyond what is computed")
    assert abs(found - share) < 6 * math.sqrt(max(found * (1 - found), 1e-6) / count), (kinds, tests)

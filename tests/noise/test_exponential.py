from fractions import Fraction

import pytest

from lapwing.algebra.metrics import Linf
from lapwing.noise.exponential import Exponential


def test_claims():
    mechanism = Exponential(20)
    assert mechanism.claim(Linf(1)).epsilon == Fraction(1, 10)
    assert mechanism.claim(Linf(1), monotone=True).epsilon == Fraction(1, 20)
    assert mechanism.zcdp_claim(Linf(1)).rho == Fraction(1, 800)
    assert mechanism.zcdp_claim(Linf(1), monotone=True).rho == Fraction(1, 3200)


def test_probabilities_are_those_of_the_formula():
    pmf = [float(p) for p in Exponential(1).pmf([0, 1])]
    assert pmf == pytest.approx([0.2689414213699951, 0.7310585786300049], rel=1e-15)


def test_equal_scores_are_exactly_even():
    assert all(p.is_exact and p.lower == Fraction(1, 4) for p in Exponential("1/3").pmf([9, 9, 9, 9]))

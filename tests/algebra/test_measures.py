from fractions import Fraction

import pytest

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import InvalidInput


def test_bounds_are_exact():
    assert PureDP(0.1).epsilon == Fraction(1, 10)
    assert ApproxDP("1/3", 1e-6) == ApproxDP(Fraction(1, 3), Fraction(1, 10**6))
    assert ZCDP("0.5").rho == Fraction(1, 2)


def test_curves_are_sorted_by_order():
    assert RenyiDP({3: 2, "3/2": 1}).curve == ((Fraction(3, 2), 1), (3, 2))
    assert RenyiDP({3: 2, 2: 1}) == RenyiDP({2: 1, 3: 2})


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: PureDP(-1), "A107"),
        (lambda: PureDP(float("inf")), "A001"),
        (lambda: ApproxDP(1, 1), "A102"),
        (lambda: ApproxDP(1, -1), "A102"),
        (lambda: ZCDP("-1"), "A107"),
        (lambda: RenyiDP({}), "A112"),
        (lambda: RenyiDP({1: 1}), "A111"),
        (lambda: RenyiDP({2: -1}), "A107"),
    ],
)
def test_refusals(build, code):
    with pytest.raises(InvalidInput, match=code):
        build()


def test_measures_are_frozen_and_never_equal_to_each_other():
    assert PureDP(1) != ZCDP(1)
    assert PureDP(1) != ApproxDP(1, 0)
    with pytest.raises(AttributeError):
        PureDP(1).epsilon = 0


def test_a_bound_is_shown_whatever_its_length():
    assert repr(PureDP("1e5000")) == "PureDP(epsilon=1e5000…)"
    assert repr(RenyiDP({2: "1e5000"})) == "RenyiDP(curve=((2, 1e5000…)))"
    assert repr(ApproxDP("1/2", "1e-5")) == "ApproxDP(epsilon=Fraction(1, 2), delta=Fraction(1, 100000))"

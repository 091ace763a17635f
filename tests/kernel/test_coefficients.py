"""Sums of terms: what comes to 0 is in them no more, whatever the terms are."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.coefficients import added, multiplied

SUMS = st.dictionaries(st.integers(0, 5), st.fractions(-3, 3).filter(bool), max_size=5)
POINT = Fraction(7, 3)


def value(terms):
    """Of a sum of powers, at a point."""
    return sum((factor * POINT**power for power, factor in terms.items()), Fraction(0))


@given(SUMS, SUMS)
def test_sums_and_products_have_the_values_of_theirs(left, right):
    total, product = added(left, right), multiplied(left, right, lambda one, other: one + other)
    assert value(total) == value(left) + value(right)
    assert value(product) == value(left) * value(right)
    assert all(total.values())
    assert all(product.values())


def test_what_cancels_is_gone():
    assert added({"x": Fraction(1), "y": Fraction(2)}, {"x": Fraction(-1)}) == {"y": 2}
    one, other = {0: Fraction(1), 1: Fraction(1)}, {0: Fraction(1), 1: Fraction(-1)}
    assert multiplied(one, other, lambda a, b: a + b) == {0: 1, 2: -1}

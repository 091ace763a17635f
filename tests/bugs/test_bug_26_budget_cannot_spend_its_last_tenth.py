"""Ten charges of 0.1 were to empty a budget of 1; the last was refused because 1.0000000000000002 > 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import BudgetExceeded


def test_floats_have_the_bug():
    assert sum([0.1] * 3) > 0.3


@pytest.mark.parametrize(
    ("budget", "cost", "crumb"),
    [
        (PureDP(1), PureDP(0.1), PureDP("1e-300")),
        (ZCDP(1), ZCDP(0.1), ZCDP("1e-300")),
        (ApproxDP(1, 1e-5), ApproxDP(0.1, 1e-6), ApproxDP(0, "1e-300")),
    ],
)
def test_ten_tenths_empty_one_exactly_and_then_nothing_is_left(budget, cost, crumb):
    filter_ = Filter(budget)
    for _ in range(10):
        filter_ = filter_.charge(cost)
    assert filter_.spent == budget
    with pytest.raises(BudgetExceeded, match="A401"):
        filter_.charge(crumb)


@given(st.integers(1, 60), st.decimals(0, 5, places=3).filter(bool))
def test_any_decimal_cost_empties_its_multiple(count, cost):
    filter_ = Filter(PureDP(count * cost))
    for _ in range(count):
        filter_ = filter_.charge(PureDP(float(cost)))
    assert filter_.remaining == PureDP(0)

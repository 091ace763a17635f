"""A library charged *less* for less noise, and the total depended on the order of the queries."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2
from lapwing.errors import BudgetExceeded
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

scales = st.fractions("1/10", 100, max_denominator=100)


@given(scales, scales)
def test_less_noise_never_costs_less(one, other):
    less, more = sorted((one, other))
    laplace = [Filter(PureDP(100)).charge(Laplace(s).claim(L1(1))).remaining.epsilon for s in (less, more)]
    assert laplace[0] <= laplace[1]
    gaussian = [Filter(ZCDP(100)).charge(Gaussian(s).claim(L2(1))).remaining.rho for s in (less, more)]
    assert gaussian[0] <= gaussian[1]
    if less < more:
        assert laplace[0] < laplace[1]
        assert gaussian[0] < gaussian[1]


@given(st.lists(scales, min_size=1, max_size=4))
def test_the_order_of_queries_does_not_change_the_total(chosen):
    costs = [Laplace(scale).claim(L1(1)) for scale in chosen]
    totals = set()
    for order in permutations(costs):
        filter_ = Filter(PureDP(1000))
        for cost in order:
            filter_ = filter_.charge(cost)
        totals.add(filter_.spent)
    assert totals == {PureDP(sum((1 / scale for scale in chosen), Fraction(0)))}


def test_a_refused_query_does_not_change_what_the_next_one_costs():
    filter_ = Filter(PureDP(1)).charge(PureDP("0.4"))
    with pytest.raises(BudgetExceeded):
        filter_.charge(PureDP("0.7"))
    assert filter_.charge(PureDP("0.6")).remaining == PureDP(0)

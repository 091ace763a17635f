import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.composition import group, sequential
from lapwing.algebra.conversion import pure_to_tight_zcdp, zcdp_to_renyi
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import InvalidInput, Unbounded
from tests.algebra import finite
from tests.algebra.strategies import approxes, at_most, measures, numbers, pures, zcdps

paths = st.lists(finite.distributions(), min_size=3, max_size=5)


def steps(path):
    return list(itertools.pairwise(path))


@given(paths)
def test_pure_bound_covers_the_ends_of_every_path(path):
    finite.assert_pure([(path[0], path[-1])], group(finite.true_pure(steps(path)), len(path) - 1))


@given(paths, st.fractions(0, 2, max_denominator=8))
def test_approx_bound_covers_the_ends_of_every_path(path, epsilon):
    each = finite.true_approx(steps(path), epsilon)
    try:
        bound = group(each, len(path) - 1)
    except Unbounded:
        return
    finite.assert_approx([(path[0], path[-1])], bound)


@given(paths)
def test_concentrated_bound_covers_the_ends_of_every_path(path):
    bound = group(pure_to_tight_zcdp(finite.true_pure(steps(path))), len(path) - 1)
    finite.assert_renyi([(path[0], path[-1])], zcdp_to_renyi(bound, (2, 3, 9)))


@given(paths)
def test_renyi_bound_covers_the_ends_of_every_path(path):
    each = finite.true_renyi(steps(path), (3, 4, 5, 6, 7, 8, 12, 16))
    bound = group(each, len(path) - 1)
    assert any(order.denominator == 1 for order, _ in bound.curve)  # so that something is checked
    finite.assert_renyi([(path[0], path[-1])], bound)


def test_the_approx_bound_is_reached():
    delta = Fraction(1, 100)
    path = [{"yes": yes, "no": 1 - yes} for yes in (Fraction(0), delta, 3 * delta)]
    each = ApproxDP(finite.log(Fraction(2)).upper, delta)
    for pair in steps(path):
        finite.assert_approx([pair], each)
    bound = group(each, 2)
    truth = finite.least_delta([(path[0], path[-1])], bound.epsilon)
    assert truth.lower == 3 * delta <= bound.delta < 3 * delta + Fraction(1, 10**20)


@given(measures)
def test_a_group_of_one_is_the_unit(measure):
    assert group(measure, 1) == measure


@given(pures | zcdps, st.integers(1, 9), st.integers(1, 9))
def test_groups_of_groups(measure, outer, inner):
    assert group(group(measure, inner), outer) == group(measure, outer * inner)


@given(pures, st.integers(1, 9), st.integers(1, 9))
def test_group_privacy_is_additive(measure, one, other):
    assert group(measure, one + other) == sequential([group(measure, one), group(measure, other)])


@given(approxes, st.integers(1, 4))
def test_larger_groups_never_lose_less(measure, size):
    try:
        larger = group(measure, size + 1)
    except Unbounded:
        return
    assert at_most(group(measure, size), larger)


@given(st.fractions(0, 1, max_denominator=50), st.integers(2, 5))
def test_approx_delta_is_the_geometric_sum(epsilon, size):
    delta = Fraction(1, 10**6)
    found = group(ApproxDP(epsilon, delta), size).delta
    growth = finite.enclose(lambda: finite.ball(epsilon).exp())
    assert delta * sum(growth.lower**i for i in range(size)) <= found
    assert found <= delta * sum(growth.upper**i for i in range(size)) * (1 + Fraction(1, 2**70))


def test_renyi_orders_halve_and_bounds_follow_the_weak_triangle():
    # D_2 ≤ (2 - 1/2)/(2 - 1) D_4 + D_3
    assert group(RenyiDP({3: 1, 4: 2}), 2) == RenyiDP({Fraction(3, 2): 2 * 1 + 1, 2: Fraction(3, 2) * 2 + 1})


def test_refusals():
    with pytest.raises(Unbounded, match="A302"):
        group(ApproxDP(1, 0.1), 5)
    with pytest.raises(Unbounded, match="A306"):
        group(RenyiDP({2: 1}), 2)
    for size in (0, -1, True, 1.5):
        with pytest.raises(InvalidInput, match="A108"):
            group(PureDP(1), size)
    assert numbers(group(ApproxDP(0, "1e-3"), 4)) == (0, Fraction(4, 1000))
    assert group(ZCDP(2), 3) == ZCDP(18)

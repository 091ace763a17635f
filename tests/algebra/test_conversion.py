from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import by_renyi_order
from lapwing.algebra.balls import MAX_BITS
from lapwing.algebra.conversion import (
    approx_at_delta,
    approx_to_pure,
    at_delta,
    pure_at_delta,
    pure_at_epsilon,
    pure_to_approx,
    pure_to_renyi,
    pure_to_tight_zcdp,
    pure_to_zcdp,
    renyi_at_delta,
    renyi_at_epsilon,
    renyi_within,
    zcdp_at_delta,
    zcdp_at_epsilon,
    zcdp_to_renyi,
    zcdp_within,
)
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import InvalidInput, Unbounded
from tests.algebra import finite
from tests.algebra.strategies import measures

pairs = st.tuples(finite.distributions(), finite.distributions())
small_deltas = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**5), Fraction(1, 10**14)])
positive = st.fractions("1/1000", 20, max_denominator=1000)


def exactly(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


def least_epsilon(rho: Fraction, delta: Fraction) -> mpmath.mpf:
    """The infimum of [CKS20] Cor. 13 to 50 digits, by golden section over ln(α - 1)."""
    with mpmath.workdps(60):
        r, log_delta = exactly(rho), mpmath.log(exactly(delta))

        def epsilon(t):
            b = mpmath.exp(t)
            return (1 + b) * r - mpmath.log1p(1 / b) - (log_delta + mpmath.log1p(b)) / b

        low, high = mpmath.mpf(-40), mpmath.mpf(40)
        golden = (mpmath.sqrt(5) - 1) / 2
        for _ in range(170):  # the minimum is flat: half of the digits of the place are all digits of the value
            left, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, right) if epsilon(left) < epsilon(right) else (left, high)
        return epsilon((low + high) / 2)


# --- against the truth of small mechanisms ---


@given(pairs, st.fractions(0, 3, max_denominator=20), small_deltas)
def test_pure_conversions_cover_every_mechanism(pair, epsilon, delta):
    bound = finite.true_pure([pair])
    finite.assert_approx([pair], pure_to_approx(bound))
    finite.assert_approx([pair], pure_at_delta(bound, delta))
    finite.assert_approx([pair], pure_at_epsilon(bound, epsilon))
    finite.assert_renyi([pair], pure_to_renyi(bound, (2, 3, 7)))
    for concentrated in (pure_to_zcdp(bound), pure_to_tight_zcdp(bound)):
        finite.assert_renyi([pair], zcdp_to_renyi(concentrated, (2, 3, 7)))


@given(pairs, st.fractions(0, 3, max_denominator=20), small_deltas)
def test_renyi_conversions_cover_every_mechanism(pair, epsilon, delta):
    curve = finite.true_renyi([pair], (2, 3, 5, 9, 30))
    finite.assert_approx([pair], renyi_at_delta(curve, delta))
    try:
        bound = renyi_at_epsilon(curve, epsilon)
    except Unbounded:
        return
    finite.assert_approx([pair], bound)


@given(st.fractions("11/10", 20, max_denominator=10), small_deltas)
def test_randomized_response_reaches_the_pure_bounds(ratio, delta):
    pair = finite.response(ratio)
    bound = PureDP(finite.log(ratio).upper)
    order_two = pure_to_renyi(bound, [2]).curve[0][1]
    assert finite.divergence([pair], 2).lower <= order_two <= finite.divergence([pair], 2).upper + Fraction(1, 10**15)
    converted = pure_at_delta(bound, delta)
    truth = finite.least_delta([pair], converted.epsilon)
    assert truth.lower <= delta
    if converted.epsilon > 0:
        assert truth.upper >= delta - Fraction(1, 10**15)
    at = pure_at_epsilon(bound, Fraction(1, 20))
    assert at.delta - finite.least_delta([pair], Fraction(1, 20)).lower < Fraction(1, 10**15)


@given(st.fractions("1/50", 12, max_denominator=50))
def test_tight_rho_is_tanh_and_covers_orders_near_one_and_far(epsilon):
    rho = pure_to_tight_zcdp(PureDP(epsilon)).rho
    assert rho <= pure_to_zcdp(PureDP(epsilon)).rho
    with mpmath.workdps(60):
        e = exactly(epsilon)

        def ratio(alpha):
            return mpmath.log(mpmath.cosh((alpha - 0.5) * e) / mpmath.cosh(e / 2)) / (alpha - 1) / alpha

        for alpha in (1 + mpmath.mpf(10) ** -12, 1.001, 1.5, 2, 5, 50, 1000):
            assert ratio(mpmath.mpf(alpha)) <= exactly(rho)
        assert exactly(rho) - ratio(1 + mpmath.mpf(10) ** -12) < mpmath.mpf(10) ** -9


# --- against 60-digit arithmetic ---


@pytest.mark.parametrize(
    ("rho", "delta", "expected"),
    [
        ("0.05", "1e-5", "1.308"),
        ("0.5", "1e-5", "4.7284"),
        ("5", "1e-5", "19.047260"),
        ("0.05", "1e-12", None),
        ("1e-4", "1e-14", None),
        ("100", "0.1", None),
    ],
)
def test_zcdp_is_never_below_the_infimum_and_close_to_it(rho, delta, expected):
    found = zcdp_at_delta(ZCDP(rho), delta).epsilon
    with mpmath.workdps(60):
        truth = least_epsilon(Fraction(rho), Fraction(delta))
        assert exactly(found) >= truth - mpmath.mpf(10) ** -45
        assert exactly(found) <= truth * (1 + mpmath.mpf(10) ** -12)
    if expected is not None:
        assert abs(found - Fraction(expected)) <= Fraction(1, 10 ** (len(expected.split(".")[1])))


@given(positive, st.fractions("1/100", 40, max_denominator=100))
def test_epsilon_and_delta_are_inverse(rho, epsilon):
    try:
        delta = zcdp_at_epsilon(ZCDP(rho), epsilon).delta
    except Unbounded:  # only when δ rounds up to 1
        return
    if delta == Fraction(1, 2**MAX_BITS):  # as near to 0 as balls are turned into fractions
        return
    back = zcdp_at_delta(ZCDP(rho), delta).epsilon
    assert back <= epsilon * (1 + Fraction(1, 10**6))
    assert back >= epsilon * (1 - Fraction(1, 10**6))


@given(positive, small_deltas)
def test_any_single_order_is_no_better_than_the_best(rho, delta):
    best = zcdp_at_delta(ZCDP(rho), delta).epsilon
    orders = [Fraction(101, 100), Fraction(3, 2), 2, 3, 5, 10, 100]
    assert best <= renyi_at_delta(zcdp_to_renyi(ZCDP(rho), orders), delta).epsilon + Fraction(1, 10**12)


# --- laws ---


@given(measures, small_deltas)
def test_a_larger_delta_never_needs_a_larger_epsilon(measure, delta):
    if isinstance(measure, ApproxDP) and measure.delta > delta / 2:
        return
    slack = Fraction(1, 10**15)  # the order is searched with floats
    assert at_delta(measure, delta).epsilon <= at_delta(measure, delta / 2).epsilon + slack
    assert at_delta(measure, delta).delta == delta


@given(positive, positive, small_deltas)
def test_conversions_are_monotone(one, other, delta):
    small, large = sorted((one, other))
    slack = Fraction(1, 10**12)
    assert zcdp_at_delta(ZCDP(small), delta).epsilon <= zcdp_at_delta(ZCDP(large), delta).epsilon + slack
    assert pure_at_delta(PureDP(small), delta).epsilon <= pure_at_delta(PureDP(large), delta).epsilon + slack
    assert pure_to_tight_zcdp(PureDP(small)).rho <= pure_to_tight_zcdp(PureDP(large)).rho
    curves = [RenyiDP({2: bound, 4: bound}) for bound in (small, large)]
    assert renyi_at_delta(curves[0], delta).epsilon <= renyi_at_delta(curves[1], delta).epsilon


@given(st.fractions("1/10", 10, max_denominator=20), st.sampled_from(["1e-3", "1e-6", "1e-12"]))
def test_the_budget_in_zcdp_fits_and_no_larger_one_does(epsilon, delta):
    rho = zcdp_within(ApproxDP(epsilon, delta)).rho
    assert zcdp_at_delta(ZCDP(rho), delta).epsilon <= epsilon
    assert zcdp_at_delta(ZCDP(rho * (1 + Fraction(1, 10**9))), delta).epsilon > epsilon


@given(st.fractions(1, 10, max_denominator=20), st.integers(20, 100))
def test_the_budget_at_one_order_fits_and_no_larger_one_does(epsilon, order):
    budget = renyi_within(ApproxDP(epsilon, "1e-5"), order)
    assert renyi_at_delta(budget, "1e-5").epsilon <= epsilon
    ((alpha, bound),) = budget.curve
    assert renyi_at_delta(RenyiDP({alpha: bound + Fraction(1, 10**15)}), "1e-5").epsilon > epsilon


def test_pure_and_approx_with_delta_zero_are_the_same():
    assert approx_to_pure(pure_to_approx(PureDP("0.3"))) == PureDP("0.3")
    assert at_delta(PureDP("0.3"), 0) == ApproxDP("0.3", 0)


def test_an_epsilon_of_zero_is_returned_only_when_it_is_true():
    # At δ = 0.9 a loss of 0.01 at order 2 fits into δ alone; at δ = 0.001 it does not.
    curve = RenyiDP({2: "0.01"})
    assert renyi_at_delta(curve, "0.9").epsilon == 0
    assert renyi_at_epsilon(curve, 0).delta <= Fraction(9, 10)
    assert renyi_at_delta(curve, "0.001").epsilon > 0
    assert renyi_at_epsilon(curve, 0).delta > Fraction(1, 1000)


def test_tiny_budgets_are_found_too():
    rho = zcdp_within(ApproxDP("1e-60", "1e-200")).rho
    assert 0 < rho < Fraction(1, 10**60)
    assert zcdp_at_delta(ZCDP(rho), "1e-200").epsilon <= Fraction(1, 10**60)


def test_nothing_lost_stays_nothing():
    assert zcdp_at_delta(ZCDP(0), 0) == ApproxDP(0, 0)
    assert zcdp_at_epsilon(ZCDP(0), 0) == ApproxDP(0, 0)
    assert pure_to_renyi(PureDP(0), [2]) == RenyiDP({2: 0})
    assert pure_to_tight_zcdp(PureDP(0)) == ZCDP(0)
    assert zcdp_within(ApproxDP(0, "1e-6")) == ZCDP(0)


@pytest.mark.parametrize("rho", ["1e-4000", "1e-30", "1e30", "1e4000"])
@pytest.mark.parametrize("delta", ["1e-4000", "1e-5", "0.999"])
def test_extreme_numbers_give_bounds_or_refusals(rho, delta):
    bound = zcdp_at_delta(ZCDP(rho), delta).epsilon
    if Fraction(rho) > 1:
        assert bound > Fraction(rho) * Fraction(999, 1000)
    try:
        assert 0 < zcdp_at_epsilon(ZCDP(rho), 1).delta < 1
    except Unbounded:
        assert Fraction(rho) > 1


def test_a_bad_search_costs_tightness_never_truth(monkeypatch):
    good = zcdp_at_delta(ZCDP("0.5"), "1e-5").epsilon
    monkeypatch.setattr(by_renyi_order, "_least", lambda _: 0.0)  # order 2, far from the best
    assert zcdp_at_delta(ZCDP("0.5"), "1e-5").epsilon > good


def test_refusals():
    with pytest.raises(Unbounded, match="A310"):
        approx_to_pure(ApproxDP(1, "1e-9"))
    with pytest.raises(Unbounded, match="A311"):
        approx_at_delta(ApproxDP(1, "1e-6"), "1e-9")
    with pytest.raises(Unbounded, match="A312"):
        renyi_within(ApproxDP("0.1", "1e-9"), 2)
    with pytest.raises(InvalidInput, match="A111"):
        renyi_within(ApproxDP(1, "1e-9"), 1)
    with pytest.raises(InvalidInput, match="A111"):
        pure_to_renyi(PureDP(1), [1])
    with pytest.raises(InvalidInput, match="A103"):
        zcdp_at_delta(ZCDP(1), 0)
    with pytest.raises(InvalidInput, match="A103"):
        renyi_at_delta(RenyiDP({2: 1}), 0)
    with pytest.raises(InvalidInput, match="A112"):
        zcdp_to_renyi(ZCDP(1), [])

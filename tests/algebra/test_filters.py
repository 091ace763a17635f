from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.composition import sequential
from lapwing.algebra.conversion import renyi_at_delta, renyi_within, zcdp_at_delta, zcdp_within
from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import BudgetExceeded, NotComparable, Unbounded
from tests.algebra import finite
from tests.algebra.strategies import alike, at_most, triples


@st.composite
def sessions(draw):
    """What an analyst asks after each history of answers: the likelihood ratio of the next randomised response."""
    histories = [()] + [(a,) for a in (0, 1)] + [(a, b) for a in (0, 1) for b in (0, 1)]
    return {history: Fraction(draw(st.integers(11, 40)), 10) for history in histories}


def play(session, budget, cost):
    """Both neighbours' distributions of the transcript, stopping where the filter refuses."""
    sides: list[dict] = [{}, {}]

    def ask(history, filter_, masses):
        ratio = session.get(history)
        try:
            after = filter_.charge(cost(ratio)) if ratio is not None else None
        except BudgetExceeded:
            after = None
        if after is None:
            for side, mass in zip(sides, masses, strict=True):
                side[history] = mass
            return
        pair = finite.response(ratio)
        for answer in (0, 1):
            ask((*history, answer), after, [mass * side[answer] for mass, side in zip(masses, pair, strict=True)])

    ask((), Filter(budget), [Fraction(1), Fraction(1)])
    return sides[0], sides[1]


def pure_cost(ratio):
    return PureDP(finite.log(ratio).upper)


def renyi_cost(ratio):
    return finite.true_renyi([finite.response(ratio)], (2, 5))


@given(sessions(), st.fractions(0, 3, max_denominator=10))
def test_pure_budget_covers_adaptive_prices(session, epsilon):
    finite.assert_pure([play(session, PureDP(epsilon), pure_cost)], PureDP(epsilon))


@given(sessions(), st.fractions(0, 3, max_denominator=10))
def test_renyi_budget_covers_adaptive_prices(session, bound):
    budget = RenyiDP({2: bound, 5: 2 * bound})
    finite.assert_renyi([play(session, budget, renyi_cost)], budget)


@given(sessions(), st.fractions(0, "1/2", max_denominator=20))
def test_approx_budget_covers_adaptive_prices(session, delta):
    # Each answer is charged all of its loss in δ, as (0, δ)
    def cost(ratio):
        return finite.true_approx([finite.response(ratio)], Fraction(0))

    budget = ApproxDP(0, delta)
    finite.assert_approx([play(session, budget, cost)], budget)


def test_the_check_above_can_fail():
    session = dict.fromkeys([(), (0,), (1,)], Fraction(3))
    truth = finite.largest_ratio([play(session, PureDP(3), pure_cost)])
    assert truth == 9  # two answers were given, so a budget of ln 3 would have been passed


def until_refused(filter_, cost):
    answers = 0
    while True:
        try:
            filter_ = filter_.charge(cost)
        except BudgetExceeded:
            return filter_, answers
        answers += 1


def test_an_approx_budget_goes_further_in_zcdp_and_renyi():
    budget = ApproxDP(1, "1e-6")
    for start, cost in (
        (Filter(zcdp_within(budget)), ZCDP("1e-4")),
        (Filter(renyi_within(budget, 30)), RenyiDP({30: "0.003"})),
    ):
        filter_, answers = until_refused(start, cost)
        assert answers > 100
        at = zcdp_at_delta if isinstance(filter_.spent, ZCDP) else renyi_at_delta
        assert at(filter_.spent, "1e-6").epsilon <= 1


@given(triples)
def test_the_order_of_charges_does_not_matter(costs):
    total = Filter(sequential(costs))
    ends = set()
    for order in permutations(costs):
        filter_ = total
        for cost in order:
            filter_ = filter_.charge(cost)
        ends.add(filter_)
    assert len(ends) == 1
    assert next(iter(ends)).spent == total.budget


@given(alike)
def test_spent_and_remaining_make_the_budget(costs):
    filter_ = Filter(sequential([*costs, costs[0]]))
    for cost in costs:
        filter_ = filter_.charge(cost)
    assert filter_.remaining == costs[0]
    assert filter_.charge(filter_.remaining).spent == filter_.budget


@given(triples)
def test_a_refused_charge_leaves_no_trace(costs):
    filter_ = Filter(costs[0])
    before = Filter(costs[0])
    too_much = sequential([costs[0], costs[1]])
    if at_most(too_much, costs[0]):
        return
    with pytest.raises(BudgetExceeded) as refused:
        filter_.charge(too_much)
    assert filter_ == before
    assert refused.value.code == "A401"


def test_extra_orders_of_a_cost_are_ignored():
    filter_ = Filter(RenyiDP({4: 1})).charge(RenyiDP({2: 50, 4: "0.25", 8: 90}))
    assert filter_.remaining == RenyiDP({4: "0.75"})


def test_deltas_are_limited_too():
    filter_ = Filter(ApproxDP(10, "1e-6")).charge(ApproxDP(1, "1e-6"))
    with pytest.raises(BudgetExceeded, match="costs epsilon 1, delta 1e-7, and epsilon 9, delta 0 is left"):
        filter_.charge(ApproxDP(1, "1e-7"))
    with pytest.raises(BudgetExceeded):
        filter_.charge(ApproxDP(0, "0.9999999"))


def test_other_measures_are_refused():
    with pytest.raises(NotComparable, match="A301"):
        Filter(ZCDP(1)).charge(PureDP(1))
    with pytest.raises(Unbounded, match="A402"):
        Filter(RenyiDP({2: 1, 3: 1})).charge(RenyiDP({2: 1}))

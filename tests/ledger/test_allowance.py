"""The rule that admits charges: its arithmetic, and the worst that an adaptive analyst can do within it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.conversion import zcdp_at_delta, zcdp_within
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.ledger.allowance import Allowance, allowance, left_of
from lapwing.ledger.costs import NOTHING, Cost, cost_from, cost_of, prices_from, prices_of, prices_text

amounts = st.fractions(0, 3, max_denominator=50)
deltas = st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 10**7)])
prices = st.one_of(
    st.builds(PureDP, amounts), st.builds(ApproxDP, amounts, deltas), st.builds(ZCDP, amounts), st.just(PureDP(0))
)
total_prices = st.lists(prices, min_size=1, max_size=4).map(tuple)


@given(total_prices)
def test_prices_and_costs_are_written_exactly(each):
    assert prices_from(prices_text(each)) == each
    assert cost_from(cost_of(each).text()) == cost_of(each)


@given(total_prices)
def test_order_does_not_matter(each):
    assert cost_of(each) == cost_of(each[::-1])


@given(amounts, amounts)
def test_a_larger_price_never_costs_less(one, other):
    less, more = sorted((one, other))
    for kind in (PureDP, ZCDP, lambda number: ApproxDP(number, "1e-7")):
        cheap, dear = cost_of((kind(less),)), cost_of((kind(more),))
        assert cheap.rho <= dear.rho
        assert dear.epsilon is None or cheap.epsilon <= dear.epsilon


def test_a_pure_budget_is_spent_to_its_last_fraction():
    budget = allowance(Fraction(1, 97), Fraction(0))
    assert budget.admits(cost_of((PureDP("1/97"),)))
    assert not budget.admits(cost_of((PureDP("1/97"), PureDP("1e-300"))))
    assert not budget.can_ever_pay(cost_of((ZCDP("1e-9"),)))
    assert not budget.can_ever_pay(cost_of((ApproxDP(0, "1e-9"),)))


def test_an_approximate_budget_admits_by_either_rule():
    budget = allowance(Fraction(1), Fraction(1, 10**6))

    def admits(*prices):
        return budget.admits(cost_of(prices, budget.orders))

    assert admits(PureDP(1))  # by the sum, although 1/2 is far above ρ*
    assert not admits(PureDP("1.01"))
    assert cost_of((PureDP("0.01"),) * 400).epsilon == 4
    assert admits(*(PureDP("0.01"),) * 400)  # by concentration
    assert not admits(*(PureDP("0.01"),) * 1000)
    assert admits(ZCDP(budget.rho))
    assert not admits(ZCDP(budget.rho + Fraction(1, 10**6)))
    assert admits(ApproxDP(1, "5e-7"))
    assert not admits(ApproxDP(1, "5.1e-7"))
    with pytest.raises(ValueError, match="orders"):  # never taken for nothing
        budget.admits(cost_of((PureDP(2),)))


def test_both_currencies_are_left_after_some_of_each():
    budget = allowance(Fraction(4), Fraction(1, 10**5))
    spent = cost_of((PureDP("0.5"), ZCDP("0.1")), budget.orders)
    left = left_of(budget.room(spent), budget.orders)
    assert 1.42 < left.epsilon < 1.43
    assert 0.177 < left.rho < 0.178
    assert left_of(budget.room(NOTHING), budget.orders).epsilon == 4
    assert 0.34 < budget.rho < 0.343


@given(st.fractions("1/10", 5, max_denominator=10), st.sampled_from(["1e-3", "1e-6", "1e-12"]))
def test_rho_implies_the_budget_at_half_of_delta(epsilon, delta):
    budget = allowance(epsilon, Fraction(delta))
    assert zcdp_at_delta(ZCDP(budget.rho), Fraction(delta) / 2).epsilon <= epsilon


@given(st.sampled_from([0, Fraction(1, 10**6)]), total_prices)
def test_what_is_left_is_accepted_and_a_little_more_is_not(delta, each):
    budget = allowance(Fraction(2), Fraction(delta))
    spent = cost_of(each, budget.orders)
    if not budget.admits(spent):
        return
    left = left_of(budget.room(spent), budget.orders)
    crumb = Fraction(1, 10**9)
    assert budget.admits(spent.plus(cost_of((PureDP(left.epsilon),), budget.orders)))
    assert not budget.admits(spent.plus(cost_of((PureDP(left.epsilon + crumb),), budget.orders)))
    assert not budget.admits(spent.plus(cost_of((ZCDP(left.rho + crumb),), budget.orders)))
    assert budget.admits(spent.plus(Cost(Fraction(0), Fraction(0), left.delta)))
    assert not budget.admits(spent.plus(Cost(Fraction(0), Fraction(0), left.delta + crumb)))
    if left.rho:
        assert budget.admits(spent.plus(cost_of((ZCDP(left.rho),), budget.orders)))


def test_long_numbers_are_rounded_up_and_stay_short():
    total, true = NOTHING, Fraction(0)
    for number in range(300):
        epsilon = Fraction(1, 2**61 + 2 * number + 1)
        total, true = total.plus(cost_of(prices_of(PureDP(epsilon)))), true + epsilon
    assert true <= total.epsilon <= true * (1 + Fraction(1, 10**200))
    assert total.epsilon.denominator.bit_length() <= 2048


# --- the worst adaptive analyst, exactly ---


@dataclass(frozen=True)
class EitherRule(Allowance):
    """The tempting filter: all of δ for failures by A, or half of it by B. Each is sound, the two together are not."""

    def admits(self, total):
        by_sum = total.epsilon is not None and total.epsilon <= self.epsilon and total.delta <= self.delta
        return by_sum or (total.rho <= self.rho and total.delta <= self.delta / 2)


def worst(budget, epsilon, failure):
    """The largest δ at the budget's ε that any adaptive choice of charges can reach.

    The charges are randomised response at ε, and one that gives everything away with probability ``failure`` and
    is silent otherwise: the worst mechanisms of their price. The analyst knows the loss so far, and may stop.
    """
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    step, slip = cost_of((PureDP(epsilon),), budget.orders), cost_of((ApproxDP(0, failure),), budget.orders)
    chance = float(failure)

    @cache
    def value(answers, surplus, slips):
        spent = step.times(answers).plus(slip.times(slips))
        best = max(0.0, -math.expm1(float(budget.epsilon) - surplus * float(epsilon)))  # stop here
        if budget.admits(spent.plus(step)):
            up, down = value(answers + 1, surplus + 1, slips), value(answers + 1, surplus - 1, slips)
            best = max(best, right * up + (1 - right) * down)
        if budget.admits(spent.plus(slip)):
            best = max(best, chance + (1 - chance) * value(answers, surplus, slips + 1))
        return best

    return value(0, 0, 0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "step"),
    [("1", "0.1", "0.1"), ("1", "0.01", "0.2"), ("2", "0.3", "0.25"), ("0.5", "0.2", "0.1")],
)
def test_no_adaptive_analyst_gets_beyond_the_budget(epsilon, delta, step):
    budget = allowance(Fraction(epsilon), Fraction(delta))
    assert worst(budget, Fraction(step), Fraction(delta) / 4) <= float(delta)


def test_the_worst_analyst_is_bad_enough_to_break_a_careless_filter():
    epsilon, delta = Fraction(1), Fraction("0.02")
    careful = allowance(epsilon, delta)
    careless = EitherRule(epsilon, delta, zcdp_within(ApproxDP(epsilon, delta / 2)).rho)
    assert worst(careful, Fraction("0.1"), delta / 4) <= delta
    assert worst(careless, Fraction("0.1"), delta / 4) > 1.04 * float(delta)


# --- the analyst who pays small losses in ρ, and the rest at once in ε ---


def reached(epsilon, step, pure_left):
    """The largest excess over e^ε of an analyst who asks randomised response at ``step``, booked as ρ.

    ``pure_left(n)`` is what may be charged as one pure mechanism after n answers, None where n are too many. The
    analyst sees the loss so far, and at every answer stops, goes on, or spends all that is left at once.
    """
    right = math.exp(step) / (1 + math.exp(step))
    left = []
    while (room := pure_left(len(left))) is not None:
        left.append(room)

    def excess(loss):
        return np.maximum(0.0, -np.expm1(np.minimum(epsilon - loss, 0.0)))

    value = None
    for answers in reversed(range(len(left))):
        loss = step * np.arange(-answers, answers + 1, 2)
        chance = math.exp(left[answers]) / (1 + math.exp(left[answers]))
        at_once = chance * excess(loss + left[answers]) + (1 - chance) * excess(loss - left[answers])
        best = np.maximum(excess(loss), at_once)
        if value is not None:
            best = np.maximum(best, right * value[1:] + (1 - right) * value[:-1])
        value = best
    return float(value[0])


def test_the_analyst_who_breaks_the_tempting_rule_does_not_break_this_one():
    """Σε + ε(Σρ, δ') <= ε lets this one reach 1.79·δ'; here it stays below half of δ'."""
    epsilon, delta, step = Fraction(4), Fraction(1, 100), Fraction(1, 20)
    tail = delta / 2

    def tempting(answers):
        if answers == 0:
            return float(epsilon)
        used = zcdp_at_delta(ZCDP(answers * step**2 / 2), tail).epsilon
        return float(epsilon - used) if used <= epsilon else None

    budget = allowance(epsilon, delta)

    def ours(answers):
        spent = cost_of((ZCDP(answers * step**2 / 2),), budget.orders)
        return float(left_of(budget.room(spent), budget.orders).epsilon) if budget.admits(spent) else None

    assert reached(float(epsilon), float(step), tempting) > 1.7 * float(tail)
    assert reached(float(epsilon), float(step), ours) < 0.5 * float(tail)

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.composition import advanced, advanced_heterogeneous
from lapwing.algebra.measures import ApproxDP, PureDP
from lapwing.errors import InvalidInput, NotComparable, Unbounded
from tests.algebra import finite


def delta_of_responses(ratio: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """A lower bound, exact but for e^ε, on δ(ε) of ``count`` randomised responses: no ε-DP mechanisms have more."""
    keep = ratio / (1 + ratio)
    growth = enclose(lambda: ball(epsilon).exp()).upper
    return sum(
        (
            comb(count, lies)
            * max(
                Fraction(0),
                keep ** (count - lies) * (1 - keep) ** lies - growth * (1 - keep) ** (count - lies) * keep**lies,
            )
            for lies in range(count + 1)
        ),
        Fraction(0),
    )


ratios = st.fractions("51/50", 2, max_denominator=50).filter(lambda ratio: ratio > 1)
slacks = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**3), Fraction(1, 10**6)])


@given(ratios, st.integers(1, 60), slacks)
def test_bounds_cover_the_worst_mechanism(ratio, count, slack):
    each = ApproxDP(finite.log(ratio).upper, 0)
    for bound in (advanced(each, count, slack), advanced_heterogeneous([each] * count, slack)):
        assert delta_of_responses(ratio, count, bound.epsilon) <= bound.delta == slack


def test_the_check_above_can_fail():
    bound = advanced(ApproxDP(finite.log(Fraction(11, 10)).upper, 0), 200, "1e-5")
    assert delta_of_responses(Fraction(11, 10), 200, bound.epsilon) <= bound.delta
    assert delta_of_responses(Fraction(11, 10), 200, bound.epsilon / 2) > bound.delta


@given(st.lists(ratios, min_size=1, max_size=5), slacks, st.fractions(0, "1/5", max_denominator=20))
def test_heterogeneous_bound_covers_different_mechanisms_that_may_give_themselves_away(steps, slack, leak):
    # With probability ``leak`` each publishes its bit outright; otherwise it answers with its ratio.
    pair = ({(): Fraction(1)}, {(): Fraction(1)})
    for ratio in steps:
        one, two = ({k: (1 - leak) * v for k, v in side.items()} for side in finite.response(ratio))
        one, two = one | {"zero": leak, "one": Fraction(0)}, two | {"zero": Fraction(0), "one": leak}
        pair = (finite.joint(pair[0], dict.fromkeys(pair[0], one)), finite.joint(pair[1], dict.fromkeys(pair[1], two)))
    parts = [ApproxDP(finite.log(ratio).upper, leak) for ratio in steps]
    finite.assert_approx([pair], advanced_heterogeneous(parts, slack))


def test_reference_values():
    for epsilon, count, expected in (("0.1", 100, "5.850"), ("0.1", 1000, "25.691"), ("0.01", 1000, "1.6179")):
        found = advanced(ApproxDP(epsilon, 0), count, "1e-5").epsilon
        assert abs(found - Fraction(expected)) < Fraction(1, 10**3)


@given(st.fractions(0, 1, max_denominator=100), st.integers(1, 300), slacks)
def test_heterogeneous_is_never_looser(epsilon, count, slack):
    each = ApproxDP(epsilon, "1e-9")
    wide, narrow = advanced(each, count, slack), advanced_heterogeneous([each] * count, slack)
    assert narrow.epsilon <= wide.epsilon
    assert narrow.delta <= wide.delta


@given(st.fractions(0, 1, max_denominator=100), st.integers(1, 300), slacks)
def test_more_mechanisms_and_less_slack_cost_more(epsilon, count, slack):
    each = ApproxDP(epsilon, 0)
    found = advanced(each, count, slack).epsilon
    assert found <= advanced(each, count + 1, slack).epsilon
    assert found <= advanced(each, count, slack / 2).epsilon


def test_deltas_add():
    assert advanced(ApproxDP(1, "1e-6"), 100, "1e-5").delta == Fraction(11, 10**5)


def test_nothing_lost_stays_nothing():
    assert advanced(ApproxDP(0, 0), 10, "1e-5") == ApproxDP(0, "1e-5")


def test_refusals():
    with pytest.raises(InvalidInput, match="A103"):
        advanced(ApproxDP(1, 0), 10, 0)
    with pytest.raises(Unbounded, match="A302"):
        advanced(ApproxDP(1, "0.1"), 10, "0.1")
    with pytest.raises(InvalidInput, match="A108"):
        advanced(ApproxDP(1, 0), 0, "0.1")
    with pytest.raises(NotComparable, match="A301"):
        advanced_heterogeneous([ApproxDP(1, 0), PureDP(1)], "0.1")

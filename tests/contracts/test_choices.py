"""What every mechanism that chooses by private scores promises."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.algebra import balls
from lapwing.algebra.metrics import Linf
from lapwing.errors import InvalidInput
from tests.contracts.mechanisms import CHOICES

choices = pytest.mark.parametrize("case", CHOICES, ids=lambda case: case.name)
scores_and_moves = st.lists(st.tuples(st.integers(-4, 4), st.integers(-1, 1)), min_size=1, max_size=6)


def loss_is_within(p, q, epsilon):
    """Whether every ln(p/q) may be at most epsilon: false only when one is certainly larger."""
    factor = balls.enclose(lambda: balls.ball(epsilon).exp()).upper
    return all(a.lower <= factor * b.upper and b.lower <= factor * a.upper for a, b in zip(p, q, strict=True))


def renyi(p, q, order):
    """D_order(p ‖ q), to far more digits than a float has."""
    alpha = balls.ball(order)
    with balls.precision(200):
        terms = [balls.ball(a.lower) ** alpha * balls.ball(b.lower) ** (1 - alpha) for a, b in zip(p, q, strict=True)]
        return float(sum(terms, arb(0)).log() / (alpha - 1))


@choices
@settings(max_examples=20, deadline=None)
@given(pairs=scores_and_moves)
def test_probabilities_sum_to_one(case, pairs):
    pmf = case.mechanism.pmf([score for score, _ in pairs])
    assert sum(p.lower for p in pmf) <= 1 <= sum(p.upper for p in pmf)
    assert all(p.width < Fraction(1, 2**70) for p in pmf)


@choices
@settings(max_examples=30, deadline=None)
@given(pairs=scores_and_moves)
def test_neighbours_are_within_the_claims(case, pairs):
    p = case.mechanism.pmf([score for score, _ in pairs])
    q = case.mechanism.pmf([score + move for score, move in pairs])
    assert loss_is_within(p, q, case.mechanism.claim(Linf(1)).epsilon)
    rho = case.mechanism.zcdp_claim(Linf(1)).rho
    for order in (Fraction(101, 100), 2, 5, 30):
        assert renyi(p, q, order) <= float(rho * order) * (1 + 1e-9) + 1e-12


@choices
@settings(max_examples=30, deadline=None)
@given(pairs=scores_and_moves)
def test_neighbours_that_move_one_way_are_within_the_monotone_claims(case, pairs):
    p = case.mechanism.pmf([score for score, _ in pairs])
    q = case.mechanism.pmf([score + abs(move) for score, move in pairs])
    assert loss_is_within(p, q, case.mechanism.claim(Linf(1), monotone=True).epsilon)
    rho = case.mechanism.zcdp_claim(Linf(1), monotone=True).rho
    for order in (Fraction(101, 100), 2, 5, 30):
        assert renyi(p, q, order) <= float(rho * order) * (1 + 1e-9) + 1e-12


@choices
def test_the_monotone_claim_would_be_false_for_scores_that_move_apart(case):
    p, q = case.mechanism.pmf([0, 8]), case.mechanism.pmf([1, 7])
    assert not loss_is_within(p, q, case.mechanism.claim(Linf(1), monotone=True).epsilon)


@choices
def test_the_claim_is_tight(case):
    far = 20 * int(case.mechanism.scale + 1)
    p, q = case.mechanism.pmf([0, far]), case.mechanism.pmf([1, far - 1])
    assert not loss_is_within(p, q, case.mechanism.claim(Linf(1)).epsilon * Fraction(99, 100))


@choices
def test_chosen_as_often_as_the_pmf_says(case):
    scores, n = [3, 0, 2, 3, -1], 4000
    chosen = np.bincount([case.mechanism.choose(scores) for _ in range(n)], minlength=len(scores))
    expected = np.array([float(p) for p in case.mechanism.pmf(scores)]) * n
    assert stats.chisquare(chosen, expected * chosen.sum() / expected.sum()).pvalue > 1e-6


@choices
def test_calibrated_exactly(case):
    made = type(case.mechanism).for_epsilon("0.1", Linf(3))
    assert made.claim(Linf(3)).epsilon == Fraction(1, 10)
    assert type(case.mechanism).for_epsilon("0.1", Linf(3), monotone=True).scale == made.scale / 2
    with pytest.raises(InvalidInput, match="N204"):
        type(case.mechanism).for_epsilon(1, Linf(0))


@choices
@pytest.mark.parametrize(
    ("scores", "code"),
    [
        ([], "N111"),
        (np.array([], dtype=int), "N111"),
        ([1.5, 2], "N110"),
        ([float("nan")], "N110"),
        ([True, False], "N110"),
        (["1"], "N110"),
        (np.array([1.0, 2.0]), "N110"),
        (np.array([[1, 2]]), "N110"),
        (np.array([True]), "N110"),
        (None, "N110"),
        (7, "N110"),
    ],
    ids=repr,
)
def test_bad_scores_are_refused_in_one_line_without_their_values(case, scores, code):
    for ask in (case.mechanism.choose, case.mechanism.pmf):
        with pytest.raises(InvalidInput) as refused:
            ask(scores)
        assert str(refused.value).startswith(code)
        assert "\n" not in str(refused.value)
        assert "1.5" not in str(refused.value)


@choices
@pytest.mark.parametrize(
    "scores",
    [np.array([2**63 - 1, -(2**63)]), np.array([2**64 - 1, 0], dtype=np.uint64), [10**40, -(10**40)]],
    ids=repr,
)
def test_scores_as_far_apart_as_can_be(case, scores):
    assert case.mechanism.choose(scores) == 0
    best, worst = case.mechanism.pmf(scores)
    assert best.upper >= 1
    assert 0 <= worst.lower <= worst.upper <= Fraction(1, 2**1000)


@pytest.mark.parametrize("kind", sorted({type(case.mechanism) for case in CHOICES}, key=lambda kind: kind.__name__))
@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf"), True, None, "x"])
def test_bad_scales_are_refused_in_one_line(kind, bad):
    with pytest.raises(InvalidInput) as refused:
        kind(bad)
    assert "\n" not in str(refused.value)

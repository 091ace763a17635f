"""Scores that are made of private elements: they move by no more, and one way only where the elements do."""

import pytest

from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

CHOICE = """
@mechanism(scores={relation}(1), claim="epsilon")
def choice(scores: list[float], weights: list[float], t: float, epsilon: float) -> int:
    return choose([{score} for i, s in enumerate(scores)], {scale} / epsilon)
"""
ONE_WAY = ("s + t", "t + weights[i] + s", "s - t", "min(s, t)", "max(t, s, 0)", "clip(s, 0, t)", "s if i > 2 else t")
ANY_WAY = ("-s", "abs(s - t)", "-abs(s - t)", "t - s", "-s if i > 2 else s")


@pytest.mark.parametrize("score", [*ONE_WAY, *ANY_WAY])
@pytest.mark.parametrize(("relation", "scale"), [("each", 2), ("one", 1)])
def test_a_score_moves_as_far_as_its_element(score, relation, scale):
    assert proved(HEAD + CHOICE.format(relation=relation, scale=scale, score=score)).bound == "epsilon"


@pytest.mark.parametrize("score", ONE_WAY)
def test_scores_that_rise_together_cost_half(score):
    assert proved(HEAD + CHOICE.format(relation="monotone", scale=1, score=score)).bound == "epsilon"


@pytest.mark.parametrize(
    ("relation", "scale", "score"),
    [
        ("each", "1", "abs(s - t)"),
        ("monotone", "1", "abs(s - t)"),  # some rise and some fall
        ("monotone", "1", "-s if i > 2 else s"),
        ("each", "2", "2 * s"),
        ("each", "2", "s + scores[0]"),
        ("each", "2", "s + s"),
        ("each", "2", "weights[i] * s"),
        ("each", "2", "s if s > t else 0"),  # which it is depends on the element
        ("each", "2", "min(s, 3 * s)"),
    ],
)
def test_scores_that_move_further_are_not_taken_for_elements(relation, scale, score):
    assert unproved(HEAD + CHOICE.format(relation=relation, scale=scale, score=score))

"""A choice of which one place scores more: a coin that keeps it, or any place, with the chances of the choice."""

from fractions import Fraction

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.strangers import HEAD, strangers

CHOICE = """
@mechanism(x=replaced(), claim="epsilon")
def f(x: int, k: int, n: int, epsilon: float) -> int:
    {scores}
    return choose(scores, {scale})
"""
KEPT = [
    ("scores = [1 if i == x else 0 for i in range(k)]", "1 / epsilon"),
    ("scores = [0 if x != i else 1 for i in range(k)]", "1 / epsilon"),
    ("scores = [epsilon if i == x else 0 for i in range(k)]", "1"),
    ("scores = []\n    for i in range(k):\n        scores.append(epsilon * (1 if i == x else 0))", "1"),
    ("scores = [0.0] * k\n    for i in range(k):\n        if i == x:\n            scores[i] = epsilon", "1"),
]
#: One that scores less; another number for each; places that do not begin at 0; more than one place; scores that grow.
OTHERS = [
    "scores = [0 if i == x else 1 for i in range(k)]",
    "scores = [i if i == x else 0 for i in range(k)]",
    "scores = [1 if i == x else 0 for i in range(1, k)]",
    "scores = [1 if i == x % (i + 1) else 0 for i in range(k)]",
    "scores = [1 if i <= x else 0 for i in range(k)]",
    "scores = []\n    for i in range(k):\n        scores.append(1 if i == x else 0)\n    scores.append(0)",
]
MEANT = {"right": "proved", "wrong": "refuted"}


def shown(scores, scale):
    return show_mechanism(parse_text(HEAD + CHOICE.format(scores=scores, scale=scale))["f"])


@pytest.mark.parametrize(("scores", "scale"), KEPT)
def test_it_is_kept_or_any(scores, scale):
    text = shown(scores, scale)
    assert "flip((exp(epsilon) - 1) / (exp(epsilon) + k - 1))" in text
    assert "scores" not in text


def test_scores_below_zero_are_numbers():
    assert "exp(2 * epsilon)" in shown("scores = [epsilon if i == x else -epsilon for i in range(k)]", "1")


@pytest.mark.parametrize("scores", OTHERS)
def test_other_choices_stay(scores):
    assert "choose(" in shown(scores, "1 / epsilon")


@pytest.mark.parametrize("x", [-1, 0, 2, 3])
def test_the_chances_are_those_of_the_choice(x):
    weight, k = Fraction(7, 2), 3
    scored = [weight if i == x else Fraction(1) for i in range(k)]
    keep = (weight - 1) / (weight + k - 1)
    kept = [keep * (i == x) + (1 - keep if 0 <= x < k else Fraction(1)) / k for i in range(k)]
    assert kept == [each / sum(scored) for each in scored]


@pytest.mark.parametrize(
    "program", [each for each in strangers() if each.shelf == "one_of_many"], ids=lambda each: each.name
)
def test_decided(program):
    assert decide_text(program.text, program.name).verdict == MEANT[program.truth]

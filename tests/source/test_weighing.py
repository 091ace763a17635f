"""Scores that an ε weighs: its scale takes what is surely above 0, and nothing else."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.source import parse_text
from lapwing.source.printed_modules import show_module
from tests.strangers import strangers

HEAD = """from lapwing import *
@mechanism(q=each("d"), claim="epsilon")
def f(q: list[float], d: float, c: float, k: int, epsilon: float) -> int:
    assert k >= 1
    """
TAKEN = {
    "return choose([epsilon * s / 2 for s in q], 1)": "choose([s for s in q], 1 * 2 / epsilon)",
    "w = [s * epsilon / (2 * d) for s in q]\n    return choose(w, 3)": "choose(w, 3 * (2 * d) / epsilon)",
    "e = epsilon / k\n    return choose([-(e * s) for s in q], 1)": "choose([-s for s in q], 1 / e)",
}
#: What may be 0 or less, the weight of a score by itself, a weight that is added, a list that is read again.
KEPT = [
    "return choose([c * s for s in q], 1)",
    "return choose([d * s for s in q], 1)",
    "return choose([s / c for s in q], 1)",
    "return choose([s * i for i, s in enumerate(q)], 1)",
    "return choose([s + epsilon for s in q], 1)",
    "w = [epsilon * s for s in q]\n    return choose(w, 1) if len(w) > 1 else 0",
]
MEANT = {"right": "proved", "wrong": "refuted"}


def read(body):
    return show_module(parse_text(HEAD + body + "\n"))


@pytest.mark.parametrize("body", TAKEN)
def test_the_scale_takes_the_weight(body):
    assert TAKEN[body] in read(body)


@pytest.mark.parametrize("body", KEPT)
def test_other_factors_stay(body):
    assert read(body).count(", 1)") == 1


def test_an_epsilon_that_weighs_scores_is_above_zero():
    assert "assert epsilon > 0" in read(
        "w = []\n    for s in q:\n        w.append(epsilon * s)\n    return choose(w, 1)"
    )
    assert "assert epsilon" not in read("return choose(q, 1)")


@pytest.mark.parametrize(
    "program", [each for each in strangers() if each.shelf == "weights"], ids=lambda each: each.name
)
def test_decided(program):
    assert decide_text(program.text, program.name).verdict == MEANT[program.truth]

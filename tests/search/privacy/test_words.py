"""What is said of a mechanism that was not decided: which of five things happened, where, and what would do."""

import pytest

from lapwing.decide.privacy import decide_text

HEAD = "from lapwing import each, laplace, mechanism, within\n\n\n"
SPLIT = """@mechanism(q=each(1), claim="first + second")
def f(q: list[float], threshold: float, first: float, second: float) -> int:
    t = threshold + laplace(1 / first)
    for i, x in enumerate(q):
        if x + laplace(2 / second) >= t:
            return i
    return -1
"""
GAP = """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], threshold: float, asked: bool, epsilon: float) -> int:
    t = threshold + laplace(2 / epsilon)
    found = -1
    if asked:
        for i, x in enumerate(q):
            noisy = x + laplace(4 / epsilon)
            if found < 0 and noisy >= t:
                found = i
    return found
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SPLIT, "it needs an assumption: add assert first > 0 and second > 0"),
    ],
    ids=["assumption"],
)
def test_the_reason_says_what_happened_and_where(text, words):
    decision = decide_text(HEAD + text, "f", limit=10)
    assert decision.verdict == "unknown"
    assert words in decision.reason


def test_a_loop_in_a_branch_is_followed():
    assert decide_text(HEAD + GAP, "f", limit=10).verdict == "proved"


def test_the_assumption_makes_the_proof():
    text = SPLIT.replace("    t = threshold", "    assert first > 0 and second > 0\n    t = threshold")
    assert decide_text(HEAD + text, "f", limit=10).verdict == "proved"


def test_a_loss_of_nothing_is_not_told():
    text = '@mechanism(x=within(1), claim="epsilon")\ndef f(x: float, epsilon: float) -> float:\n    return x * 0 * x\n'
    decision = decide_text(HEAD + text, "f", limit=10)
    assert decision.loss is None

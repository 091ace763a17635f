"""Winners that are picked one after another: scores with public gaps, calls on lists that have names of their own."""

import pytest

from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

PICK = """
@mechanism(scores=each(1), claim="epsilon")
def pick(scores: list[float], epsilon: float) -> int:
    best = 0.0
    where = 0
    for i in range(len(scores)):
        v = scores[i] + laplace(2 / epsilon)
        if i == 0 or v > best:
            best = v
            where = i
    return where
"""
TOP = """
@mechanism(scores=each(1), claim="{claim}")
def top(scores: list[float], k: int, epsilon: float) -> list[int]:
    assert k >= 1
    taken = []
    for _ in range(k):
        rest = [{element} for i in range({places})]
        taken.append({winner})
    return taken
"""
GAPS = "-1000000 if i in taken else scores[i]"
CHOSEN = "choose(rest, 2 * k / epsilon)"


def top(element=GAPS, winner=CHOSEN, claim="epsilon", places="len(scores)"):
    called = PICK if "pick" in winner else ""
    return HEAD + called + TOP.format(element=element, winner=winner, claim=claim, places=places)


@pytest.mark.parametrize(
    "text",
    [
        top(),
        top("scores[i] if i not in taken else -1000000"),
        top("scores[i]"),
        top(winner="pick(rest, epsilon / k)"),
    ],
)
def test_peeling_is_proved(text):
    assert proved(text, "top").bound == "epsilon"


@pytest.mark.parametrize(
    "text",
    [
        top(claim="epsilon / 2"),
        top("2 * scores[i]"),
        top("scores[i] if scores[i] > 0 else -1000000"),
        top("scores[i] + scores[0]"),
        top("sum([scores[i] for i in range(3)])"),
        top(winner="pick(rest, epsilon)"),
        top("2 * scores[i]", winner="pick(rest, epsilon / k)"),
    ],
)
def test_scores_that_move_by_more_are_not(text):
    assert unproved(text, "top")


INLINE = """
@mechanism(scores=each(1), claim="{claim}")
def top(scores: list[float], epsilon: float) -> tuple[int, int]:
    a = -1
    best = 0.0
    for i in range(len(scores)):
        v = scores[i] + laplace(4 / epsilon)
        if a == -1 or v > best:
            a, best = i, v
    b = -1
    best = {again}
    for i in range(len(scores)):
        if i != a:
            v = scores[i] + laplace(4 / epsilon)
            if b == -1 or v > best:
                b, best = i, v
    return a, b
"""


def test_two_winners_written_one_after_the_other():
    assert proved(HEAD + INLINE.format(claim="epsilon", again="0.0"), "top").bound == "epsilon"


def test_two_winners_cost_what_both_cost():
    assert unproved(HEAD + INLINE.format(claim="epsilon / 2", again="0.0"), "top")

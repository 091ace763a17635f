"""What is said of a mechanism that was not decided: which of five things happened, where, and what would do."""

import time

import pytest

from lapwing.decide.privacy import decide_text

HEAD = "from lapwing import each, laplace, ln, mechanism, within\n\n\n"
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
HARD = """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], threshold: float, limit: int, epsilon: float) -> list[float]:
    assert limit >= 1
    t = threshold + laplace(2 * limit / epsilon)
    out = []
    count = 0
    for x in q:
        if count == limit:
            return out
        if not x + laplace(4 * limit / epsilon) < t:
            out.append(t)
            count += 1
            t = threshold + laplace(2 * limit / epsilon)
    return out
"""
#: of a δ above 1/2 the logarithm is below 0, and a run rounds it away from 0
HALF = """@mechanism(c=within(1), claim=("epsilon", "delta"))
def f(c: int, epsilon: float, delta: float) -> float:
    assert epsilon > 0 and 0 < delta < 1
    if c == 0:
        return 0.0
    noisy = c + laplace(1 / epsilon)
    return noisy if noisy > 1 + ln(1 / (2 * delta)) / epsilon else 0.0
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SPLIT, "it needs an assumption: add assert first > 0 and second > 0"),
        (HALF, "it needs an assumption: add assert delta <= 1 / 2"),
    ],
    ids=["assumption", "delta"],
)
def test_the_reason_says_what_happened_and_where(text, words):
    decision = decide_text(HEAD + text, "f", limit=8)
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


def test_the_largest_loss_is_the_one_nearest_to_its_claim():
    text = """@mechanism(x=within(1), claim="epsilon")
def f(x: float, k: int, epsilon: float) -> list[float]:
    assert k >= 1
    out = []
    for i in range(k):
        out.append(x + laplace((i + 1) * (i + 2) / epsilon))
    return out
"""
    decision = decide_text(HEAD + text, "f", limit=4)
    assert decision.verdict == "unknown"
    claimed = decision.loss.left["epsilon"]
    assert claimed / 2 <= decision.loss.log_ratio.upper < claimed


def test_whoever_waits_gets_an_answer_in_time():
    begun = time.perf_counter()
    decision = decide_text(HEAD + HARD, "f", wall=3)
    assert decision.verdict == "unknown"
    assert time.perf_counter() - begun < 9  # one question to a solver may be under way


LIMITED = """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], threshold: float, epsilon: float) -> list[bool]:
    t = threshold + laplace(2 / epsilon)
    left = 5
    out = []
    for i in range(len(q) - 1, -1, -1):
        if left > 0:
            hit = q[i] + laplace(scale / epsilon) > t
            out.append(hit)
            if hit:
                left -= 1
    return out
"""


@pytest.mark.parametrize(("scale", "verdict"), [("20", "proved"), ("2", "refuted")])
def test_written_limits_are_followed(scale, verdict):
    assert decide_text(HEAD + LIMITED.replace("scale", scale), "f").verdict == verdict

"""Mechanisms made to deceive a prover: none is as private as it claims, and none is proved."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.errors import InvalidProgram
from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import each, exponential, laplace, mechanism, one, within\n\n"
#: What was a trap while noise was a multiple of a step: real noise may be moved by a half, and scaled.
RIGHT = ("x / 2 + noise", "x + 2 * noise", "2 * x + 3 * noise")
TRAPS = {
    # one draw cannot hide two differences
    "reuse": """@mechanism(x=within(1), y=within(1), claim="epsilon")
def reuse(x: float, y: float, epsilon: float) -> tuple[float, float]:
    noise = laplace(1 / epsilon)
    return (x + noise, y + noise)
""",
    # the noise is taken off again
    "cancel": """@mechanism(x=within(1), claim="epsilon")
def cancel(x: float, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    y = x + noise
    return y - noise
""",
    # the sign of the noise is answered too
    "sign_then_value": """@mechanism(x=within(1), claim="epsilon")
def sign_then_value(x: float, epsilon: float) -> tuple[bool, float]:
    noise = laplace(1 / epsilon)
    positive = noise > 0
    return (positive, x + noise)
""",
    # two draws give one answer
    "abs_noise": """@mechanism(x=within(1), claim="epsilon")
def abs_noise(x: float, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    return x + abs(noise)
""",
    # only one run draws
    "branch_draw": """@mechanism(q=each(1), claim="epsilon")
def branch_draw(q: list[float], t: float, epsilon: float) -> list[float]:
    out = []
    for x in q:
        if x > t:
            out.append(laplace(1 / epsilon))
    return out
""",
    # one-sided noise has no room below
    "exp_down": """@mechanism(x=within(1), claim="epsilon")
def exp_down(x: float, epsilon: float) -> float:
    return x + exponential(1 / epsilon)
""",
    # every element is shifted
    "max_value": """@mechanism(q=each(1), claim="epsilon")
def max_value(q: list[float], epsilon: float) -> float:
    best = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        best = noisy if i == 0 or noisy > best else best
    return best
""",
    # every round costs
    "loop_until": """@mechanism(x=within(1), claim="epsilon")
def loop_until(x: float, t: float, epsilon: float) -> int:
    i = 0
    while x + laplace(1 / epsilon) < t:
        i += 1
    return i
""",
    # one draw for all elements
    "index_of_first": """@mechanism(q=each(1), claim="epsilon")
def index_of_first(q: list[float], t: float, epsilon: float) -> int:
    found = 0
    n = laplace(4 / epsilon)
    for i, x in enumerate(q):
        if x + n >= t:
            found = i
    return found
""",
    # the noise protects nothing
    "threshold_no_noise": """@mechanism(q=one(1), claim="epsilon")
def threshold_no_noise(q: list[float], t: float, epsilon: float) -> list[bool]:
    out = []
    for x in q:
        out.append(x > t)
    z = laplace(1 / epsilon)
    return out
""",
}


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_not_proved_and_its_violation_is_found(name):
    assert decide_text(HEAD + TRAPS[name], name).verdict == "refuted"


def test_an_assert_about_something_assigned_later_is_refused():
    late = TRAPS["exp_down"].replace("    return", "    assert i >= 0\n    i = 1\n    return")
    with pytest.raises(InvalidProgram, match="P120"):
        decide_text(HEAD + late, "exp_down")


def test_the_traps_are_programs_that_would_be_proved_without_the_trap():
    honest = HEAD + TRAPS["cancel"].replace("y - noise", "y")
    assert proved(honest).bound == "epsilon"


@pytest.mark.parametrize("answer", RIGHT)
def test_real_noise_may_be_moved_by_any_amount(answer):
    bound = "epsilon / 2" if "x / 2" in answer else "epsilon"
    assert proved(HEAD + TRAPS["cancel"].replace("y - noise", answer)).bound == bound
    assert unproved(HEAD + TRAPS["cancel"].replace("y - noise", answer.replace("x", "4 * x")))


def test_a_claim_of_the_sum_of_public_prices_is_no_error():
    """Nothing is known of the sum of a public list: the claim is not proved, and the search goes on."""
    text = """
from lapwing import *


@mechanism(rows=added(), claim="sum(eps)")
def f(rows: list[float], eps: list[float]) -> float:
    return sum(clip(r, 0, 1) for r in rows) + laplace(1 / eps[0])
"""
    assert unproved(text)

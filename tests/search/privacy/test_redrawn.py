"""Sparse vector as textbooks write it: the threshold is drawn again after each answer, the last time for nothing."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.proving import unproved

HEAD = """
from lapwing import each, laplace, mechanism

@mechanism(q=each(1), claim="epsilon")
def redrawn(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    bar = threshold + laplace(2 * limit / epsilon)
    out = []
"""
ABOVE = "x + laplace(4 * limit / epsilon) >= bar"
AGAIN = "bar = threshold + laplace(2 * limit / epsilon)"
BODIES = {
    "break": f"""
    count = 0
    for x in q:
        if {ABOVE}:
            out.append(True)
            {AGAIN}
            count += 1
            if count >= limit:
                break
        else:
            out.append(False)
    return out
""",
    "test after the branch": f"""
    count = 0
    for x in q:
        if {ABOVE}:
            out.append(True)
            count += 1
            {AGAIN}
        else:
            out.append(False)
        if count == limit:
            return out
    return out
""",
    "while": f"""
    count = 0
    i = 0
    while i < len(q) and count < limit:
        x = q[i]
        if {ABOVE}:
            out.append(True)
            count += 1
            {AGAIN}
        else:
            out.append(False)
        i += 1
    return out
""",
    "counting down": f"""
    left = limit
    for x in q:
        if not ({ABOVE}):
            out.append(False)
            continue
        out.append(True)
        left -= 1
        {AGAIN}
        if left == 0:
            return out
    return out
""",
    "done": f"""
    count = 0
    done = False
    for x in q:
        if not done:
            if {ABOVE}:
                out.append(True)
                count += 1
                {AGAIN}
                done = count >= limit
            else:
                out.append(False)
    return out
""",
}


@pytest.mark.parametrize("how", BODIES)
def test_what_is_drawn_for_nothing_costs_nothing(how):
    verdict = decide_text(HEAD + BODIES[how], "redrawn")
    assert (verdict.verdict, verdict.bound) == ("proved", "epsilon"), verdict.reason


WRONG = {
    "break": ("count >= limit", "count > limit"),
    "done": ("count >= limit", "count > limit"),
    "while": ("4 * limit / epsilon", "3 * limit / epsilon"),
    "counting down": ("left == 0", "left < 0"),
}


@pytest.mark.parametrize("how", WRONG)
def test_one_answer_more_or_less_noise_is_not_proved(how):
    wrong = BODIES[how].replace(*WRONG[how])
    assert wrong != BODIES[how]
    assert unproved(HEAD + wrong, "redrawn")

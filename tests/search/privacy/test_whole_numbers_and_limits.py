"""Loops with whole-number noise, with differences, and with limits that are not reached in a few rounds."""

import pytest

from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

WINNER = """
@mechanism(counts={relation}(1), claim="epsilon")
def winner(counts: list[int], epsilon: float) -> int:
    best = 0
    at = -1
    for i, c in enumerate(counts):
        v = c + discrete_laplace({scale} / epsilon)
        if at == -1 or v > best:
            best = v
            at = i
    return at
"""
STEP = """
@mechanism(q=each(1), claim="epsilon")
def step(q: list[float], epsilon: float) -> int:
    at = 0
    best = 0.0
    for i in range(len(q) - 1):
        v = q[i + 1] - q[i] + laplace({scale} / epsilon)
        if i == 0 or v > best:
            best = v
            at = i
    return at
"""
COOLING = """
@mechanism(q=each(1), claim="epsilon")
def cooling(q: list[float], t: float, limit: int, epsilon: float) -> list[int]:
    assert limit >= 1
    bar = t + laplace(2 / epsilon)
    found = []
    pause = 0
    for i, x in enumerate(q):
        if pause > 0:
            pause -= 1
            continue
        if x + laplace({scale} * limit / epsilon) >= bar:
            found.append(i)
            pause = 2
            if len(found) >= limit:
                break
    return found
"""
REPORTS = """
@mechanism(bit=replaced(), claim="ln({odds})")
def reports(bit: bool, rounds: int) -> list[bool]:
    permanent = bit
    if flip(1 / 2):
        permanent = flip(1 / 2)
    out = []
    for _ in range(rounds):
        if permanent:
            out.append(flip(3 / 4))
        else:
            out.append(flip(1 / 2))
    return out
"""


@pytest.mark.parametrize(
    "text",
    [
        WINNER.format(relation="each", scale=2),  # an invariant over numbers, not over whole numbers
        WINNER.format(relation="monotone", scale=1),
        STEP.format(scale=4),  # a difference of two moves by two
        COOLING.format(scale=4),  # no second yes in three rounds: the limit is reached later
        REPORTS.format(odds=3),  # what a coin may have changed is released
    ],
)
def test_proved(text):
    assert proved(HEAD + text) is not None


@pytest.mark.parametrize(
    "text",
    [
        WINNER.format(relation="each", scale=1),
        REPORTS.format(odds=2),
    ],
)
def test_with_less_noise_it_is_not(text):
    assert unproved(HEAD + text)

"""Mechanisms on records, proved as mechanisms on totals; and what must not be read as one."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.errors import InvalidProgram
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.lifting import lift
from lapwing.kernel.folds.prices import Folds
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text

HEAD = "from lapwing import added, clip, laplace, mechanism, replaced\n\n"

LOOP = """
@mechanism(rows=added(), claim="epsilon")
def f(rows: list[int], k: int, epsilon: float) -> int:
    best = -1
    top = 0.0
    for j in range(k):
        n = sum(1 for r in rows if r == j) + laplace(1 / epsilon)
        if best < 0 or n > top:
            top = n
            best = j
    return best
"""
COUNTED = """
@mechanism(rows=added(), claim="epsilon")
def f(rows: list[int], k: int, epsilon: float) -> int:
    best = -1
    top = 0.0
    for j in range(k):
        n = 0
        for r in rows:
            if r == j:
                n += 1
        v = n + laplace(1 / epsilon)
        if best < 0 or v > top:
            top = v
            best = j
    return best
"""
LISTED = """
@mechanism(rows=replaced(), claim="epsilon")
def f(rows: list[float], cuts: list[float], epsilon: float) -> int:
    counts = [sum(1 for r in rows if r < c) for c in cuts]
    best = -1
    top = 0.0
    for i, n in enumerate(counts):
        v = n + laplace(2 / epsilon)
        if best < 0 or v > top:
            top = v
            best = i
    return best
"""
ABOVE = """
@mechanism(rows=added(), claim="epsilon")
def f(rows: list[float], cuts: list[float], limit: float, epsilon: float) -> int:
    t = limit + laplace(2 / epsilon)
    for i, c in enumerate(cuts):
        n = sum(clip(r, 0, 1) for r in rows if r < c)
        if n + laplace(4 / epsilon) >= t:
            return i
    return -1
"""


@pytest.mark.parametrize("text", [LOOP, COUNTED, LISTED, ABOVE])
def test_a_mechanism_on_totals_is_proved(text):
    decision = decide_text(HEAD + text, "f")
    assert decision.verdict == "proved"
    assert decision.certificate.method == "lift"
    assert "one record r adds" in decision.story
    assert "%" not in decision.story


@pytest.mark.parametrize("text", [LISTED, ABOVE])
def test_half_the_noise_is_not_enough(text):
    half = text.replace("laplace(2 / epsilon)", "laplace(1 / epsilon)").replace("4 / epsilon", "2 / epsilon")
    assert decide_text(HEAD + half, "f", limit=8).verdict != "proved"


LEAKS = {
    "a record is told": LOOP.replace("return best", "return rows[0]"),
    "totals that noise decides": LOOP.replace("if r == j)", "if r == j and r < top)"),
    "what the last record left": COUNTED.replace("return best", "return best if r > 3 else 0").replace(
        "    best = -1", "    r = 0\n    best = -1", 1
    ),
}


def test_a_total_that_is_told_is_not_proved():
    told = LOOP.replace("return best", "return best if len(rows) > 3 else 0")
    assert decide_text(HEAD + told, "f", limit=8).verdict != "proved"


@pytest.mark.parametrize("name", LEAKS)
def test_records_used_for_more_than_totals_are_refused(name):
    mechanism = parse_text(HEAD + LEAKS[name])["f"]
    with pytest.raises((Unproved, InvalidProgram)):
        lift(Folds(Terms(), mechanism, "epsilon"))

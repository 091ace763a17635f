"""Mechanisms on records, proved as mechanisms on totals; and what must not be read as one."""

from dataclasses import replace

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.errors import InvalidProgram
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Fold, Lift
from lapwing.kernel.folds.lifting import confirm, lift
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.program import printer
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import added, clip, laplace, ln, mechanism, replaced\n\n"

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
    assert decision.certificate.method in ("fold", "lift")
    assert "one record r adds" in decision.story
    assert "%" not in decision.story


@pytest.mark.parametrize("text", [LISTED, ABOVE])
def test_half_the_noise_is_not_enough(text):
    half = text.replace("laplace(2 / epsilon)", "laplace(1 / epsilon)").replace("4 / epsilon", "2 / epsilon")
    assert unproved(HEAD + half, "f")


LEAKS = {
    "a record is told": LOOP.replace("return best", "return rows[0]"),
    "totals that noise decides": LOOP.replace("if r == j)", "if r == j and r < top)"),
    "what the last record left": COUNTED.replace("return best", "return best if r > 3 else 0").replace(
        "    best = -1", "    r = 0\n    best = -1", 1
    ),
}


def test_a_total_that_is_told_is_not_proved():
    told = LOOP.replace("return best", "return best if len(rows) > 3 else 0")
    assert unproved(HEAD + told, "f")


@pytest.mark.parametrize("name", LEAKS)
def test_records_used_for_more_than_totals_are_refused(name):
    mechanism = parse_text(HEAD + LEAKS[name])["f"]
    with pytest.raises((Unproved, InvalidProgram)):
        lift(Folds(Terms(), mechanism, "epsilon"))


UNDEFINED = """
@mechanism(rows=added(), claim="epsilon")
def f(rows: list[float], k: float, epsilon: float) -> float:
    t = sum(clip(r, 0, 1) * (100 if k == 1 else 1) for r in rows)
    return t + laplace(1 / epsilon)
"""


@pytest.mark.parametrize("distance", ["(k - 1) / (k - 1)", "1 + 0 / (k - 1)", "1 + 0 * (1 // (k - 1))"])
def test_a_distance_that_divides_by_zero_says_nothing(distance, monkeypatch):
    """With k = 1 a record moves the total by 100, and the distance has no value: it is 1 for all other k."""
    monkeypatch.setattr(printer, "fingerprint", lambda *_: "any")
    inner = Certificate("forged.py", "f", "any", "epsilon", "epsilon", "epsilon", Fold())
    module = parse_text(HEAD + UNDEFINED)
    forged = replace(inner, proof=Lift(((distance, False),), inner))
    assert isinstance(check_certificate(forged, module), Rejected)
    sound = parse_text(HEAD + UNDEFINED.replace("t =", "assert k != 1\n    t ="))
    assert isinstance(check_certificate(forged, sound), Proved)


GUARDED = """
@mechanism(rows=added(), claim="epsilon")
def f(rows: list[float], n: int, epsilon: float) -> bool:
    assert n >= 0
    assert epsilon > 0
    if n >= 1:
        t = sum([1 / n for x in rows])
        return t + laplace((2 * n - 1) / epsilon) > 0
    s = sum([clip(x, 0, 1) for x in rows])
    return s + laplace(0.01 / epsilon) > 0
"""


def test_a_distance_below_zero_says_nothing():
    """Of n = 0 no neighbours would be left, and so everything would be proved of it; 2 n - 1 is enough elsewhere."""
    folds = Folds(Terms(), parse_text(HEAD + GUARDED)["f"], "epsilon")
    with pytest.raises(Unproved, match="may move total_1"):
        confirm(folds, lift(folds), (("2 * n - 1", False), ("1", False)))


STABLE = """
@mechanism(rows=added(), claim=("epsilon", "delta"))
def f(rows: list[int], item: int, epsilon: float, delta: float) -> float:
    assert 0 < delta and delta < 0.5 and epsilon > 0
    n = sum({part} for r in rows if r == item)
    out = 0.0
    if n > 0:
        noisy = n + laplace(1 / epsilon)
        if noisy > 1 + ln(1 / delta) / epsilon:
            out = noisy
    return out
"""


def stable(part="1"):
    return HEAD + STABLE.format(part=part)


def test_a_total_with_a_threshold_is_proved_with_its_delta():
    found = proved(stable())
    assert isinstance(found.proof, Lift)
    assert (found.measure, found.bound, found.delta) == ("approximate", "epsilon", "delta")


def test_a_total_that_moves_further_is_not():
    assert unproved(stable(part="2"))


def test_both_parts_of_a_bound_are_those_of_the_mechanism_on_totals():
    found = proved(stable())
    module = parse_text(stable())
    for other in ({"delta": "delta / 2"}, {"delta": "0"}, {"bound": "epsilon / 2"}):
        assert isinstance(check_certificate(replace(found, **other), module), Rejected)
        inner = replace(found.proof, mechanism=replace(found.proof.mechanism, **other))
        assert isinstance(check_certificate(replace(found, proof=inner), module), Rejected)

"""Inputs on which alignments broke are where violations are found first, and sometimes only there."""

from fractions import Fraction

import pytest

from lapwing.decide import privacy as verdicts
from lapwing.decide.privacy import decide_text
from lapwing.search.privacy import Failed, attempts
from lapwing.source.parse import parse_text

HEAD = "from lapwing import laplace, mechanism, one, within\n\n\n"
#: Private but for one value of a public parameter, or one of the private number, that no pattern of a search has.
DOORS = {
    "public_door": """@mechanism(x=within(1), claim="epsilon")
def public_door(x: float, door: int, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    if door == 1234:
        noise = 0
    return x + noise
""",
    "private_door": """@mechanism(x=within(1), claim="epsilon")
def private_door(x: float, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    if 3 * x == 3702:
        noise = 0
    return x + noise
""",
    "list_door": """@mechanism(q=one(1), claim="epsilon")
def list_door(q: list[float], door: int, epsilon: float) -> list[float]:
    out = []
    for i, x in enumerate(q):
        if i + door == 58:
            out.append(x)
        else:
            out.append(x + laplace(1 / epsilon))
    return out
""",
}


def _suspects(name):
    module = parse_text(HEAD + DOORS[name], only=name)
    failed = [each for each in attempts(module, name, "<text>") if isinstance(each, Failed)]
    return [each for failure in failed for each in failure.suspects]


def _without_hints(monkeypatch):
    search = verdicts.refute
    monkeypatch.setattr(verdicts, "refute", lambda subject, **words: search(subject, **{**words, "hints": ()}))


@pytest.mark.parametrize("name", DOORS)
def test_a_door_that_no_pattern_opens_is_found_through_the_failed_proof(name):
    decision = decide_text(HEAD + DOORS[name], name)
    assert decision.verdict == "refuted"


@pytest.mark.parametrize("name", ["private_door"])
def test_without_the_failed_proof_it_stays_unknown(name, monkeypatch):
    _without_hints(monkeypatch)
    decision = decide_text(HEAD + DOORS[name], name)
    assert decision.verdict == "unknown"


def test_suspects_are_neighbours_at_the_door():
    both = [(each.left["x"], each.right["x"]) for each in _suspects("private_door")]
    assert any(Fraction(1234) in pair for pair in both)
    assert all(abs(left - right) <= 1 for left, right in both)
    assert any(each.left.get("door") == each.right.get("door") == 1234 for each in _suspects("public_door"))


def test_lists_are_as_long_as_the_failed_run():
    for each in _suspects("list_door"):
        assert len(each.left["q"]) == len(each.right["q"]) <= 3
        assert sum(a != b for a, b in zip(each.left["q"], each.right["q"], strict=True)) <= 1


def test_public_parameters_that_did_not_matter_are_left_out():
    assert all("epsilon" not in each.left for each in _suspects("public_door"))

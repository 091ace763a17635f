"""What is said of a mechanism that was not decided: why, and what would work."""

import json
import re

import pytest
from click.testing import CliRunner

from lapwing.cli.prove import prove
from lapwing.decide import privacy, proof_search
from lapwing.decide.privacy import decide_text
from lapwing.decide.reasons_for_unknown import HAPPENED, NOT_FOLLOWED, as_reason, happened, instead
from lapwing.decide.time_limits import OutOfTime
from lapwing.kernel.program.spans import Span
from lapwing.search.privacy import Failed

HEAD = "from lapwing import added, laplace, mechanism, within\n\n\n"
RIGHT = """@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    assert epsilon > 0
    return x + laplace(1 / epsilon)
"""
#: On [] against [True] the loss is infinite, which delta allows.
ALLOWED = """@mechanism(rows=added(), claim=("epsilon", "delta"))
def f(rows: list[bool], epsilon: float, delta: float) -> float:
    assert epsilon == 1 and delta == 0.1
    n = len(rows)
    if n > 0:
        noisy = n + laplace(1)
        if noisy > 5:
            return noisy
    return 0
"""


@pytest.mark.parametrize(("start", "kind"), HAPPENED)
def test_what_happened_is_told_by_how_a_reason_begins(start, kind):
    assert happened(f"{start} of something (line 3)") == kind
    assert as_reason(f"{start}: x") == f"{start}: x"


def test_a_construct_is_said_not_to_be_followed():
    told = as_reason("sensitivities do not follow a branch (line 8)")
    assert told == "not followed: sensitivities do not follow a branch (line 8)"
    assert happened(told) == NOT_FOLLOWED
    assert as_reason(told) == told
    assert "noise first" in instead(told)


def test_a_fault_of_ours_is_no_construct_and_has_no_remedy():
    told = "a proof of epsilon and a larger loss were both accepted; please report this program"
    assert as_reason(told) == told
    assert instead(told) is None


def test_a_price_that_is_too_high_is_told_before_what_failed_at_the_claim():
    told = "only at a higher price: 2 * epsilon is proved; no shift works at this price: x"
    assert happened(told) == "only at a higher price"
    assert instead(told) == "Claim the bound that is proved, or draw more noise"


def test_nothing_is_advised_where_nothing_is_known():
    assert instead("the moon is full") is None


@pytest.fixture
def stopped(monkeypatch):
    """No proof is found, for a reason."""

    def by(reason):
        for room in (privacy, proof_search):
            monkeypatch.setattr(room, "attempts", lambda *_: iter([Failed(reason, Span(7, 1, 7, 2))]))
        monkeypatch.setattr(privacy, "SIZES", 1)

    return by


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("this product or quotient is not linear", "by public numbers only"),
        ("a total that was clipped, or whose size was taken, is added to another", "Clip the records"),
        ("something that nobody has thought of", None),
    ],
)
def test_an_unknown_comes_with_what_would_work(stopped, reason, advice):
    stopped(reason)
    decision = decide_text(HEAD + RIGHT, "f")
    assert (decision.verdict, decision.why, decision.blocked) == ("unknown", NOT_FOLLOWED, 7)
    assert decision.reason == f"not followed: {reason} (line 7)"
    assert decision.remedy is None if advice is None else advice in decision.remedy
    found = json.loads(json.dumps(decision.to_json()))
    assert (found["why"], found["remedy"]) == (decision.why, decision.remedy)


def test_what_is_decided_has_no_remedy():
    decision = decide_text(HEAD + RIGHT, "f")
    assert (decision.verdict, decision.why, decision.remedy) == ("proved", None, None)


def test_the_remedy_is_said_to_people(stopped, tmp_path):
    stopped("this product or quotient is not linear")
    file = tmp_path / "f.py"
    file.write_text(HEAD + RIGHT)
    said = " ".join(CliRunner().invoke(prove, [str(file)]).output.split())
    assert "What would work: Multiply and divide private values and noise by public numbers only." in said
    assert re.search(r"Largest loss found [\d.]+ of [\d./]+ allowed, of the answer ", said)


def test_beside_a_delta_the_largest_delta_is_told_and_no_loss(stopped, tmp_path):
    stopped("it is not")
    file = tmp_path / "f.py"
    file.write_text(HEAD + ALLOWED)
    said = " ".join(CliRunner().invoke(prove, [str(file)]).output.split())
    assert "loss found infinite" not in said
    assert "Largest delta found 0.0091578" in said  # e^-4 / 2: one row is shown, and none cannot be
    assert "at epsilon = 1, of 1/10 allowed" in said


@pytest.mark.parametrize(
    ("before", "why"),
    [("private data decide how often", "out of time"), ("no shift works at this price", "no shift works")],
)
def test_that_time_ran_out_is_said_unless_more_is_known(monkeypatch, before, why):
    """What one method does not follow is not why there is no proof, if another had no time."""

    def late(*_):
        yield Failed(before, Span(5, 0, 5, 1))
        raise OutOfTime

    for room in (privacy, proof_search):
        monkeypatch.setattr(room, "attempts", late)
    verdict = decide_text(HEAD + RIGHT, "f")
    assert (verdict.verdict, verdict.why) == ("unknown", why)
    assert before in verdict.reason
    assert "(line 5)" in verdict.reason

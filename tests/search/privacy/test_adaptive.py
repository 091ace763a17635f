"""Adaptive adversaries: what is proved of a mechanism that asks a function, what is refuted, and what neither."""

import pytest

from lapwing.decide.claim_violation import refute_module
from lapwing.decide.privacy import decide_text
from lapwing.source.parse import parse_text
from tests.search.privacy.adaptive import RIGHT, WRONG
from tests.search.privacy.proving import proved, unproved

#: Wrong ones that a fixed list of queries already breaks.
REFUTED = {"silent", "exact", "alone", "two", "counted", "answered"}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_is_proved(name):
    assert proved(RIGHT[name]) is not None


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not(name):
    assert unproved(WRONG[name])


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_a_fixed_list_of_queries_may_be_enough(name):
    verdict = refute_module(parse_text(WRONG[name], "m.py"), "m", "m.py", max_n=2)
    assert verdict.verdict == "refuted"


def test_what_is_proved_is_not_refuted():
    verdict = refute_module(parse_text(RIGHT["first"], "m.py"), "m", "m.py", max_n=1)
    assert verdict.verdict == "nothing found"
    assert verdict.losses[1] > 0.1


def test_a_function_that_is_handed_on_is_not_searched():
    decision = decide_text(RIGHT["many"].replace("2 * sqrt(2 * c", "sqrt(2 * c"), "m", limit=3)
    assert decision.verdict == "unknown"
    assert "is handed a function" in decision.reason

"""What people write in many ways is decided in all of them, and never wrongly.

Every third program is decided by default; set LAPWING_SPELLINGS to decide them all.
"""

import os

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.spellings import spellings

#: Claims that are not decided, each with the reason.
OPEN = {
    "noise_list_svt_list": "the shifts of noise drawn up front would depend on answers that come later",
}
STEP = 1 if os.environ.get("LAPWING_SPELLINGS") else 3


@pytest.mark.parametrize("spelling", [pytest.param(each, id=each.name) for each in list(spellings())[::STEP]])
def test_a_spelling_is_decided(spelling):
    verdict = decide_text(spelling.text, spelling.name, limit=20).verdict
    assert verdict == ("unknown" if spelling.name in OPEN else "proved" if spelling.true else "refuted")


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_not_decided(name):
    spelling = next(each for each in spellings() if each.name == name)
    assert decide_text(spelling.text, name, limit=5).verdict == "unknown"


def test_there_are_many_of_each_kind():
    every = list(spellings())
    names = [each.name for each in every]
    assert len(set(names)) == len(names)
    for kind, least in {"sparse": 30, "max": 24, "lists": 14, "records": 11, "corners": 8}.items():
        assert sum(each.kind == kind and each.true for each in every) >= least
        assert sum(each.kind == kind and not each.true for each in every) >= least

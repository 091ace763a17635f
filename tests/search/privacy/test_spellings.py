"""What people write in many ways is decided in all of them, and never wrongly.

Every third program is decided by default; set LAPWING_SPELLINGS to decide them all.
"""

import os

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.spellings import spellings

STEP = 1 if os.environ.get("LAPWING_SPELLINGS") else 3


@pytest.mark.parametrize("spelling", [pytest.param(each, id=each.name) for each in list(spellings())[::STEP]])
def test_a_spelling_is_decided(spelling):
    verdict = decide_text(spelling.text, spelling.name, limit=20).verdict
    assert verdict == ("proved" if spelling.true else "refuted")


def test_there_are_many_of_each_kind():
    every = list(spellings())
    names = [each.name for each in every]
    assert len(set(names)) == len(names)
    for kind, least in {"sparse": 30, "max": 24, "lists": 14, "records": 11, "corners": 8}.items():
        assert sum(each.kind == kind and each.true for each in every) >= least
        assert sum(each.kind == kind and not each.true for each in every) >= least

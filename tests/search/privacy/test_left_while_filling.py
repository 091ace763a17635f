"""Lists of zeros in which a loop marks places until it is left."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}
MARKED = [each for each in strangers() if each.shelf == "laid_out" and "_marked" in each.name]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in MARKED])
def test_marks_are_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]

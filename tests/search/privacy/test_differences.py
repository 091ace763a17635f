"""Two sums over records of which only the difference is looked at."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in strangers() if e.shelf == "differences"])
def test_a_difference_is_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]

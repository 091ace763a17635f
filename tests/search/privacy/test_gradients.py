"""Steps of descent along gradients that are clipped products of a record's fields and of what was released before."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.proving import unproved
from tests.strangers import strangers

SHELF = [pytest.param(each, id=each.name) for each in strangers() if each.shelf == "gradients"]
RIGHT, WRONG = ([each for each in SHELF if each.values[0].truth == truth] for truth in ("right", "wrong"))


@pytest.mark.parametrize("program", RIGHT)
def test_a_right_one_is_proved(program):
    assert decide_text(program.text, program.name).verdict == "proved"


@pytest.mark.parametrize("program", WRONG)
def test_a_wrong_one_is_not_proved(program):
    assert unproved(program.text)

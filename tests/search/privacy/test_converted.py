"""Claims of an ε that is made of a ρ, as strangers write them: what is right is proved, in a few seconds."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.proving import unproved
from tests.strangers import strangers

SHELF = [each for each in strangers() if each.shelf == "converted"]


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in SHELF if e.truth == "right"])
def test_right(program):
    assert decide_text(program.text, program.name).verdict == "proved"


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in SHELF if e.truth == "wrong"])
def test_wrong(program):
    assert unproved(program.text, program.name)

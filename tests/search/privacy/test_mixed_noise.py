"""Steps with Gaussian noise beside steps with other noise share an (ε, δ) claim."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

SHELF = [each for each in strangers() if each.shelf == "mixed"]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in SHELF])
def test_it_is_decided(program):
    assert decide_text(program.text, program.name).verdict == {"right": "proved", "wrong": "refuted"}[program.truth]

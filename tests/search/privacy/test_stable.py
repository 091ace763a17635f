"""Counts that are shown only where they are large, with the return or the test where people put them."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

SHELF = [each for each in strangers() if each.shelf == "stable"]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in SHELF])
def test_it_is_decided(program):
    assert decide_text(program.text, program.name).verdict == {"right": "proved", "wrong": "refuted"}[program.truth]

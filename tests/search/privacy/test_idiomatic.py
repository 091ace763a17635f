"""Mechanisms in the idioms of Python's built-ins are decided like those that are written out."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

SHELF = [each for each in strangers() if each.shelf == "idioms"]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in SHELF])
def test_an_idiom_is_decided(program):
    assert decide_text(program.text, program.name).verdict == {"right": "proved", "wrong": "refuted"}[program.truth]

"""Helpers in idioms, which return from inside loops and have defaults, and ``else`` after a loop."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in strangers() if e.shelf == "helpers"])
def test_it_is_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]

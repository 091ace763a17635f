"""Noise whose scale has a root in it, and is set before the loop that draws."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize(
    "program", [pytest.param(e, id=e.name) for e in strangers() if e.shelf == "scales_before_loops"]
)
def test_a_vector_is_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]

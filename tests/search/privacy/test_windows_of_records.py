"""Windows, blocks, trees, single elements and steps of records, as strangers write them: all decided."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in strangers() if e.shelf == "windows"])
def test_a_window_is_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]

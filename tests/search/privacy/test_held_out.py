"""The whole road on programs that nothing was tuned on: wrong ones are refuted, right ones proved."""

import re
from pathlib import Path

import pytest

from lapwing.decide.privacy import decide

FILE = Path(__file__).parent / "held_out.py"
NAMES = re.findall(r"^def (\w+)", FILE.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_verdict(name):
    assert decide(str(FILE), name, 20.0).verdict == ("proved" if name.startswith("fine_") else "refuted")


def test_there_are_both_kinds():
    assert 0 < sum(name.startswith("fine_") for name in NAMES) < len(NAMES)

"""The page that stands beside the peers says what the programs are, and none of its verdicts is wrong."""

import re

import pytest
from benchmarks.peers import PAGE, PROGRAMS, ROOT

from lapwing.source.parse import parse_file

ROWS = re.findall(r"^\| ([^|]+) \| `(\w+)` \| (proved|refuted|unknown) \|", PAGE.read_text(), re.MULTILINE)
KNOWN = [each for many in PROGRAMS.values() for each in many]


def test_the_page_has_every_program_in_order():
    assert [(there, here) for there, here, _ in ROWS] == [(there, here) for there, _, here, _, _ in KNOWN]


@pytest.mark.parametrize(("row", "known"), list(zip(ROWS, KNOWN, strict=True)), ids=[each[0] for each in KNOWN])
def test_no_verdict_is_wrong_and_every_program_is_there(row, known):
    *_, verdict = row
    _, file, name, truth, _ = known
    assert verdict in (truth, "unknown")
    assert name in [each.name for each in parse_file(ROOT / "corpus" / f"{file}.py").mechanisms]


def test_nine_of_ten_are_decided():
    assert sum(verdict != "unknown" for *_, verdict in ROWS) >= 0.9 * len(ROWS)

"""Tables filled from records are read as runs fill them, and none that is proved loses more than its bound."""

import os

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.falsify import violation
from tests.kernel.folds.generator import HEAD
from tests.kernel.folds.tables import table
from tests.kernel.folds.test_exact import compared
from tests.kernel.folds.test_generated import proved

PART = 12
PARTS = 60 if os.environ.get("LAPWING_THOROUGH") else 2
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 3
#: Of so many programs, this many are proved, or compared with runs, at the least.
FEWEST = 1
#: For each bound, as there are many programs.
SECONDS = 2.0


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_proved_of_a_table_is_kept(part):
    count = 0
    for seed in range(part * PART, (part + 1) * PART, STEP):
        example = table(seed)
        try:
            module = parse_text(HEAD + example.text)
        except InvalidProgram:
            continue
        bound = proved(module["f"], SECONDS)
        if bound is not None:
            count += 1
            assert violation(module, example, lambda _shared, _length, bound=bound: bound, seed) is None, example.text
    assert count >= FEWEST


@pytest.mark.parametrize("part", range(PARTS))
def test_tables_are_what_runs_compute(part):
    seeds = range(part * PART, (part + 1) * PART)
    assert sum(compared(table(seed, noise=False).text, seed) > 0 for seed in seeds) >= FEWEST

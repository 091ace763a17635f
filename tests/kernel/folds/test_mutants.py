"""Of provable programs with parts changed, none that is still proved loses more than its bound on neighbours tried."""

import os

import pytest

from lapwing.errors import LapwingError
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy.bounds import read
from lapwing.search.privacy.folds import by_folds
from lapwing.search.privacy.outcome import Found
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.falsify import violation
from tests.kernel.folds.generator import Program
from tests.kernel.folds.mutants import HEAD, mutant

PART = 40
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 2
PARTS = 100 if os.environ.get("LAPWING_THOROUGH") else 2
#: Of so many programs, this many are valid and have a proved bound above 0, so that the test says something.
FEWEST = 2 // STEP
WORDS = {ir.Real(): "float", ir.Integer(): "int", ir.Boolean(): "bool"}


def proved(text):
    """The module, and the bound of its mechanism as a function of what is public, if there is one."""
    try:
        module = parse_text(HEAD + text)
        found = [each for each in by_folds(module["f"]) if isinstance(each, Found)]
    except (LapwingError, Unproved):
        return None
    return (module, found[0].bound) if found else None


def example(module, text, relation, private):
    kind = module["f"].parameter(private).type
    word = f"list[{WORDS[kind.element]}]" if isinstance(kind, ir.List) else WORDS[kind]
    return Program(text, private, relation, word)


def most(bound):
    """The bound as a number, given what is public and how many records there are."""
    formula = read(bound)
    return lambda shared, length: enclosed(formula, {**shared, "xs": [0] * length, "v": 0}).upper


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_proved_is_kept(part):
    above = 0
    for seed in range(part * PART, (part + 1) * PART, STEP):
        text, relation, private = mutant(seed)
        found = proved(text)
        if found is None:
            continue
        module, bound = found
        above += bound != "0"

        assert violation(module, example(module, text, relation, private), most(bound), seed) is None, text
    assert above >= FEWEST

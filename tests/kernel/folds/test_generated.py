"""Of random programs, none that sums over records prove loses more than its bound on any neighbours that are tried."""

import os
from fractions import Fraction

import pytest

from lapwing.errors import InvalidProgram
from lapwing.kernel.boundary import SECONDS, Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.falsify import violation
from tests.kernel.folds.generator import HEAD, generated

BOUNDS = ("0", "1/2", "1", "2", "4")
PART = 50
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 2
PARTS = 80 if os.environ.get("LAPWING_THOROUGH") else 4


def proved(mechanism, seconds=SECONDS):
    """The smallest of some bounds that is confirmed in so many seconds each, if the largest is."""
    if not _confirmed(mechanism, BOUNDS[-1], seconds):
        return None
    return next(Fraction(bound) for bound in BOUNDS if bound == BOUNDS[-1] or _confirmed(mechanism, bound, seconds))


def _confirmed(mechanism, bound, seconds):
    try:
        Folds(Terms(milliseconds=200, limit=Limit(seconds)), mechanism, "epsilon").confirm(formula(bound), None)
    except Unproved:
        return False
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_proved_is_kept(part):
    for seed in range(part * PART, (part + 1) * PART, STEP):
        example = generated(seed)
        try:
            module = parse_text(HEAD + example.text)
        except InvalidProgram:
            continue
        bound = proved(module["f"])
        if bound is not None:
            assert violation(module, example, lambda _shared, _length, bound=bound: bound, seed) is None, example.text

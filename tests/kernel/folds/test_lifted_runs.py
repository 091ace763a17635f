"""A mechanism on records, run, answers what the mechanism on totals answers to its totals, whatever is drawn."""

import os
import random
from fractions import Fraction

import pytest

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.lifting import lift
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.falsify import Runs
from tests.kernel.folds.leaks import HEAD as LEAKS_HEAD
from tests.kernel.folds.leaks import LEAKS
from tests.kernel.folds.leaks_by_place import LEAKS_BY_PLACE
from tests.kernel.folds.meaning import Unknown, flat, inputs, said, settled
from tests.kernel.folds.mutants import HEAD, mutant

PART = 150
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 2
PARTS = 60 if os.environ.get("LAPWING_THOROUGH") else 2
#: Of so many mutants, this many are read as mechanisms on totals, and their runs compared.
FEWEST = 10 // STEP


def totals(lifted, here, records):
    """What the new parameters stand for."""
    found = {}
    for each in lifted.totals:
        if each.listed:
            places = range(int(said(type(each.number)(each.length), here, records)))
            found[each.name] = [said(each.number, {**here, each.place: place}, records) for place in places]
        else:
            found[each.name] = said(each.number, here, records)
    return found


def compared(text, seed):
    """How many runs of a program were compared; none may differ."""
    try:
        module = parse_text(text)
        mechanism = list(module)[-1]
        lifted = lift(Folds(Terms(milliseconds=200), mechanism, "epsilon"))
        other = lifted.with_distances([("1", False)] * len(lifted.totals))
    except (LapwingError, Unproved):
        return 0
    chance, count = random.Random(seed), 0
    runs, on_totals = Runs(module, mechanism.name), Runs(other, mechanism.name)
    for _ in range(12):
        given = inputs(chance, mechanism)
        noise = [Fraction(chance.randint(-4000, 4000), 997) for _ in range(60)]
        here, records = settled(mechanism, given)
        try:
            answer, drawn = runs(given, noise)
            answers = on_totals({**given, **totals(lifted, here, records)}, noise)
        except (InvalidInput, Unknown):
            continue
        assert (flat(answer), len(drawn)) == (flat(answers[0]), len(answers[1])), (text, given)
        count += 1
    return count


@pytest.mark.parametrize("part", range(PARTS))
def test_mutants_answer_alike(part):
    seeds = range(part * PART, (part + 1) * PART, STEP)
    assert sum(compared(HEAD + mutant(seed)[0], seed) > 0 for seed in seeds) >= FEWEST


def test_leaks_answer_alike():
    assert sum(compared(f"{LEAKS_HEAD}{leak}\n", 0) > 0 for leak in (*LEAKS, *LEAKS_BY_PLACE)) >= FEWEST

"""What a reading says a value is, is what a run computes: for random programs without noise, on random records."""

import ast
import os
import random

import pytest

from lapwing.errors import LapwingError
from lapwing.kernel.boundary import Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.extraction import Extraction
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.folds.ways import Reading
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.falsify import Runs
from tests.kernel.folds.generator import Writer, generated
from tests.kernel.folds.meaning import Unknown, evaluated, flat, inputs, said, settled
from tests.kernel.folds.mutants import HEAD, mutant

PART = 100
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 2
PARTS = 60 if os.environ.get("LAPWING_THOROUGH") else 2
#: Of so many programs, this many answers are compared at the least.
FEWEST = 8 // STEP


TEXTS = {
    "computed": lambda seed: Writer(seed).computed().text,
    "generated": lambda seed: generated(seed).text,
    "mutants": lambda seed: mutant(seed)[0],
}


class Quiet(ast.NodeTransformer):
    """Noise becomes a public number, and a choice a sum of scores."""

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("laplace", "discrete_laplace"):
            return ast.Name("k", ast.Load())
        if name == "choose":
            return ast.Subscript(node.args[0], ast.Name("k", ast.Load()), ast.Load())
        return node


class Told(Extraction):
    """A reading that puts down what is answered instead of refusing what is private."""

    answers: list

    def _give(self, _node, given, state):
        self.answers.append((state.known, given))


def readings(mechanism):
    """What a mechanism answers on each public way through it."""
    folds = Folds(Terms(milliseconds=200, limit=Limit(2.0)), mechanism, "epsilon")
    told = Told(mechanism, folds.records, folds.questions)
    told.answers = []
    told.block(mechanism.body, [Reading(told.parameters())])
    return told.answers


def _answers_in_a_loop(mechanism):
    loops = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    return any(isinstance(each, ir.Return) for loop in loops for each in walk.statements(loop.body))


def compared(text, seed):
    """How many answers of a program were compared; none may differ."""
    quiet = ast.unparse(ast.fix_missing_locations(Quiet().visit(ast.parse(text))))
    try:
        module = parse_text(f"{HEAD}{quiet}\n")
        answers = readings(module["f"])
    except (LapwingError, Unproved):
        return 0
    if _answers_in_a_loop(module["f"]):  # then which of the answers is given is not said
        return 0
    mechanism, chance, count = module["f"], random.Random(seed), 0
    runs = Runs(module, "f")
    for _ in range(12):
        given = inputs(chance, mechanism)
        try:
            answer, _ = runs(given, ())
        except LapwingError:
            continue
        here, records = settled(mechanism, given)
        for known, value in answers:
            try:
                if all(evaluated(each, here) for each in known):
                    found = said(value, here, records)
                    assert flat(found if isinstance(found, tuple) else [found]) == flat(answer), (quiet, given)
                    count += 1
            except (Unknown, Unproved):
                continue
    return count


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", TEXTS)
def test_values_are_what_runs_compute(kind, part):
    count = 0
    for seed in range(part * PART, (part + 1) * PART, STEP):
        count += compared(TEXTS[kind](seed), seed) > 0
    assert count >= FEWEST

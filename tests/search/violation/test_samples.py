"""Runs of every corpus program against exact probabilities of its answers, real numbers in regions."""

from collections import Counter
from itertools import product

import pytest

from lapwing.errors import LapwingError
from lapwing.kernel.distribution.states import Limits
from lapwing.search.violation.landscape import Side, shapes
from lapwing.search.violation.loss import enclosure
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file
from tests.corpus import programs
from tests.kernel.distribution.containing import contains
from tests.search.violation.sampling import p_value, samples

COUNT = 2000
#: Regions that are looked at, at most, of all shapes together.
MOST = 60


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.label)
def test_runs_of_a_corpus_program_match_its_exact_probabilities(program):
    module = parse_file(program.path)
    subject = Subject(module, module[program.mechanism], Limits(states=50_000, seconds=5))
    example = dict(program.example)
    while True:  # the example, or as many of its elements as exact probabilities of real answers allow
        inputs = subject.inputs(example)
        try:
            masses = _masses(Side(subject, inputs))
            break
        except LapwingError:
            example = {name: value[:-1] if isinstance(value, list) else value for name, value in example.items()}
    seen = Counter()
    for answer, times in samples(subject, inputs, COUNT).items():
        found = [event for event in masses if contains(event, answer)]
        seen[found[0] if found else None] += times
    assert p_value(masses, seen) > 1e-7


def _masses(side):
    """Events that exclude each other, with their probabilities."""
    found = {}
    every = shapes(side, side)
    for shape in every[:MOST]:
        regions = list(product(*(hole.partition() for hole in shape.holes)))
        for chosen in regions[:: max(1, len(regions) * len(every) // MOST)]:
            event = shape.filled(chosen)
            found[event] = enclosure(side.chance(event))
    return found

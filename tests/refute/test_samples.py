"""Runs of every corpus program against its exact distribution on the whole-number lattice."""

import pytest

from lapwing.program.parse import parse_file
from lapwing.refute.distribution import Subject
from lapwing.refute.limits import Limits, TooLarge
from tests.corpus import programs
from tests.refute.sampling import impossible, p_value, samples

COUNT = 2000


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.label)
def test_samples_of_a_corpus_program_match_its_exact_distribution(program):
    module = parse_file(program.path)
    subject = Subject(module, module[program.mechanism], limits=Limits(states=200_000))
    example = dict(program.example)
    while True:  # the example, or as many of its elements as an exact distribution of real answers allows
        inputs = subject.inputs(example)
        try:
            whole = subject.distribution(inputs)
            break
        except TooLarge:
            example = {name: value[:-1] if isinstance(value, list) else value for name, value in example.items()}
    seen = samples(subject, inputs, COUNT)
    assert not impossible(whole, seen)
    assert p_value(whole, seen) > 1e-7

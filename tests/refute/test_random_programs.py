"""500 random programs: the exact distribution against samples, against the checker, and answer by answer."""

from fractions import Fraction

import pytest

from lapwing.check.interpret import probability
from lapwing.program.parse import parse_text
from lapwing.refute.distribution import Subject
from tests.program.generate import seeded
from tests.refute.sampling import impossible, p_value, samples

BLOCKS = 10
PER_BLOCK = 50


def subject_and_inputs(seed):
    generated = seeded(seed)
    module = parse_text(generated.text)
    subject = Subject(module, module["program"])
    return subject, subject.inputs(generated.inputs)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_samples_look_like_the_exact_distribution(block):
    for seed in range(block * PER_BLOCK, (block + 1) * PER_BLOCK):
        subject, inputs = subject_and_inputs(seed)
        whole = subject.distribution(inputs)
        seen = samples(subject, inputs, 250)
        assert not impossible(whole, seen), f"program {seed} gave an answer that has no probability"
        # 500 tests at 10^-8: a false alarm once in 200,000 runs of this file
        assert p_value(whole, seen) > 1e-8, f"program {seed}: {seeded(seed).text}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_checker_and_single_answers_agree_with_the_whole_distribution(block):
    for seed in range(block * PER_BLOCK, (block + 1) * PER_BLOCK):
        subject, inputs = subject_and_inputs(seed)
        whole = subject.distribution(inputs)
        total = sum(whole.found(output).lower for output in whole.masses)
        assert 1 - Fraction(1, 10**9) < total <= 1, f"program {seed} lost probability"
        for output in sorted(whole.masses, key=lambda output: -float(whole.masses[output]))[:2]:
            single = subject.probability(inputs, output)
            found = single if not hasattr(single, "enclosure") else single.enclosure()
            listed = whole.probability(output)
            assert found.lower <= listed.upper, f"program {seed}: {output}"
            assert listed.lower <= found.upper, f"program {seed}: {output}"
            other = probability(subject.module, "program", _whole(inputs), output, Fraction(1), 80, 2_000_000)
            assert other.lower <= found.upper, f"program {seed}: {output}"
            assert found.lower <= other.upper, f"program {seed}: {output}"


def _whole(inputs):
    """The checker's values: whole numbers as ints."""

    def of(value):
        if isinstance(value, tuple):
            return tuple(map(of, value))
        return value if isinstance(value, bool) or value.denominator != 1 else value.numerator

    return {name: of(value) for name, value in inputs.items()}

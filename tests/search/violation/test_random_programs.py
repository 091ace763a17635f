"""500 random programs: exact distributions against runs, and event by event."""

from fractions import Fraction

import pytest

from lapwing.errors import LapwingError
from lapwing.kernel.distribution.states import Limits
from lapwing.search.violation.loss import enclosure
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.search.violation.sampling import p_value, samples
from tests.source.generate import seeded

BLOCKS = 10
PER_BLOCK = 50


def computed(block):
    """Programs of a block with their inputs and distributions, as far as those are finite and not too large."""
    for seed in range(block * PER_BLOCK, (block + 1) * PER_BLOCK):
        generated = seeded(seed)
        module = parse_text(generated.text)
        subject = Subject(module, module["program"], Limits(20_000, seconds=2))
        inputs = subject.inputs(generated.inputs)
        try:
            yield seed, subject, inputs, subject.distribution(inputs)
        except LapwingError:
            continue  # an answer with real noise, or products of draws


@pytest.mark.parametrize("block", range(BLOCKS))
def test_runs_look_like_the_exact_distribution(block):
    looked = 0
    for seed, subject, inputs, whole in computed(block):
        seen = samples(subject, inputs, 250)
        looked += 1
        possible = {answer for answer in seen if whole.probability(answer).upper > 0}
        assert possible == set(seen), f"program {seed} gave an answer that has no probability"
        # 500 tests at 10^-8: a false alarm once in 200,000 runs of this file
        assert p_value({each: enclosure(m) for each, m in whole.masses.items()}, seen) > 1e-8, seeded(seed).text
    assert looked > PER_BLOCK // 2


@pytest.mark.parametrize("block", range(BLOCKS))
def test_single_events_agree_with_the_whole_distribution(block):
    for seed, subject, inputs, whole in computed(block):
        total = sum(float(whole.probability(output)) for output in whole.masses)
        assert total == pytest.approx(1, abs=1e-9), f"program {seed} lost probability"
        for output in sorted(whole.masses, key=lambda output: -float(whole.probability(output)))[:2]:
            found, listed = enclosure(subject.chance(inputs, output)), whole.probability(output)
            assert found.lower <= listed.upper, f"program {seed}: {output}"
            assert listed.lower <= found.upper, f"program {seed}: {output}"
            assert found.width <= Fraction(1, 2**40)

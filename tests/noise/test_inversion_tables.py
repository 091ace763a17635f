from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import ball
from lapwing.errors import InvalidInput
from lapwing.noise.inversion_tables import BITS, BUCKETS, FINE_BITS, Table
from tests.noise.scripted import Scripted

weights_lists = st.lists(st.integers(0, 50), min_size=1, max_size=40).filter(any)


def exact_value(weights, uniform, bits):
    """The value that a U beginning with these bits, and followed by zeros, must give."""
    total = sum(weights)
    thresholds = list(accumulate(Fraction(weight, total) for weight in weights))
    return next(i for i, threshold in enumerate(thresholds) if Fraction(uniform, 1 << bits) < threshold)


def draw_at(table, uniform, then=()):
    """The value drawn when U begins with these 80 bits and then the 64-bit words ``then``."""
    fine = uniform & ((1 << FINE_BITS) - 1)
    source = Scripted(buckets=[uniform >> FINE_BITS], fine=[fine], bits=then)
    value = int(table.draw(1, source)[0])
    return value, source


@settings(max_examples=60, deadline=None)
@given(weights=weights_lists, data=st.data())
def test_every_80_bit_uniform_gives_the_value_of_exact_inversion(weights, data):
    total = sum(weights)
    table = Table.of_fractions(weights)
    near = [(c << BITS) // total for c in accumulate(weights)]
    at = st.sampled_from(near).flatmap(lambda x: st.integers(x - 2, x + 2))
    across = st.integers(0, 2**BITS - 1)
    for uniform in data.draw(st.lists(st.one_of(at, across), min_size=20, max_size=20)):
        if 0 <= uniform < 2**BITS:
            value, _ = draw_at(table, uniform, then=[0] * 5 + [1])
            assert value == exact_value(weights, uniform, BITS)


@settings(max_examples=20, deadline=None)
@given(weights=weights_lists)
def test_balls_give_the_same_table_as_fractions(weights):
    exact = Table.of_fractions(weights)
    computed = Table.of_weights(lambda: [ball(weight) / 3 for weight in weights])
    for uniform in [0, 2**BITS - 1, *((c << BITS) // sum(weights) + d for c in accumulate(weights) for d in (-9, 9))]:
        if 0 <= uniform < 2**BITS:
            assert draw_at(exact, uniform)[0] == draw_at(computed, uniform)[0]


def test_sixteen_bits_decide_where_no_threshold_cuts():
    table = Table.of_fractions([1, 2, 1])
    source = Scripted(buckets=[0, BUCKETS // 4 - 1, BUCKETS // 4, 3 * BUCKETS // 4 - 1, 3 * BUCKETS // 4, BUCKETS - 1])
    assert table.draw(6, source).tolist() == [0, 0, 1, 1, 2, 2]
    everything = Scripted(buckets=range(BUCKETS), fine=[1] * 9)
    assert np.bincount(table.draw(BUCKETS, everything)).tolist() == [BUCKETS // 4, BUCKETS // 2, BUCKETS // 4]
    assert len(everything.queues["words"]) == 9  # dyadic thresholds lie between buckets: no more bits were needed


def test_a_cut_bucket_takes_64_more_bits():
    table = Table.of_fractions([1, 2])
    bucket = BUCKETS // 3  # 2^16/3 = 21845.33…
    third = (1 << BITS) // 3 & ((1 << FINE_BITS) - 1)
    source = Scripted(buckets=[bucket] * 4, fine=[0, third - 1, third + 1, 2**64 - 1])
    assert table.draw(4, source).tolist() == [0, 0, 1, 1]
    assert source.used_up


def test_80_equal_bits_are_decided_by_the_next_ones():
    table = Table.of_fractions([1, 2])
    third = (1 << BITS) // 3
    next_word = ((1 << (BITS + 64)) // 3) & (2**64 - 1)
    for then, value in (
        ([next_word - 1], 0),
        ([next_word + 1], 1),
        ([next_word, 0], 0),
        ([next_word, 2**64 - 1], 1),
    ):
        drawn, source = draw_at(table, third, then=then)
        assert drawn == value
        assert source.used_up


def test_a_dyadic_threshold_that_balls_cannot_certify_still_ends():
    # Both weights are e^-1/3, so the threshold is 1/2, which no computation with balls can tell from just below it.
    table = Table.of_weights(lambda: [(-ball(Fraction(1, 3))).exp()] * 2)
    half = 1 << (BITS - 1)
    assert draw_at(table, half, then=[0, 0, 0, 1])[0] == 1
    assert draw_at(table, half - 1, then=[2**64 - 1] * 3 + [2**64 - 2])[0] == 0


def test_many_thresholds_in_one_bucket():
    weights = [2**30] + [1] * 1000 + [2**30]
    table = Table.of_fractions(weights)
    for i in (1, 2, 500, 999, 1000):
        middle = ((2 * (sum(weights[:i])) + 1) << BITS) // (2 * sum(weights))
        assert draw_at(table, middle)[0] == i


def test_impossible_values_are_never_drawn_and_certain_ones_always():
    assert set(Table.of_fractions([0, 1, 0]).draw(1000).tolist()) == {1}
    assert Table.of_fractions([3], lowest=-7).draw(3).tolist() == [-7, -7, -7]
    assert len(Table.of_fractions([1]).draw(0)) == 0


def test_probability_below_2_to_the_minus_80_is_possible():
    table = Table.of_weights(lambda: [arb(1), (-ball(200)).exp()])  # e^-200 is about 2^-288
    words = [2**64 - 1] * 5
    assert draw_at(table, 2**BITS - 1, then=words)[0] == 1
    assert draw_at(table, 2**BITS - 1, then=[0])[0] == 0


@pytest.mark.parametrize("weights", [[], [0], [0, 0], [1, -1], [-1]])
def test_weights_that_are_no_distribution_are_refused(weights):
    with pytest.raises(InvalidInput, match="N101"):
        Table.of_fractions(weights)


def test_long_draws_are_as_likely_everywhere():
    drawn = Table.of_fractions([1, 3], lowest=5).draw(300_000)
    for part in np.array_split(drawn, 3):
        assert abs((part == 6).mean() - 0.75) < 6 * (3 / 16 / 100_000) ** 0.5

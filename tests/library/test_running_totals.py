"""Without noise to speak of, the running totals are the running totals: whatever the blocks and levels."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing import library

#: Noise of scale 2^-35 or so: rounded to whole numbers every answer is the total, but for odds below e^-1000000.
SHARP = 2**40
VALUES = st.lists(st.integers(-9, 9), max_size=40)


@given(VALUES, st.integers(1, 7))
@settings(max_examples=60)
def test_tree_counter(values, levels):
    totals = library.tree_counter(values, levels=levels, sensitivity=1, epsilon=SHARP)
    assert [round(total) for total in totals] == list(accumulate(values))


@given(VALUES, st.integers(1, 12))
@settings(max_examples=60)
def test_smart_sum(values, block):
    totals = library.smart_sum(values, block=block, sensitivity=1, epsilon=SHARP)
    assert [round(total) for total in totals] == list(accumulate(values))


@given(VALUES)
@settings(max_examples=30)
def test_prefix_sum(values):
    totals = library.prefix_sum(values, sensitivity=1, epsilon=SHARP)
    assert [round(total) for total in totals] == list(accumulate(values))

"""Without noise to speak of, the running totals are the running totals: whatever the blocks and levels."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing import library

#: A scale of a millionth of a lattice step: every draw is 0, but for odds of e^-1000000.
SHARP = 2**40
VALUES = st.lists(st.integers(-9, 9), max_size=40)


@given(VALUES, st.integers(1, 7))
@settings(max_examples=60)
def test_tree_counter(values, levels):
    totals = library.tree_counter(values, levels=levels, sensitivity=1, epsilon=SHARP)
    assert totals == list(accumulate(values))


@given(VALUES, st.integers(1, 12))
@settings(max_examples=60)
def test_smart_sum(values, block):
    assert library.smart_sum(values, block=block, sensitivity=1, epsilon=SHARP) == list(accumulate(values))


@given(VALUES)
@settings(max_examples=30)
def test_prefix_sum(values):
    assert library.prefix_sum(values, sensitivity=1, epsilon=SHARP) == list(accumulate(values))

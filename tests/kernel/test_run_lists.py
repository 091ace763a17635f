"""Lists of a run: values that share a store while they grow, and are copied where they part."""

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.run.lists import Grown, appended


def test_growing_leaves_the_list_before_as_it_was():
    start = (1, 2)
    one = appended(start, 3)
    two, other = appended(one, 4), appended(one, 5)
    assert (start, one, two, other) == ((1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 5))
    assert one == Grown([1, 2, 3, 9], 3)
    assert appended((), 1) == (1,)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=40))
def test_any_tree_of_lists_is_a_tree_of_tuples(steps):
    """Each step grows one of the lists made so far; all stay equal to plain tuples."""
    ours, plain = [()], [()]
    for which, value in steps:
        which %= len(ours)
        ours.append(appended(ours[which], value))
        plain.append((*plain[which], value))
    assert ours == plain
    for mine, theirs in zip(ours, plain, strict=True):
        assert (len(mine), list(mine), hash(mine)) == (len(theirs), list(theirs), hash(theirs))
        for index in range(-len(theirs), len(theirs)):
            assert mine[index] == theirs[index]
        for index in (len(theirs), -len(theirs) - 1):
            with pytest.raises(IndexError):
                mine[index]
        for cut in (slice(None), slice(1, None), slice(None, -1), slice(-2, 5), slice(3, 1)):
            assert mine[cut] == theirs[cut]
            assert type(mine[cut]) is tuple


def test_a_grown_list_equals_a_list_made_whole_on_either_side_and_inside():
    grown = appended((), 1)
    assert grown == (1,)
    assert grown == (1,)
    assert (grown, 2) == ((1,), 2)
    assert (grown, 2) == ((1,), 2)
    assert grown != (2,)
    assert grown != [1]


def test_appending_n_times_costs_n():
    def seconds(count):
        start, values = time.process_time(), ()
        for i in range(count):
            values = appended(values, i)
        return time.process_time() - start

    gc.disable()  # it looks at whatever other tests left behind
    try:
        few, many = min(seconds(5_000) for _ in range(3)), min(seconds(80_000) for _ in range(2))
    finally:
        gc.enable()
    assert many < 60 * few  # 16 times as many; copying each time would take 256 times as long


def test_lists_of_other_lengths_differ_without_a_look_at_their_elements():
    class Untouchable:
        def __eq__(self, other):
            raise AssertionError

        __hash__ = None

    short = appended((), Untouchable())
    long = appended(appended((), Untouchable()), Untouchable())
    assert short != long
    assert long != (Untouchable(),)

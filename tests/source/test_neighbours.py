"""Neighbour relations decide concrete values, and say which rule is broken."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.errors import InvalidInput
from lapwing.source import added, each, falls, monotone, one, replaced, rises, within


@pytest.mark.parametrize(
    ("relation", "left", "right", "reason"),
    [
        (within(1), 0.1, 1.1, None),  # decimals as written: exactly 1 apart
        (within(1), 0, 1.5, "changed by 3/2"),
        (each(1), [0, 5], [1, 4], None),
        (each(1), [0], [0, 0], "lengths are 1 and 2"),
        (each(1), [0, 5], [0, 7], "element 1 changed by 2"),
        (each("b"), [0, 5], [0, 7], None),
        (one(1), [0, 5], [0, 6], None),
        (one(1), [0, 5], [1, 6], "more than one"),
        (one(1), [0, 5], [0, 7], "element 1"),
        (rises(1), [0, 5], [1, 5.5], None),
        (rises(1), [0, 5], [0, 4], "outside [0, 1]"),
        (falls(1), [0, 5], [-1, 5], None),
        (falls(1), [0, 5], [1, 5], "outside [-1, 0]"),
        (monotone(1), [0, 5], [1, 6], None),
        (monotone(1), [0, 5], [-1, 5], None),
        (monotone(1), [0, 5], [1, 4], "some elements rise"),
        (replaced(), True, False, None),
        (replaced(), [1, 2], [1, 900], None),
        (replaced(), [1, 2], [2, 1], "2 elements differ"),
        (replaced(), [1, 2], [1], "lengths"),
        (added(), [1, 2], [1, 3, 2], None),
        (added(), [1], [], None),
        (added(), [1, 2], [2, 1, 1], "removing one element"),
        (added(), [1, 2], [1, 2], "not one apart"),
    ],
)
def test_broken_rules(relation, left, right, reason):
    found = relation.broken(left, right, Fraction(2) if relation.distance == "b" else None)
    assert (found is None) == (reason is None), found
    assert reason is None or reason in found


numbers = st.lists(st.integers(-3, 3), max_size=4)


@given(numbers, numbers, st.sampled_from([each, one, monotone]))
def test_these_relations_are_symmetric(left, right, relation):
    assert (relation(1).broken(left, right) is None) == (relation(1).broken(right, left) is None)


@given(numbers, numbers)
def test_rises_and_falls_are_each_others_mirror(left, right):
    assert (rises(1).broken(left, right) is None) == (falls(1).broken(right, left) is None)


@given(numbers, numbers)
def test_the_relations_nest(left, right):
    if one(1).broken(left, right) is None:
        assert monotone(1).broken(left, right) is None
        assert replaced().broken(left, right) is None
    if monotone(1).broken(left, right) is None:
        assert each(1).broken(left, right) is None


def test_bad_distances():
    for bad in (-1, float("nan"), float("inf"), True):
        with pytest.raises(InvalidInput):
            each(bad)
    with pytest.raises(InvalidInput, match="P190"):
        each(1).broken(3, [1])


def test_in_words():
    assert str(each(1)) == "each(1)"
    assert str(each("2 * b")) == "each('2 * b')"
    assert each("2 * b").rule == "a list of the same length, every element differing by at most 2 * b"
    assert str(added()) == "added()"

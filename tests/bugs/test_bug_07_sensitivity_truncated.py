"""A sensitivity of 1.9 was stored in an integer as 1."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import sensitivity as rules
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.algebra.sensitivity import Sensitivity


def test_steps_are_rounded_up():
    for metric in (L1, L2, Linf):
        found = rules.in_steps(Sensitivity(metric("1.9"), Neighbours.ADDED), 1, coordinates=1)
        assert found.distance == metric(2)


def test_the_smallest_distance_is_still_one_step():
    assert rules.in_steps(Sensitivity(L1("1e-300"), Neighbours.ADDED), 1, coordinates=1).distance == L1(1)


def test_a_range_that_does_not_fit_the_lattice_is_not_cut_short():
    low, high = rules.range_in_steps("-1.9", "1.9", 1)
    assert rules.bounded_sum(low, high, Neighbours.ADDED).distance == L1(2)
    assert rules.bounded_sum(low, high, Neighbours.REPLACED).distance == L1(3)


@given(st.fractions(0, 100), st.fractions("1/1000", 10), st.fractions(-100, 100))
def test_numbers_a_distance_apart_are_never_more_steps_apart(distance, step, start):
    found = rules.in_steps(Sensitivity(L1(distance), Neighbours.ADDED), step, coordinates=1).distance.bound
    apart = math.floor((start + distance) / step) - math.floor(start / step)
    assert apart <= found < distance / step + 1
    assert isinstance(found, Fraction)
    assert found.denominator == 1

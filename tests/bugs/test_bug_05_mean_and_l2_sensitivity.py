"""A mean was given sensitivity range/n although n itself is private under add/remove; an L2 bound lost its root."""

from fractions import Fraction

import pytest

from lapwing.algebra import sensitivity as rules
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.algebra.sensitivity import Sensitivity
from lapwing.errors import Unbounded


def test_a_mean_is_refused_when_the_number_of_rows_is_private():
    with pytest.raises(Unbounded, match=r"A341.*noisy sum and a noisy count"):
        rules.mean(0, 100, 10, Neighbours.ADDED)


def test_the_formula_with_n_would_be_too_small_there():
    # Nine rows of 0 and one of 100, against the nine without it: the mean falls by all of 100/10; but from one
    # row of 100 to none, or from {0} to {0, 100}, it moves by 50, five times what a public n of 10 would promise.
    assert Fraction(0 + 100, 2) - Fraction(0, 1) == 50 > Fraction(100, 10)


def test_a_mean_of_a_public_number_of_changed_rows_is_the_range_over_n():
    assert rules.mean(-20, 80, 10, Neighbours.REPLACED).distance == L1(10)


def test_an_l2_distance_of_k_coordinates_is_the_root_of_k():
    each = Sensitivity(Linf(3), Neighbours.ADDED)
    found = rules.in_l2(each, coordinates=4)
    assert found.distance == L2(6) == L2(squared=36)
    assert rules.in_linf(found).distance == Linf(6)


def test_l2_adds_squares_not_distances_and_not_roots():
    part = Sensitivity(L2(3), Neighbours.ADDED), Sensitivity(L2(4), Neighbours.ADDED)
    assert rules.concatenated(part).distance == L2(5)

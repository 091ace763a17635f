"""Two libraries proved "one row more or fewer" and reported the same ε for "one row changed"."""

from collections import Counter
from fractions import Fraction

import pytest

from lapwing.algebra import claims
from lapwing.algebra import sensitivity as rules
from lapwing.algebra.claims import Claim
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import NotComparable, Unbounded

ADDED, REPLACED = Neighbours.ADDED, Neighbours.REPLACED


def test_a_changed_row_moves_two_bins():
    before, after = Counter("aab"), Counter("abb")
    moved = {key: abs(before[key] - after[key]) for key in "ab"}
    assert sum(moved.values()) == 2
    assert rules.histogram(REPLACED, L1).distance == L1(2)
    assert rules.histogram(REPLACED, L2).distance == L2(squared=2)
    assert rules.histogram(ADDED, L1).distance == L1(1)
    assert rules.histogram(ADDED, L2).distance == L2(squared=1)


def test_a_changed_value_moves_a_sum_by_the_whole_range():
    assert rules.bounded_sum(-5, 5, ADDED).distance == L1(5)
    assert rules.bounded_sum(-5, 5, REPLACED).distance == L1(10)


def test_a_claim_about_added_rows_doubles_before_it_is_one_about_changed_rows():
    assert claims.replaced_from_added(Claim(PureDP(Fraction(1, 2)), ADDED)).measure == PureDP(1)
    assert claims.replaced_from_added(Claim(ZCDP(Fraction(1, 2)), ADDED)).measure == ZCDP(2)


def test_the_two_notions_never_mix():
    with pytest.raises(NotComparable):
        claims.sequential([Claim(PureDP(1), ADDED), Claim(PureDP(1), REPLACED)])
    with pytest.raises(Unbounded):
        claims.added_from_replaced(Claim(PureDP(1), REPLACED))

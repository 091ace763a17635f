"""Training loops shuffle and cut into batches, then report the ε of Poisson sampling."""

from fractions import Fraction

import pytest

from lapwing.algebra.claims import Claim
from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.algebra.subsampling import FixedSize, Poisson, Shuffled, subsampled
from lapwing.errors import NotComparable, Unbounded

ADDED, REPLACED = Neighbours.ADDED, Neighbours.REPLACED


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_shuffled_batches_are_not_amplified(neighbours):
    with pytest.raises(Unbounded, match=r"A330.*shuffled"):
        subsampled(Claim(PureDP(1), neighbours), Shuffled())


def test_each_scheme_goes_with_its_own_neighbours():
    with pytest.raises(NotComparable, match="A330"):
        subsampled(Claim(PureDP(1), ADDED), FixedSize(10, 100))
    with pytest.raises(NotComparable, match="A330"):
        subsampled(Claim(PureDP(1), REPLACED), Poisson("0.1"))
    assert subsampled(Claim(PureDP(1), ADDED), Poisson("0.1")).measure.epsilon < Fraction(2, 10)
    assert subsampled(Claim(PureDP(1), REPLACED), FixedSize(10, 100)).measure.epsilon < Fraction(2, 10)

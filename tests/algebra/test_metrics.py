from fractions import Fraction

import pytest

from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.errors import InvalidInput


def test_an_l2_distance_is_kept_squared():
    assert L2(3) == L2(squared=9)
    assert L2(squared=2).squared == 2


@pytest.mark.parametrize("arguments", [{}, {"bound": 1, "squared": 1}])
def test_an_l2_distance_is_given_once(arguments):
    with pytest.raises(TypeError):
        L2(**arguments)


@pytest.mark.parametrize("metric", [L1, L2, Linf])
def test_distances_are_exact_frozen_and_not_negative(metric):
    assert metric(0.1) == metric(Fraction(1, 10))
    assert hash(metric(0.1)) == hash(metric("1/10"))
    with pytest.raises(InvalidInput, match="A107"):
        metric(-1)
    with pytest.raises(AttributeError):
        setattr(metric(1), metric.__slots__[0], 2)


def test_metrics_are_never_equal_to_each_other():
    assert L1(1) != Linf(1)
    assert L1(1) != L2(1)

import math

import pytest

from lapwing.algebra.metrics import L1
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.geometric import Geometric


def test_alone_it_claims_nothing():
    with pytest.raises(Unbounded) as refused:
        Geometric(10).claim(L1(1))
    assert refused.value.code == "N205"
    assert not hasattr(Geometric(10), "release")


def test_is_never_negative():
    assert Geometric(10).sample(100_000).min() == 0
    assert all(Geometric(10).sample() >= 0 for _ in range(1000))
    assert Geometric(10).pmf(-1).upper == Geometric(10).cdf(-1).upper == 0


def test_formulas():
    noise = Geometric("7/5")
    q = math.exp(-5 / 7)
    assert float(noise.pmf(3)) == pytest.approx((1 - q) * q**3)
    assert float(noise.cdf(3)) == pytest.approx(1 - q**4)
    assert float(noise.tail(3)) == pytest.approx(q**3)
    assert float(noise.mean()) == pytest.approx(q / (1 - q))
    assert float(noise.variance()) == pytest.approx(q / (1 - q) ** 2)


@pytest.mark.parametrize("bad", [0, -1, "inf", 2**53])
def test_bad_scales_are_refused(bad):
    with pytest.raises(InvalidInput):
        Geometric(bad)

import pytest

from lapwing.errors import InvalidInput
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace
from lapwing.noise.threshold import chance_of_reaching, group_threshold


def test_a_known_threshold():
    # P(1 + X >= t) = e^(1-t)/(1 + e^-1) at scale 1, below 1e-6 from t = 15 on.
    assert group_threshold(Laplace(1), "1e-6") == 15
    assert chance_of_reaching(Laplace(1), 14, 1).lower > 1e-6


@pytest.mark.parametrize("noise", [Laplace(10), Gaussian(10)], ids=repr)
def test_thresholds_grow_as_they_should(noise):
    plain = group_threshold(noise, "1e-6")
    assert group_threshold(noise, "1e-9") > plain
    assert group_threshold(noise, "1e-6", contribution=5) == plain + 4
    assert group_threshold(noise, "1e-6", groups=3) > plain


@pytest.mark.parametrize("noise", [Laplace(3), Gaussian(3)], ids=repr)
def test_tiny_delta_loses_no_digits(noise):
    threshold = group_threshold(noise, "1e-100")
    assert 0 < chance_of_reaching(noise, threshold, 1).upper <= 1e-100
    assert chance_of_reaching(noise, threshold - 1, 1).lower > 1e-100


@pytest.mark.parametrize("bad", [0, 1, -1, "nan", True])
def test_bad_delta_is_refused(bad):
    with pytest.raises(InvalidInput):
        group_threshold(Laplace(1), bad)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_bad_counts_are_refused(bad):
    with pytest.raises(InvalidInput):
        group_threshold(Laplace(1), "1e-6", contribution=bad)
    with pytest.raises(InvalidInput):
        group_threshold(Laplace(1), "1e-6", groups=bad)

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.measures import PureDP
from lapwing.algebra.metrics import L1, L2
from lapwing.errors import InvalidInput
from lapwing.noise.laplace import Laplace

positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


@given(scale=positive, bound=positive)
def test_claim_is_the_distance_over_the_scale_exactly(scale, bound):
    assert Laplace(scale).claim(L1(bound)) == PureDP(bound / scale)


@given(epsilon=positive, bound=positive)
def test_calibration_meets_its_goal_exactly(epsilon, bound):
    assert Laplace.for_epsilon(epsilon, L1(bound)).claim(L1(bound)) == PureDP(epsilon)


@given(scale=positive, a=st.integers(-50, 50), b=st.integers(-50, 50), output=st.integers(-200, 200))
def test_no_output_tells_more_than_the_claim(scale, a, b, output):
    mechanism = Laplace(scale)
    here, there = mechanism.pmf(output - a), mechanism.pmf(output - b)
    with mpmath.workdps(60):
        epsilon = mechanism.claim(L1(abs(a - b))).epsilon
        bound = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        ratio = mpmath.mpf(here.lower.numerator) / here.lower.denominator
        ratio /= mpmath.mpf(there.upper.numerator) / there.upper.denominator
        assert ratio <= bound * (1 + mpmath.mpf(10) ** -50)


@pytest.mark.parametrize("scale", ["1/3", "7/5", "1000003/7", "1e-3", 10**12])
def test_formulas_hold_the_60_digit_values(scale):
    mechanism = Laplace(scale)
    with mpmath.workdps(80):
        q = mpmath.exp(-mpmath.mpf(mechanism.scale.denominator) / mechanism.scale.numerator)

        def close(enclosure, true):
            low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (enclosure.lower, enclosure.upper))
            return low * (1 - mpmath.mpf(10) ** -60) <= true <= high * (1 + mpmath.mpf(10) ** -60)

        for k in (0, 1, -1, 12, -1000):
            assert close(mechanism.pmf(k), (1 - q) / (1 + q) * q ** abs(k))
        assert close(mechanism.cdf(-3), q**3 / (1 + q))
        assert close(mechanism.cdf(3), 1 - q**4 / (1 + q))
        assert close(mechanism.tail(5), 2 * q**5 / (1 + q))
        assert close(mechanism.variance(), 2 * q / (1 - q) ** 2)


def test_margin_of_a_known_case():
    mechanism = Laplace(1)
    q = mpmath.exp(-1)
    for confidence in (0.5, 0.9, 0.95, 0.99):
        t = mechanism.interval(confidence)
        assert 2 * q ** (t + 1) / (1 + q) <= 1 - confidence < 2 * q**t / (1 + q)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Laplace(0), "A104"),
        (lambda: Laplace(-1), "A104"),
        (lambda: Laplace("nan"), "A001"),
        (lambda: Laplace(float("inf")), "A001"),
        (lambda: Laplace(2**53), "N103"),
        (lambda: Laplace.for_epsilon(0, L1(1)), "A101"),
        (lambda: Laplace.for_epsilon(1, L2(1)), "N203"),
        (lambda: Laplace.for_epsilon(1, L1(0)), "N204"),
    ],
)
def test_bad_parameters_are_refused_on_one_line(make, code):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert refused.value.code == code
    assert "\n" not in str(refused.value)

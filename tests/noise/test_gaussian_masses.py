from fractions import Fraction

import mpmath
import pytest

from lapwing.algebra.balls import ball, precision, to_interval
from lapwing.noise import gaussian_masses
from lapwing.noise.gaussian_masses import second_moment, total, upper_sum

VARIANCES = [Fraction(1, 10**6), Fraction(1, 9), Fraction(99, 100), 1, Fraction(49, 25), 100, 4096]


def contains(computed, true):
    """Whether the ball holds the 60-digit value, up to that value's own last digits, and is narrow."""
    enclosure = to_interval(computed)
    with mpmath.workdps(60):
        slack = abs(true) * mpmath.mpf(10) ** -55
        low = mpmath.mpf(enclosure.lower.numerator) / enclosure.lower.denominator
        high = mpmath.mpf(enclosure.upper.numerator) / enclosure.upper.denominator
        return low - slack <= true <= high + slack and computed.rel_accuracy_bits() >= 80


def terms(variance, first, power=0):
    rate = mpmath.mpf(variance.denominator) / (2 * variance.numerator)
    last = first + 60 + int(20 * variance**0.5)
    return mpmath.fsum(mpmath.mpf(k) ** power * mpmath.exp(-rate * k * k) for k in range(first, last))


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_sums_hold_the_60_digit_values(variance):
    variance = Fraction(variance)
    with mpmath.workdps(60), precision(160):
        whole = 1 + 2 * terms(variance, 1)
        assert contains(total(variance), whole)
        assert contains(second_moment(variance), 2 * terms(variance, 1, power=2) / whole)
        for first in (1, 2, 10, 400):
            assert contains(upper_sum(variance, first), terms(variance, first))


@pytest.mark.parametrize("sigma", [Fraction(65), Fraction(1000003, 700), Fraction(2000)], ids=str)
def test_euler_maclaurin_overlaps_the_direct_sum(sigma):
    variance = sigma**2
    with precision(200):
        for first in (1, 2, int(sigma), int(5 * sigma), int(variance / 8)):
            direct = gaussian_masses._series(1 / (2 * ball(variance)), first)
            smooth = gaussian_masses._euler_maclaurin(variance, first)
            assert direct.overlaps(smooth)
            assert smooth.rel_accuracy_bits() >= 90


def test_both_formulas_for_the_whole_line_agree():
    for variance in (Fraction(1), Fraction(3, 2), Fraction(20)):
        with precision(200):
            assert total(variance).overlaps(1 + 2 * gaussian_masses._series(1 / (2 * ball(variance)), 1))


@pytest.mark.parametrize("variance", [Fraction(1, 10**4000), Fraction(2**80)], ids=["tiny", "huge"])
def test_extreme_variances_end(variance):
    with precision(128):
        assert total(variance) > 0
        assert upper_sum(variance, 1) >= 0 or upper_sum(variance, 1).contains(0)
        assert upper_sum(variance, 2**50) < total(variance)

"""Bug 14: the zCDP of noisy max claimed as ε²/8, which is the exponential mechanism's.

ε²/8 needs a loss whose values *span* at most ε. Permute-and-flip (noisy max with exponential noise) and noisy max
with Laplace noise have losses from nearly -ε to ε, and both exceed ε²/8 on small cases computed exactly.
"""

from fractions import Fraction

import pytest
from flint import arb

from lapwing.algebra import balls
from lapwing.algebra.balls import Interval
from lapwing.algebra.metrics import Linf
from lapwing.noise.exponential import Exponential
from lapwing.noise.permute_and_flip import PermuteAndFlip

EPSILON = Fraction(1, 2)
SCALE = 2 / EPSILON  # of scores that move by 1 each


def renyi_two(p, q):
    """D_2(p ‖ q) = ln Σ p²/q."""
    low = sum(a.lower**2 / b.upper for a, b in zip(p, q, strict=True))
    high = sum(a.upper**2 / b.lower for a, b in zip(p, q, strict=True))
    log = [balls.enclose(lambda value=value: balls.ball(value).log()) for value in (low, high)]
    return Interval(log[0].lower, log[1].upper)


def laplace_noisy_max_of_three(lead):
    """P(each wins) when the first of three scores leads by ``lead`` noise scales: 1 - e^-d(7/12 + d/2) - e^-2d/12."""

    def first():
        fall = (-balls.ball(lead)).exp()
        return 1 - fall * (arb(7) / 12 + balls.ball(lead) / 2) - fall**2 / 12

    win = balls.enclose(first)
    lose = Interval((1 - win.upper) / 2, (1 - win.lower) / 2)
    return [win, lose, lose]


def test_permute_and_flip_exceeds_an_eighth():
    mechanism = PermuteAndFlip(SCALE)
    assert mechanism.claim(Linf(1)).epsilon == EPSILON
    loss = renyi_two(mechanism.pmf([0, 0]), mechanism.pmf([1, -1]))
    assert loss.lower > 2 * EPSILON**2 / 8
    assert loss.upper <= 2 * mechanism.zcdp_claim(Linf(1)).rho


def test_noisy_max_with_laplace_noise_exceeds_an_eighth():
    tied, apart = laplace_noisy_max_of_three(Fraction(0)), laplace_noisy_max_of_three(EPSILON)
    assert float(tied[0]) == pytest.approx(1 / 3)
    loss = renyi_two(tied, apart)
    assert loss.lower > 2 * EPSILON**2 / 8
    assert loss.upper <= 2 * EPSILON**2 / 2


def test_choices_that_have_no_bounded_range_claim_a_half():
    assert PermuteAndFlip(SCALE).zcdp_claim(Linf(1)).rho == EPSILON**2 / 2


@pytest.mark.parametrize("gap", range(-6, 7))
@pytest.mark.parametrize("others", [1, 2, 5])
def test_the_exponential_mechanism_keeps_within_an_eighth(gap, others):
    mechanism = Exponential(SCALE)
    p, q = mechanism.pmf([gap] + [0] * others), mechanism.pmf([gap + 1] + [-1] * others)
    rho = mechanism.zcdp_claim(Linf(1)).rho
    assert rho == EPSILON**2 / 8
    for one, other in ((p, q), (q, p)):
        assert renyi_two(one, other).upper <= 2 * rho


def test_an_eighth_is_nearly_reached_by_the_exponential_mechanism():
    mechanism = Exponential(SCALE)
    loss = renyi_two(mechanism.pmf([0, 1]), mechanism.pmf([1, 0]))
    assert loss.lower > 2 * mechanism.zcdp_claim(Linf(1)).rho * Fraction(97, 100)

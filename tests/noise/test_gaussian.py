from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting.lattice_gaussian import lattice_gaussian_delta
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.measures import ZCDP
from lapwing.algebra.metrics import L1, L2
from lapwing.errors import InvalidInput
from lapwing.noise.gaussian import Gaussian

positive = st.fractions(min_value=Fraction(1, 100), max_value=100, max_denominator=100)


@given(sigma=positive, bound=positive)
def test_claim_is_half_the_squared_ratio_exactly(sigma, bound):
    assert Gaussian(sigma).claim(L2(bound)) == ZCDP(bound**2 / (2 * sigma**2))


@given(rho=positive, squared=positive)
def test_calibration_to_rho_meets_its_goal_exactly(rho, squared):
    assert Gaussian.for_rho(rho, L2(squared=squared)).claim(L2(squared=squared)) == ZCDP(rho)


def test_sigma_or_its_square():
    assert Gaussian(3) == Gaussian(squared=9)
    with pytest.raises(TypeError):
        Gaussian()
    with pytest.raises(TypeError):
        Gaussian(3, squared=9)


@pytest.mark.parametrize("sigma", ["1/3", "7/5", 3], ids=str)
@pytest.mark.parametrize("shift", [1, 2, 7])
def test_renyi_divergence_is_within_the_claim(sigma, shift):
    """Summed exactly: D_α between shifted discrete Gaussians is at most ρα, and equal for an integer αΔ."""
    mechanism = Gaussian(sigma)
    rho = mechanism.claim(L2(shift)).rho
    reach = 12 * int(mechanism.squared + 4) + 12 * shift
    for order in (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)):

        def moment(order=order):
            # Σ p(x - Δ)^α·p(x)^(1-α) as unnormalised terms, whose normaliser is the same in both.
            s = 2 * mechanism.squared
            terms = [
                (-ball((order * (x - shift) ** 2 + (1 - order) * x * x) / s)).exp() for x in range(-reach, reach + 1)
            ]
            weights = [(-ball(Fraction(x * x) / s)).exp() for x in range(-reach, reach + 1)]
            return (sum(terms) / sum(weights)).log() / ball(order - 1)

        divergence = enclose(moment)
        assert divergence.lower <= rho * order
        assert divergence.upper <= rho * order + Fraction(1, 10**9)


@settings(max_examples=10, deadline=None)
@given(
    epsilon=st.sampled_from(["0.1", "1", "3"]),
    delta=st.sampled_from(["1e-3", "1e-6", "1e-12"]),
    steps=st.integers(1, 30),
)
def test_calibration_to_epsilon_delta_keeps_the_goal(epsilon, delta, steps):
    goal = Fraction(epsilon)
    many = Gaussian.for_epsilon_delta(epsilon, delta, L2(steps))
    single = Gaussian.for_epsilon_delta(epsilon, delta, L2(steps), single=True)
    assert many.claim_at_delta(delta, L2(steps)).epsilon <= goal
    assert single.claim_at_delta(delta, L2(steps), single=True).epsilon <= goal
    assert lattice_gaussian_delta(single.squared, steps, goal) <= Fraction(delta)
    assert single.squared < many.squared  # knowing that it is one number saves noise
    # Tight: 1 % less noise would miss the goal.
    assert lattice_gaussian_delta(single.squared * Fraction(98, 100), steps, goal) > Fraction(delta)
    assert Gaussian(squared=many.squared * Fraction(98, 100)).claim_at_delta(delta, L2(steps)).epsilon > goal


def test_the_profile_of_one_number_is_never_used_for_many():
    """k numbers that each move one step: the zCDP claim covers them, the single-number profile is not even asked."""
    mechanism = Gaussian(4)
    many = mechanism.claim_at_delta("1e-6", L2(squared=9))
    single = mechanism.claim_at_delta("1e-6", L2(3), single=True)
    assert single.epsilon < many.epsilon


def test_a_distance_below_one_step_costs_nothing_for_a_single_number():
    assert Gaussian(4).claim_at_delta("1e-6", L2("0.9"), single=True).epsilon == 0


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Gaussian(0), "A104"),
        (lambda: Gaussian(squared=-1), "A104"),
        (lambda: Gaussian("nan"), "A001"),
        (lambda: Gaussian(2**49), "N103"),
        (lambda: Gaussian.for_rho(0, L2(1)), "A101"),
        (lambda: Gaussian.for_rho(1, L1(1)), "N203"),
        (lambda: Gaussian.for_rho(1, L2(0)), "N204"),
        (lambda: Gaussian.for_epsilon_delta(1, 0, L2(1)), "A103"),
        (lambda: Gaussian.for_epsilon_delta(1, 1, L2(1)), "A102"),
        (lambda: Gaussian.for_epsilon_delta(-1, "1e-6", L2(1)), "A101"),
        (lambda: Gaussian.for_epsilon_delta(1, "1e-6", L1(1)), "N203"),
        (lambda: Gaussian(1).claim_at_delta("1e-6", L1(1)), "N203"),
    ],
)
def test_bad_parameters_are_refused_on_one_line(make, code):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert refused.value.code == code
    assert "\n" not in str(refused.value)

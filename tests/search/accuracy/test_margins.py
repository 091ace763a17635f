"""The rule of each noise holds of the exact law that runs, and the half step of Laplace's is needed."""

from fractions import Fraction
from math import floor

from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import ball, enclose
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace

scales = st.fractions(Fraction(1, 4), 40, max_denominator=16)
chances = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


def beyond(law, margin):
    """P(|noise| > margin), in lattice steps; the margin is a lower end, so that the probability is an upper one."""
    return law.tail(floor(margin.lower) + 1).upper


@given(scales, chances)
def test_discrete_laplace_with_half_a_step(scale, chance):
    margin = enclose(lambda: ball(scale) * (1 / ball(chance)).log() + ball(Fraction(1, 2)))
    assert beyond(Laplace(scale), margin) <= chance


def test_discrete_laplace_needs_the_half_step():
    scale, chance = Fraction(1), Fraction(37, 100)  # ln(1/chance) is just below 1
    margin = enclose(lambda: ball(scale) * (1 / ball(chance)).log())
    assert Laplace(scale).tail(floor(margin.upper) + 1).lower > chance


@given(scales, chances)
def test_exponential(scale, chance):
    margin = enclose(lambda: ball(scale) * (1 / ball(chance)).log())
    assert beyond(Geometric(scale), margin) <= chance


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(1, 2), 6, max_denominator=4), chances)
def test_gaussian(sigma, chance):
    margin = enclose(lambda: ball(sigma) * (2 * (2 / ball(chance)).log()).sqrt())
    assert beyond(Gaussian(sigma), margin) <= chance


@given(st.lists(st.integers(0, 8), min_size=1, max_size=5), scales, chances)
def test_choose(scores, scale, chance):
    margin = enclose(lambda: ball(scale) * (len(scores) / ball(chance)).log())
    weights = [enclose(lambda s=s: ball(Fraction(s - max(scores)) / scale).exp()) for s in scores]
    bad = sum((w.upper for w, s in zip(weights, scores, strict=True) if max(scores) - s > margin.lower), Fraction(0))
    assert bad / sum(w.lower for w in weights) <= chance

"""Probabilities of quotients of noisy numbers, against closed forms and against what a quotient means."""

from fractions import Fraction
from math import atan, exp, pi

import pytest

from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.evidence.event import Between
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n@mechanism(x=within(1))\ndef f(x: float) -> "


def chance(body, event, x=0, kind="float"):
    found = probability(parse_text(f"{HEAD}{kind}:\n    {body}\n"), "f", {"x": Fraction(x)}, event)
    assert found.upper - found.lower < 1e-9
    return float(found.lower)


def at_most(t):
    return Between(None, Fraction(t) - Fraction(1, 2**20))


@pytest.mark.parametrize("t", [Fraction(1, 3), 1, 4])
def test_two_exponentials_of_one_scale(t):
    """P(X/Y < t) = t/(1+t)."""
    assert chance("return exponential(2) / exponential(2)", at_most(t)) == pytest.approx(float(t / (1 + t)))
    assert chance("return 1 - 2 * (exponential(2) / exponential(2))", Between(1 - 2 * Fraction(t), None)) == (
        pytest.approx(float(t / (1 + t)), abs=1e-5)
    )


@pytest.mark.parametrize("t", [-2, Fraction(1, 2), 3])
def test_two_gaussians_are_cauchy(t):
    """P(X/Y < t) = 1/2 + atan(t)/π, through divisors on both sides of 0."""
    assert chance("return gaussian(1) / gaussian(1)", at_most(t)) == pytest.approx(0.5 + atan(t) / pi)


def test_the_inverse_of_a_laplace_draw():
    """1/L < -1 where -1 < L < 0."""
    assert chance("return 1 / laplace(1)", at_most(-1)) == pytest.approx((1 - exp(-1)) / 2)
    assert chance("n = laplace(1)\n    return 3 - 1 / n", Between(4, None)) == pytest.approx((1 - exp(-1)) / 2, 1e-5)


def test_a_divisor_of_0_gives_0():
    assert chance("return x / x", Fraction(0)) == 1
    assert chance("return x / x", Fraction(1), x=2) == 1
    tanh = (1 - exp(-1)) / (1 + exp(-1))
    assert chance("return 1 / discrete_laplace(1)", Fraction(0)) == pytest.approx(tanh)
    assert chance("n = laplace(1)\n    return n / (n - n)", Fraction(0)) == 1


def test_what_cancels_is_a_number_again():
    assert chance("n = laplace(1)\n    return (2 * n + 2) / (n + 1) >= 2", True, kind="bool") == 1
    assert chance("n = laplace(1)\n    return n / n < 1", True, kind="bool") == 0
    assert chance("n = laplace(1)\n    m = laplace(1)\n    return m / n + 1 > m / n", True, kind="bool") == 1


def test_a_quotient_waits_in_a_variable_and_in_a_list_while_others_are_drawn():
    body = "n = 1 + exponential(1)\n    xs = [1 / n, 2 / n]\n    k = discrete_laplace(1)\n    y = xs[0] * k\n"
    tanh = (1 - exp(-1)) / (1 + exp(-1))
    assert chance(f"{body}    return y + 1", Fraction(1)) == pytest.approx(tanh, abs=1e-5)
    # 2/n < 1/2 where the draw is above 3
    assert chance(f"{body}    return xs[1]", at_most(Fraction(1, 2))) == pytest.approx(exp(-3))


@pytest.mark.parametrize(
    "body",
    [
        "m, n = laplace(1), laplace(1)\n    return 1 / m + 1 / n",
        "m, n = laplace(1), laplace(1)\n    return 1 / m * (1 / n)",
        "m, n = laplace(1), laplace(1)\n    return 1 / m / n",
        "m, n = laplace(1), laplace(1)\n    return 1 / (1 / m) + n * n",
        "m, n = laplace(1), laplace(1)\n    return 0 if 1 / m > n else 1",
    ],
)
def test_what_is_not_computed_says_so(body):
    with pytest.raises(Uncomputable):
        chance(body, at_most(1))

"""What is not proved at its claim comes with the noise that is enough."""

import pytest

from lapwing.decide.nearest_proved import with_more_noise
from lapwing.source import parse_text
from tests.strangers import HEAD

MAX = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    best = 0
    top = 0.0
    for i, x in enumerate(q):
        v = x + laplace(1 / epsilon)
        if i == 0 or v > top:
            best = i
            top = v
    return best
"""


def said(text, bound):
    return with_more_noise(parse_text(HEAD + text, only="f"), "f", bound, 10)


def test_twice_the_noise_of_a_noisy_max():
    assert said(MAX, "2 * epsilon") == "with laplace(2 / epsilon) on line 8 the claim is proved"


def test_not_so_much_noise_is_not_said_to_be_enough():
    assert said(MAX, "1.5 * epsilon") is None


@pytest.mark.parametrize("bound", ["len(q) * epsilon", "epsilon * epsilon", "epsilon + 1"])
def test_what_is_no_number_of_times_the_claim(bound):
    assert said(MAX, bound) is None


def test_several_draws_are_all_named():
    text = MAX.replace('claim="epsilon"', 'claim="epsilon / 2"').replace("top = 0.0", "top = 0 * laplace(1 / epsilon)")
    assert "laplace(4 / epsilon) on line 6 and laplace(4 / epsilon) on line 8" in said(text, "2 * epsilon")


@pytest.mark.parametrize("noise", ["gaussian(1 / epsilon)", "(1 if flip(0.5) else 0)"])
def test_other_noise_has_other_prices(noise):
    assert said(MAX.replace("laplace(1 / epsilon)", noise), "2 * epsilon") is None

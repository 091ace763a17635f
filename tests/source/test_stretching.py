"""Noise of one size that is stretched where it is read, and noise of that size: the same law, and the same runs."""

from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python

WHOLE = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], b: float, epsilon: float) -> list[float]:
    assert epsilon > 0
    {body}
"""


def text(body):
    return WHOLE.format(body=body.replace("\n", "\n    "))


STRETCHED = {
    "return [x + laplace(1) / epsilon for x in q]": "laplace(1 / epsilon)",
    "return [x + 2 * laplace(1) / epsilon for x in q]": "laplace(2 * 1 / epsilon)",
    "return [x - laplace(3) * (2 / epsilon) for x in q]": "laplace(3 * (2 / epsilon))",
    "n = laplace(1)\nreturn [x + n / epsilon for x in q]": "laplace(1 / epsilon)",
    "nus = [laplace(1) for _ in q]\nreturn [x + n / epsilon for x, n in zip(q, nus)]": "laplace(1 / epsilon)",
}


@pytest.mark.parametrize("body", STRETCHED)
def test_noise_is_drawn_as_large_as_it_is_used(body):
    module = parse_text(text(body))
    assert STRETCHED[body] in show_mechanism(module["f"])
    for size in (Fraction(1, 3), Fraction(2)):
        given = {"q": (Fraction(1), Fraction(4)), "b": Fraction(-1), "epsilon": size}
        check_like_python(text(body), module, "f", given, lambda: _shares())


def _shares():
    """Noise in proportion to its scale."""
    shares = iter((Fraction(3, 2), Fraction(-1, 4), Fraction(5)))
    return lambda scale: next(shares) * scale


@pytest.mark.parametrize(
    "body",
    [
        "return [x + laplace(1) / b for x in q]",  # b may be below 0
        "return [x + laplace(1) * (epsilon - 1) for x in q]",
        "n = laplace(1)\nreturn [n / epsilon, n]",  # of two sizes
        "n = laplace(1)\nreturn [n / epsilon, n / (2 * epsilon)]",
        "n = laplace(1)\nm = n / epsilon\nn = laplace(1)\nreturn [m, n / epsilon]",  # drawn twice
        "return [x * laplace(1) for x in q]",  # by what is private
    ],
)
def test_noise_that_is_stretched_otherwise_stays_as_it_is(body):
    assert "laplace(1)" in show_mechanism(parse_text(text(body))["f"])

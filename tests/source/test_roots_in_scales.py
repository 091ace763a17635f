"""A scale with a root that is set before a loop is written out inside it, and is the same number there."""

from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text

LOOP = """
from lapwing import *
@mechanism(q=each(1))
def f(q: list[float], n: int, rho: float) -> list[float]:
    {sigma}
    out = [gaussian(sigma)]
    for x in q:
        out.append(x + gaussian({scale}))
    return out
"""
SIGMA = "sigma = sqrt(len(q) / (2 * rho))"


def scales(text, given):
    """The scale of every draw of a run."""
    found = []
    run = program(parse_text(text), "f", lambda _kind, arguments: found.append(arguments[-1]) or Fraction(0))
    run(given, Meter(10**6))
    return found


@pytest.mark.parametrize(
    ("sigma", "scale"),
    [
        (SIGMA, "sigma"),
        (SIGMA, "3 * sigma"),
        ("d = len(q)\n    e = rho / 2\n    sigma = sqrt(d) / e", "sigma"),
        ("c = ln(n) * 2\n    sigma = sqrt(3) * c", "sigma / 2"),
    ],
)
def test_the_scale_is_written_out_and_is_the_same_number(sigma, scale):
    text = LOOP.format(sigma=sigma, scale=scale)
    inside = show_mechanism(parse_text(text)["f"]).split("for ")[1]
    assert "sigma" not in inside
    assert "sqrt" in inside
    by = {"sigma": 1, "3 * sigma": 3, "sigma / 2": Fraction(1, 2)}[scale]
    for rho in (Fraction(1, 3), Fraction(2), Fraction(7, 5)):
        first, *others = scales(text, {"q": (Fraction(1), Fraction(2), Fraction(3)), "n": 5, "rho": rho})
        assert others == [first * by] * 3


@pytest.mark.parametrize(
    "sigma",
    [
        "sigma = n / (2 * rho)",  # no root: the name will do
        "sigma = sqrt(n)\n    sigma = sigma + 1",
        "n = n + 1\n    sigma = sqrt(n)",
        "sigma = 1.0\n    if n > 1:\n        sigma = sqrt(n)",
    ],
)
def test_what_may_be_another_number_is_left(sigma):
    inside = show_mechanism(parse_text(LOOP.format(sigma=sigma, scale="sigma"))["f"]).split("for ")[1]
    assert "gaussian(sigma)" in inside


def test_a_run_without_rounds_refuses_what_it_refused():
    text = LOOP.format(sigma="sigma = sqrt(n)", scale="sigma").replace("[gaussian(sigma)]", "[0.0]")
    with pytest.raises(Exception, match="P217"):
        scales(text, {"q": (), "n": -1, "rho": Fraction(1)})

"""Gaussian noise at (ε, δ): the classical theorem and its neighbours, held against the exact δ of a normal loss."""

from fractions import Fraction
from math import log

import pytest

from lapwing.algebra.accounting.gaussian import gaussian_delta
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy.attempts import attempts
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n"


def proved(text):
    """Whether some certificate that the search offers is accepted; what is accepted as Gaussian is told."""
    module = parse_text(HEAD + text)
    found = (each for each in attempts(module, "f", "f.py", 8) if isinstance(each, Certificate))
    return any(isinstance(check_certificate(each, module), Proved) for each in found)


def answer(sigma, ranges="0 < epsilon <= 1", relation="within(1)", claim='("epsilon", "delta")', noise="gaussian"):
    return (
        f"@mechanism(x={relation}, claim={claim})\n"
        f"def f(x: float, epsilon: float, delta: float) -> float:\n"
        f"    assert {ranges}\n    assert 0 < delta < 1\n    return x + {noise}({sigma})\n"
    )


CLASSICAL = "sqrt(2 * ln(1.25 / delta)) / epsilon"


@pytest.mark.parametrize(
    "text",
    [
        answer(CLASSICAL),
        answer(CLASSICAL, "0 < epsilon < 1"),
        answer("sqrt(2 * ln(1.25 / delta) / (epsilon * epsilon))"),
        answer("sqrt(2 * log(5 / (4 * delta))) * (1 / epsilon)"),
        answer("2 * " + CLASSICAL, relation="within(2)"),
        answer(CLASSICAL, "0 < epsilon <= 1.8 and delta < 0.5"),  # ε/2 ≤ ln(2.5)
    ],
)
def test_the_classical_theorem(text):
    assert proved(text)


@pytest.mark.parametrize(
    "text",
    [
        answer(CLASSICAL, "epsilon > 0"),  # the theorem needs its bound on ε
        answer(CLASSICAL, "0 < epsilon <= 20"),
        answer(CLASSICAL, relation="within(2)"),
        answer("sqrt(2 * ln(1.25 / delta)) / (2 * epsilon)"),
        answer("sqrt(ln(1.25 / delta)) / epsilon"),
        answer("sqrt(2 * ln(1.25 / delta)) / epsilon", claim='("epsilon", "delta / 4")'),
        answer("sqrt(2 * ln(0.5 / delta)) / epsilon"),
        answer(CLASSICAL, claim='("epsilon / 2", "delta")'),
        answer(CLASSICAL, noise="laplace"),  # its loss is not normal: at (ε, δ) it needs 1 / ε
    ],
)
def test_wrong_neighbours_are_never_proved(text):
    assert not proved(text)


def test_noise_of_another_law_is_no_gaussian():
    text = answer(CLASSICAL).replace("x: float", "x: int").replace("-> float", "-> int")
    module = parse_text(HEAD + text.replace("gaussian(", "discrete_gaussian("))
    for each in attempts(module, "f", "f.py", 8):
        if isinstance(each, Certificate) and each.proof.parts[0].kind == "gaussian":
            assert not isinstance(check_certificate(each, module), Proved)


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(9, 5)])
def test_what_is_proved_is_true(epsilon, delta):
    """The square of the distance in standard deviations is ε² / (2 ln(1.25/δ)): a little more is assumed here."""
    ratio = epsilon**2 / Fraction(2 * log(1.25 / float(delta))) * (1 + Fraction(1, 10**9))
    assert gaussian_delta(ratio, epsilon) <= delta

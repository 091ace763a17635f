"""The value of a claim is exact, or an interval around it."""

from fractions import Fraction

import mpmath
import pytest

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.run.claim_values import enclosed
from lapwing.source.parse import parse_text


def claim(text):
    head = "def f(q: list[float], p: float, epsilon: float) -> float:\n    return 0\n"
    return parse_text(f"@mechanism(q=each(1), claim={text!r})\n{head}")["f"].claim.epsilon


def test_rational_claims_are_exact():
    assert enclosed(claim("(1 + 6 * p) / 4 * epsilon"), {"p": 2, "epsilon": Fraction(1, 3)}).is_exact
    assert enclosed(claim("len(q) * epsilon"), {"q": (1, 2, 3), "epsilon": Fraction(1, 10)}).lower == Fraction(3, 10)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ln(3)", lambda _p, _e: mpmath.log(3)),
        ("log(1 + 1 / (1 - p)) + epsilon", lambda p, e: mpmath.log(1 + 1 / (1 - p)) + e),
        ("max(ln(1 + p), ln(2), 0.1)", lambda p, _e: max(mpmath.log(1 + p), mpmath.log(2))),
        ("sqrt(2 * p) * epsilon - exp(-p) / 3", lambda p, e: mpmath.sqrt(2 * p) * e - mpmath.exp(-p) / 3),
        ("ln(p) if p > 1 else -ln(p)", lambda p, _e: -mpmath.log(p)),
        ("abs(ln(p))", lambda p, _e: -mpmath.log(p)),
    ],
)
def test_irrational_claims_are_enclosed(text, value):
    p, epsilon = Fraction(1, 3), Fraction(7, 5)
    with mpmath.workdps(60):
        true = value(mpmath.mpf(1) / 3, mpmath.mpf(7) / 5)
        found = enclosed(claim(text), {"p": p, "epsilon": epsilon})
        assert not found.is_exact
        # mpmath has 60 digits; the interval is far wider than its error
        assert mpmath.mpf(found.lower.numerator) / found.lower.denominator <= true
        assert true <= mpmath.mpf(found.upper.numerator) / found.upper.denominator
    assert found.width < Fraction(1, 10**20)


def test_claims_without_a_value():
    for text in ("ln(0)", "ln(-p)", "sqrt(-1 - p)", "ln(p - p)"):
        with pytest.raises(InvalidInput, match="P214"):
            enclosed(claim(text), {"p": Fraction(1, 3), "epsilon": 1})
    with pytest.raises(LapwingError):
        enclosed(claim("1 / (p - p)"), {"p": Fraction(1, 3), "epsilon": 1})
    with pytest.raises(InvalidInput, match="P204"):
        enclosed(claim("sum([ln(2)])"), {"p": Fraction(1, 3), "epsilon": 1})

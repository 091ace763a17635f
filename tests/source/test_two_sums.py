"""A difference of two sums over records is one number, and a run answers what Python does."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

PROGRAM = """
@mechanism(q=each(1))
def f(q: list[float], n: int) -> list[float]:
    out = []
    for b in range(n):
        low = sum([min(x, b) for x in q])
        {between}
        high = {high}
        {use}
    return out
"""
HIGH = "sum([min(x, b + 1) for x in q])"


def agrees(use, high=HIGH, between="c = b"):
    text = PROGRAM.format(use=use, high=high, between=between)
    module = parse_text(text)
    for seed in range(60):
        chance = random.Random(seed)
        given = {"q": tuple(Fraction(chance.randrange(-6, 9), 2) for _ in range(5)), "n": chance.randrange(4)}
        draws = [Fraction(chance.randrange(-8, 9), 4) for _ in range(40)]
        check_like_python(text, module, "f", given, listed(draws))
    return show_mechanism(module["f"])


@pytest.mark.parametrize(
    ("use", "high"),
    [
        ("out.append(low - high + laplace(1))", HIGH),
        ("out.append(high - low)", HIGH),
        ("out.append(laplace(1) + 2 * (low + high))", HIGH),
        ("if low - high + laplace(1) > 0:\n            out.append(b)", HIGH),
        ("d = low - high\n        out.append(d + laplace(1) * d)", HIGH),
        ("out.append(low - high)", "len([x for x in q if x > b])"),
    ],
)
def test_they_are_one(use, high):
    assert "together_1 = " in agrees(use, high)


@pytest.mark.parametrize(
    ("use", "high", "between"),
    [
        ("out.append(low - high)\n        out.append(low)", HIGH, "c = b"),  # one is looked at besides
        ("out.append(low * high)", HIGH, "c = b"),
        ("out.append(low - high)", "b + 1", "c = b"),
        ("out.append(low - c)", HIGH, "c = b"),
        ("if b > 1:\n            high = 0\n        out.append(low - high)", HIGH, "c = b"),
        ("out.append(low - high)", HIGH, "b = b + 1"),  # the first is of another b
    ],
)
def test_others_stay_apart(use, high, between):
    assert "together" not in agrees(use, high, between)

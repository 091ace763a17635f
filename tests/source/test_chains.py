"""A chain of comparisons draws its last operand where Python does: when all before it hold."""

import random
from fractions import Fraction

import pytest

from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

PROGRAM = """
def noisy(v: float) -> float:
    return v + laplace(1)
@mechanism(q=each(1))
def f(q: list[float], n: int) -> list[bool]:
    out = []
    for i in range(n):
        {body}
    return out
"""


@pytest.mark.parametrize(
    "body",
    [
        "out.append(0 <= i < laplace(1))",
        "out.append(laplace(1) <= i < laplace(1))",
        "if 0 <= i < n < i + laplace(1):\n            out.append(laplace(1) > 0)",
        "out.append(2 ** i <= n < 2 ** (i + 1))",
        "out.append(not 0 < i <= noisy(2) or 1 < i < noisy(3))",
        "out.append(i < noisy(1) if i == 1 != n > laplace(1) else False)",
    ],
)
def test_a_chain_does_what_python_does(body):
    text = PROGRAM.format(body=body)
    module = parse_text(text)
    for seed in range(60):
        chance = random.Random(seed)
        draws = [Fraction(chance.randrange(-8, 20), 4) for _ in range(40)]
        check_like_python(text, module, "f", {"q": (), "n": chance.randrange(6)}, listed(draws))

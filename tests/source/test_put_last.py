"""What both sides of a private test put into a list is put there after it, and Python says the same."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

LOOP = """
@mechanism(q=one(1))
def f(q: list[int], n: int) -> list[float]:
    out = []
    other = []
    for c in q:
        if {test}:
            noisy = c + laplace(1)
            if noisy > n:
                {shown}
            else:
                {hidden}
        else:
            {none}
    return out
"""
USUAL = {"test": "c > 0", "shown": "out.append(noisy)", "hidden": "out.append(0)", "none": "out.append(-1)"}
NESTED = "if c > 1:\n                    out.append(7)\n                else:\n                    out.append(8)"


def text(**changed):
    return LOOP.format(**{**USUAL, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"none": "other.append(c)\n            out.append(2)"},
        {"test": "c > n and n > 0"},
        {"hidden": NESTED},
    ],
)
def test_it_is_put_once(changed):
    module = parse_text(text(**changed))
    assert show_mechanism(module["f"]).count("out.append(") == 1
    for seed in range(60):
        chance = random.Random(seed)
        given = {"q": tuple(chance.randrange(-2, 4) for _ in range(chance.randrange(7))), "n": chance.randrange(3)}
        draws = [Fraction(chance.randrange(-2, 3)) for _ in range(10)]
        check_like_python(text(**changed), module, "f", given, listed(draws))


@pytest.mark.parametrize(
    "changed",
    [
        {"test": "n > 0"},  # public: both runs go the same way
        {"test": "c + laplace(1) > 0"},  # noisy: a proof has both runs go the same way
        {"none": "other.append(0)"},
        {"hidden": "n = n"},
        {"hidden": "out.append(0)\n                out.append(1)"},
        {"none": "out.append(len(out))"},
    ],
)
def test_other_tests_stay_as_they_are(changed):
    assert "put_" not in show_mechanism(parse_text(text(**changed))["f"])

"""Laplace noise from one-sided draws: one draw in their place, none where one of them is told besides."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.source import parse_text
from lapwing.source.printed_modules import show_module
from tests.strangers import strangers

HEAD = "from lapwing import *\n@mechanism(x=within(1))\ndef f(x: float, b: float) -> list[float]:\n    "
JOINED = [
    "return [x + exponential(b) - exponential(b)]",
    "return [3 - (exponential(b) - (x + exponential(b)))]",
    "u = exponential(b)\n    y = 2 * x\n    v = exponential(b)\n    return [u + y - v]",
    "u = exponential(b)\n    return [x + (u if flip(0.5) else -u)]",
    "s = -1 if flip(1 / 2) else 1\n    return [x + exponential(b) * s]",
    "u = exponential(b)\n    if not flip(1 / 2):\n        u = -u\n    return [x + u]",
]
#: Two scales, a sum, a factor, a draw that is told besides, a coin that is not fair or is told, a scale that changes.
APART = [
    "return [x + exponential(b) - exponential(2 * b)]",
    "return [x + exponential(b) + exponential(b)]",
    "return [x + exponential(b) - 2 * exponential(b)]",
    "u = exponential(b)\n    return [x + u - exponential(b), u]",
    "c = b\n    u = exponential(c)\n    c = 2 * b\n    return [x + u - exponential(c)]",
    "u = exponential(b)\n    return [x + (u if flip(1 / 3) else -u)]",
    "u = exponential(b)\n    c = flip(1 / 2)\n    return [x + (u if c else -u), 1 if c else 0]",
    "u = exponential(b)\n    v = u\n    if flip(1 / 2):\n        u = -u\n    return [x + u, v]",
    "u = exponential(b)\n    out = [u]\n    if flip(1 / 2):\n        u = -u\n    out.append(x + u)\n    return out",
]
MEANT = {"right": "proved", "wrong": "refuted"}


def read(body):
    return show_module(parse_text(HEAD + body + "\n"))


@pytest.mark.parametrize("body", JOINED)
def test_one_draw_is_made(body):
    assert read(body).count("laplace(b)") == 1
    assert "exponential(" not in read(body)


@pytest.mark.parametrize("body", APART)
def test_what_is_another_law_stays(body):
    assert "laplace(" not in read(body)


def test_each_round_draws_its_own():
    looped = read(
        "out = []\n    for i in range(3):\n        out.append(x + exponential(b) - exponential(b))\n    return out"
    )
    assert "        noise_1 = laplace(b)" in looped


@pytest.mark.parametrize(
    "program", [each for each in strangers() if each.shelf == "two_sided"], ids=lambda each: each.name
)
def test_decided(program):
    assert decide_text(program.text, program.name).verdict == MEANT[program.truth]

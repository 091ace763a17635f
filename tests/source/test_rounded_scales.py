"""Scales with a root below: read as one that is rounded up, also by way of variables; an ε over a root stays."""

import pytest

from lapwing.source import parse_text
from lapwing.source.printed_modules import show_module

HEAD = "from lapwing import *\n@mechanism(x=within(1))\ndef f(x: float, k: int, r: float) -> float:\n    "
RISING = [
    ("return x + gaussian(1 / sqrt(r))", "1 * sqrt(r) / r"),
    ("s = 1 / sqrt(2 * r)\n    return x + gaussian(s)", "1 * sqrt(2 * r) / (2 * r)"),
    ("s = 1 / sqrt(r)\n    t = 2 * s / k\n    return x + laplace(t * 3)", "1 * sqrt(r) / r"),
    ("return x + gaussian(2 / (k * sqrt(r)))", "2 * sqrt(r) / (k * r)"),
    ("s = (2 / k) / sqrt(r)\n    return x + gaussian(s)", "2 / k * sqrt(r) / r"),
    ("return choose([x, 0], 1 / sqrt(r)) * 1.0", "1 * sqrt(r) / r"),
]
#: A variable that something else reads too, that is set twice, or where less is more noise.
OTHERS = [
    "e = 1 / sqrt(r)\n    return x + laplace(1 / e)",
    "s = 1 / sqrt(r)\n    return s + x + laplace(s)",
    "s = 1 / sqrt(r)\n    s = s + 1\n    return x + laplace(s)",
    "s = 1 / sqrt(r)\n    return x + laplace(k - s)",
    "s = 1 / sqrt(r)\n    if s > 1:\n        return 0\n    return x + laplace(s)",
]


@pytest.mark.parametrize(("body", "read"), RISING)
def test_a_scale_is_rounded_up(body, read):
    text = show_module(parse_text(HEAD + body + "\n"))
    assert read in text
    assert "/ sqrt" not in text


@pytest.mark.parametrize("body", OTHERS)
def test_what_is_no_scale_alone_stays(body):
    assert "1 / sqrt(r)" in show_module(parse_text(HEAD + body + "\n"))


@pytest.mark.parametrize("body", [body for body, _ in RISING] + OTHERS)
def test_reading_it_again_changes_nothing(body):
    module = parse_text(HEAD + body + "\n")
    assert parse_text(show_module(module)) == module

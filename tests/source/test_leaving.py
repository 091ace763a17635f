"""Loops that leave first: what they begin with is what they ask, and they mean what they meant."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed
from tests.strangers import strangers

LOOP = """
@mechanism(x=one(1))
def f(x: list[int], n: int, stop: bool) -> list[int]:
    out = []
    i = 0
    while True:
        {first}
        out.append(i)
        if i == 2:
            i += 2
            continue
        i += 1
    return out
"""
LEAVING = {
    "if i >= n:\n            break": "while i < n:",
    "if i >= n or (stop and i > 1):\n            break": "while i < n and (not stop or i < 2):",
    "if not i < n:\n            break": "while i < n:",
    "if i == n:\n            break\n        if i > n:\n            break": "while i != n and i <= n:",
}
#: What does more than leave, or leaves later.
OTHERS = [
    "if i >= n:\n            out.append(7)\n            break",
    "if i >= n:\n            break\n        else:\n            out.append(8)",
    "out.append(9)\n        if i >= n:\n            break",
]
MEANT = {"right": "proved", "wrong": "refuted"}


def module(first):
    return parse_text("from lapwing import mechanism, one\n" + LOOP.format(first=first))


@pytest.mark.parametrize("n", [0, 2, 5])
@pytest.mark.parametrize("first", [*LEAVING, *OTHERS])
def test_it_means_what_python_means(first, n):
    for stop in (False, True):
        given = {"x": [], "n": n, "stop": stop}
        check_like_python(LOOP.format(first=first), module(first), "f", given, listed([]))


@pytest.mark.parametrize("first", LEAVING)
def test_the_loop_asks(first):
    assert LEAVING[first] in show_mechanism(module(first)["f"])


@pytest.mark.parametrize("first", OTHERS)
def test_others_stay(first):
    assert "while True:" in show_mechanism(module(first)["f"])


@pytest.mark.parametrize(
    "program", [each for each in strangers() if each.shelf == "leaving"], ids=lambda each: each.name
)
def test_decided(program):
    assert decide_text(program.text, program.name).verdict == MEANT[program.truth]

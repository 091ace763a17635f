"""A while that walks through a list is a for, and Python says the same."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

LOOP = """
@mechanism(q=each(1))
def f(q: list[float], n: int, t: float) -> {returns}:
    i = {start}
    hits = 0
    last = -1
    while {test}:
        {first}
        if q[i] + laplace(1) > 2:
            hits += 1
            last = i
            {then}
        {step}
    return {answer}
"""
USUAL = {"test": "i < len(q) and hits < n", "step": "i += 1", "answer": "last", "returns": "int"}
USUAL |= {"start": "0", "first": "t = 0", "then": "t = 1"}


def text(**changed):
    return LOOP.format(**{**USUAL, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"test": "hits < n and i < len(q)"},
        {"test": "len(q) > i and hits < n"},
        {"test": "last < 0 and i < len(q) and hits != n"},
        {"step": "i = i + 1"},
        {"answer": "hits"},
        {"then": "break"},
        {"test": "i < 3 and hits < n and not hits == 7"},
        {"test": "i < n and hits < 2"},
    ],
)
def test_it_is_a_for(changed):
    module = parse_text(text(**changed))
    assert "for i in range(" in show_mechanism(module["f"])
    for seed in range(60):
        chance = random.Random(seed)
        given = {"q": tuple(Fraction(chance.randrange(4)) for _ in range(chance.randrange(3, 8)))}
        given |= {"n": chance.randrange(4), "t": Fraction(0)}
        draws = [Fraction(chance.randrange(3)) for _ in range(20)]
        check_like_python(text(**changed), module, "f", given, listed(draws))


@pytest.mark.parametrize(
    "changed",
    [
        {"answer": "i"},
        {"test": "i < len(q)"},  # proofs by hand speak of its counter
        {"start": "1"},
        {"step": "i += 2"},
        {"then": "i += 1"},
        {"first": "n = n + 1", "test": "i < n and i < 5"},
        {"test": "i < len(q) and i != n"},
        {"test": "i <= len(q) - 1"},
        {"then": "continue"},
    ],
)
def test_other_loops_stay_as_they_are(changed):
    assert "while " in show_mechanism(parse_text(text(**changed))["f"])


UNTIL = """
@mechanism(q=each(1))
def f(q: list[float], n: int) -> list[int]:
    i = 0
    {flag} = {first}
    seen = 0
    while {test}:
        seen += 1
        if q[i] + laplace(1) > 2:
            {then}
        else:
            {otherwise}
    return [i, seen, 1 if {flag} else 0]
"""
FOUND = {"flag": "found", "first": "False", "test": "not found and i < len(q)", "then": "found = True"}
FOUND |= {"otherwise": "i += 1"}


def until(**changed):
    return UNTIL.format(**{**FOUND, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"test": "i < len(q) and not found"},
        {"test": "i < n and not found"},
        {"then": "seen += i\n            found = True\n            seen += 2"},
        {"then": "seen += sum([i for i in [1, i]])\n            found = True"},
        {"otherwise": "seen += i\n            i = i + 1"},
        {"flag": "going", "first": "True", "test": "going and i < len(q)", "then": "going = False"},
        {"first": "True"},
        {"then": "i += 1", "otherwise": "found = True"},
    ],
)
def test_until_a_round_says_so(changed):
    module = parse_text(until(**changed))
    assert "for round_1 in range(" in show_mechanism(module["f"])
    for seed in range(60):
        chance = random.Random(seed)
        given = {"q": tuple(Fraction(chance.randrange(4)) for _ in range(chance.randrange(3, 8)))}
        given |= {"n": chance.randrange(4)}
        draws = [Fraction(chance.randrange(3)) for _ in range(20)]
        check_like_python(until(**changed), module, "f", given, listed(draws))


@pytest.mark.parametrize(
    "changed",
    [
        {"then": "found = i > 1"},
        {"then": "found = True\n            i += 1"},
        {"otherwise": "i += 2"},
        {"otherwise": "found = False\n            i += 1"},
        {"otherwise": "if seen > 2:\n                continue\n            i += 1"},
        {"test": "not found and i < len(q) and i != n"},
    ],
)
def test_other_ways_to_stop_stay_as_they_are(changed):
    assert "while " in show_mechanism(parse_text(until(**changed))["f"])

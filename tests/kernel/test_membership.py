"""Counters that are looked for in a public list: read at a place of a list of truth values, where that is the same."""

from dataclasses import replace

import pytest

from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.relational.membership import members
from lapwing.search.privacy.attempts import attempts
from lapwing.source.parse import parse_text
from tests.search.privacy.proving import proved
from tests.strangers import HEAD

MASKED = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], taken: list[int], epsilon: float) -> int:
    best = -1
    top = 0.0
    for {counter}:
        {skip}
        v = q[i] + laplace({scale} / epsilon)
        if best < 0 or v > top:
            best = i
            top = v
    return best
"""


def masked(counter="i in range(len(q))", skip="if i in taken:\n            continue", scale=2):
    return HEAD + MASKED.format(counter=counter, skip=skip, scale=scale)


def replaced(text):
    [mechanism] = parse_text(text)
    made = members(mechanism)
    read = [part for part in walk.nodes(made) if isinstance(part, ir.Index) and part.element == ir.Boolean()]
    assert bool(read) == (len(made.parameters) > len(mechanism.parameters)) == (made is not mechanism)
    return made is not mechanism


@pytest.mark.parametrize(
    "text",
    [
        masked(),
        masked("i, x in enumerate(q)"),
        masked(skip="if not (i not in taken or i in taken):\n            continue"),
    ],
)
def test_a_masked_maximum_is_proved(text):
    assert replaced(text)
    assert proved(text, "f").bound == "epsilon"


def test_half_the_noise_is_not():
    module = parse_text(masked(scale=1))
    found = [each for each in attempts(module, "f", "f.py", 5.0) if isinstance(each, Certificate)]
    assert all(each.bound != "epsilon" for each in found if isinstance(check_certificate(each, module), Proved))


@pytest.mark.parametrize(
    "text",
    [
        masked("i in range(-1, len(q))"),  # from the end, where a place is below 0
        masked("i in range(len(taken), len(q))"),
        masked(skip="i = i - 1\n        if i in taken:\n            continue"),
        masked(skip="j = i - 2\n        if j in taken:\n            continue"),
        masked(skip="if i + 1 in taken:\n            continue"),
        masked().replace("taken: list[int]", "taken: list[float]"),
        masked().replace("q=each(1)", "q=each(1), taken=replaced()"),
        masked().replace("top = 0.0", "top = 0.0\n    taken = [1]"),
        masked().replace("best = -1", "best = -1\n    mine = []").replace("i in taken", "i in mine"),
    ],
)
def test_whatever_is_not_certainly_the_same_stays_as_it_is(text):
    assert not replaced(text)


@pytest.mark.parametrize("bound", ["len(%members.taken) * epsilon", "len(members) * epsilon", "%members.taken"])
def test_no_bound_can_speak_of_the_list(bound):
    """A certificate whose bound has a name that the mechanism has not would say nothing."""
    module = parse_text(masked())
    right = proved(masked(), "f")
    assert isinstance(check_certificate(right, module), Proved)
    assert not isinstance(check_certificate(replace(right, bound=bound), module), Proved)

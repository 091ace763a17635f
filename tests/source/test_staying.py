"""A loop that fills a list and is left before its end goes through all its rounds, and answers what Python does."""

import random
from fractions import Fraction
from inspect import cleandoc
from textwrap import indent

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

HEAD = "@mechanism(q=each(1))\ndef f(q: list[float], n: int, k: int) -> list[float]:\n    out = [0] * len(q)\n"
STAYING = """
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        out[i] = 1
        break
return out

## a test first
used = 0
for i, x in enumerate(q):
    if used >= n:
        break
    if x + laplace(1) > k:
        out[i] = x + laplace(2)
        used += 1
return out

## both sides
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        out[i] = 1
    else:
        out[i] = -1
        if laplace(2) > 1:
            break
    out[i] += 10
return out

## in the middle
for i in range(len(q)):
    v = q[i] + laplace(1)
    if v > k:
        out[i] = v
        if v > k + 1:
            break
    else:
        out[i] = -v
    if laplace(1) > 2:
        break
    out[i] = out[i] + 5
return out

## whatever happens
for i in range(len(q)):
    out[i] = laplace(1)
    if q[i] > 0:
        if out[i] > 0:
            break
        else:
            out[i] = 7
            break
    out[i] = 8
return out

## while
i = 0
while i < len(q):
    if q[i] + laplace(1) > k:
        out[i] = 1
        break
    i += 1
return out
"""
LEFT = """
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        out[i] = 1
        break
return [out[i], i] if len(q) > 0 else out

## returned
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        out[i] = 1
        return out
return out

## continued
for i in range(len(q)):
    if q[i] > 1:
        continue
    if q[i] + laplace(1) > k:
        out[i] = 1
        break
return out
"""


def bodies(text):
    return [indent(cleandoc(part.split("\n", 1)[1]), "    ") + "\n" for part in f"\n{text}".split("\n## ")]


def agrees(text):
    module = parse_text(text)
    for seed in range(80):
        chance = random.Random(seed)
        given = {
            "q": tuple(Fraction(chance.randrange(-6, 9), 2) for _ in range(chance.randrange(6))),
            "n": chance.randrange(3),
            "k": chance.randrange(4),
        }
        draws = [Fraction(chance.randrange(-8, 9), 4) for _ in range(40)]
        check_like_python(text, module, "f", given, listed(draws))
    return show_mechanism(module["f"])


@pytest.mark.parametrize("body", bodies(STAYING))
def test_it_stays(body):
    shown = agrees(HEAD + body)
    assert "break" not in shown
    assert "out.append(" in shown


@pytest.mark.parametrize("body", bodies(LEFT)[1:])
def test_what_ends_in_another_way_is_left(body):
    assert "out.append(" not in agrees(HEAD + body)


def test_where_the_loop_was_left_is_still_known():
    text = HEAD.replace("-> list[float]", "-> tuple[list[float], int]") + bodies(LEFT)[0]
    text = text.replace("return [out[i], i] if len(q) > 0 else out", "return out, i").replace(
        "    for", "    i = -1\n    for"
    )
    assert "out.append(" not in show_mechanism(parse_text(text)["f"])

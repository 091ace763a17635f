"""Answers given inside a private test are given after it, noise that it hides is drawn in it; Python says the same."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program import ir, walk
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

HEAD = "@mechanism(q=one(1))\ndef f(q: list[int], n: int) -> {returns}:\n    "
#: In these private data decide where they return.
RETURNS = """
## float
if q[0] == 0:
    return 0
v = q[0] + laplace(1)
if v < n:
    return 0
return v

## float
if q[0] > 0:
    v = q[0] + laplace(1)
    if v > n:
        return v
return 0

## tuple[bool, float]
if q[0] > n:
    if q[1] > 0:
        return True, laplace(1)
elif q[1] > 1:
    return False, 1
return False, 0

## float
x = 1
if q[0] > 0:
    x = 2
if q[1] > 0:
    return laplace(1) + x
else:
    return x

## float
if q[0] > 0:
    for c in q:
        n += c
    return n + laplace(1)
return laplace(2)
"""
#: In these what is public decides, or noise, or a loop; or much would be said twice.
LEFT = """
## float
if n > 0:
    return 0
return q[0] + laplace(1)

## float
if q[0] + laplace(1) > 0:
    return 0
return laplace(1)

## float
if q[0] > 0:
    for c in q:
        if c > 1:
            return c
return laplace(1)

## float
if q[0] > 0:
    if q[1] > 0:
        return 1
    n += 1
else:
    n += 2
    if q[1] > 1:
        return 2
return laplace(1) + n
"""
#: In these nobody sees the noise where a private test fails.
WITHIN = """
## list[float]
out = []
for c in q:
    v = c + laplace(1)
    if c > 0 and v > n:
        out.append(v)
    else:
        out.append(0)
return out

## float
noise = laplace(1)
v = q[0] + noise
if q[0] > 0 and q[1] > 0 and v > n:
    return v
return 0

## float
noise = laplace(1)
if q[0] > 0 and q[0] + noise > n:
    return noise + n
return 0
"""
#: In these somebody sees it, or what decides is public or noisy.
STAYING = """
## float
v = q[0] + laplace(1)
if q[0] > 0 and v > n:
    return 1
return v

## float
v = laplace(1)
if q[0] > 0 and v > n:
    return 1
else:
    return 0 + v

## float
v = laplace(1)
if q[0] + v > 0 and v > n:
    return 1
return 0

## float
v = laplace(1)
if n > 0 and v > q[0]:
    return 1
return 0

## float
v = 0
w = 0
for c in q:
    w = w + v
    v = laplace(1)
    if c > 0 and v > n:
        w = w + 1
return w

## float
v = laplace(1)
if q[0] > 0 and v > n:
    return 1
else:
    return laplace(3)
"""


def listed_in(shelf):
    return [each.split("\n", 1) for each in shelf.strip().removeprefix("## ").split("\n## ")]


def program(returns, body):
    text = HEAD.format(returns=returns) + body.replace("\n", "\n    ") + "\n"
    return text, parse_text(text)


def check(text, module, *, drawn):
    """Python says the same with the same noise, as long as both draw ``drawn``: always, or the last or none."""
    for seed in range(40):
        chance = random.Random(seed)
        given = {"q": tuple(chance.randrange(-1, 4) for _ in range(3)), "n": chance.randrange(3)}
        draws = [Fraction(chance.randrange(-4, 5))] * 10 if drawn == "alike" else None
        draws = draws or [Fraction(chance.randrange(-4, 5)) for _ in range(10)]
        check_like_python(text, module, "f", given, listed(draws), counted=drawn != "alike")


def returns_of(module):
    return sum(isinstance(each, ir.Return) for each in walk.statements(module["f"].body))


@pytest.mark.parametrize(("returns", "body"), listed_in(RETURNS))
def test_it_is_returned_once(returns, body):
    text, module = program(returns, body)
    assert returns_of(module) == 1
    check(text, module, drawn="in order")


@pytest.mark.parametrize(("returns", "body"), listed_in(LEFT))
def test_what_is_decided_otherwise_stays(returns, body):
    text, module = program(returns, body)
    assert returns_of(module) > 1
    check(text, module, drawn="in order")


def draws_inside(module):
    """Whether some draw stands inside a branch."""
    inside = [each for each in walk.statements(module["f"].body) if isinstance(each, ir.If)]
    return any(isinstance(each, ir.Sample) for one in inside for each in walk.statements(one.then))


@pytest.mark.parametrize(("returns", "body"), listed_in(WITHIN))
def test_noise_that_is_hidden_is_drawn_where_it_is_seen(returns, body):
    text, module = program(returns, body)
    assert draws_inside(module)
    check(text, module, drawn="alike")


@pytest.mark.parametrize(("returns", "body"), listed_in(STAYING))
def test_noise_that_is_seen_stays_where_it_is(returns, body):
    text, module = program(returns, body)
    assert not draws_inside(module)
    check(text, module, drawn="in order")

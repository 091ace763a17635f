"""``else`` after a loop, and helpers that return from inside one or say things in idioms, do what Python does."""

import random
from fractions import Fraction
from inspect import cleandoc
from textwrap import indent

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

#: Bodies of a loop's function over q (private), pub (public) and k: in a mechanism, or in a helper that it calls.
WITH_ELSE = """
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        where = i
        break
else:
    where = -1
return where

## set before, and kept where the loop is left
where = 7
for x in q:
    if x + laplace(1) > k:
        break
else:
    where = -1
return where

## set on the way, not only on the way out
where = 0
for i, x in enumerate(q):
    where = i
    if x + laplace(1) > k:
        where = i * 10
        break
else:
    where = -1
return where

## set, and then not left
where = 5
for i, x in enumerate(q):
    if x + laplace(1) > 0:
        where = i
        if x > k:
            continue
        break
else:
    where = k
return where

## read inside
where = 0
for i, x in enumerate(q):
    where += i
    if x + laplace(1) > k:
        break
else:
    where = where + 100
return where

## without a break
n = 0
for x in q:
    if x + laplace(1) > k:
        n += 1
else:
    n += 100
return n

## while, with one inside another
i = 0
found = 0
while i < len(q):
    for y in pub:
        if q[i] + laplace(1) > y:
            found = i
            break
    else:
        i += 1
        continue
    break
else:
    found = -1
return found
"""
RETURNING = """
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        return i
return -1

## with a loop around it
for i in range(len(q)):
    for y in pub:
        if q[i] + laplace(1) > y:
            return i
return len(q)

## one after the other
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        return i
m = 0
for x in q:
    m += 1
    if x + laplace(2) > k:
        return m + 10
return m - 50

## left, and returned from
for i in range(len(q)):
    if q[i] + laplace(1) > k:
        return i
    if q[i] > 9:
        break
return 0 - k

## endless
i = 0
while True:
    if i >= len(q):
        return -1
    if q[i] + laplace(1) > k:
        return i
    i += 1

## endless, and left
i = 0
n = 3
while True:
    for y in pub:
        if i >= len(q):
            break
        if q[i] + laplace(1) > y:
            return i
    i += 1
    if i > len(q):
        break
n = n + i
return n if n > 4 else 0

## in a branch
if k > 2:
    for x in q:
        if x + laplace(1) > k:
            return 1
    n = 2
else:
    for x in q:
        if x + laplace(3) > k:
            return 3
    n = 4
return n

## what the loop counts
n = 0
for x in q:
    n += 1
    if x + laplace(1) > k:
        return n
return n

## what the loop counts, and something else
n = 0
for x in q:
    n += 1
    if x + laplace(1) > k:
        return 100
return n

## else, and a return
for i, x in enumerate(q):
    if x + laplace(1) > k:
        return i
    if x > 3:
        break
else:
    return -7
return 40
"""
IDIOMS = """
best = float('-inf')
where = 0
for i, x in enumerate(q):
    if x + laplace(1) > best:
        best = x
        where = i
return where

## a variable of the loop
n = 0
for x in q:
    x = x + laplace(1)
    n += 1 if x > k else 0
return n

## what any and count say
ys = []
for x in q:
    ys += [x + laplace(1)]
return pub.count(7) if any(y > k for y in ys) else 0
"""
MECHANISM = "@mechanism(q=each(1))\ndef f(q: list[float], pub: list[float], k: int) -> int:\n"
HELPER = "def g(q: list[float], pub: list[float], k: int) -> int:\n"


def bodies(text):
    return [indent(cleandoc(part.split("\n", 1)[1]), "    ") + "\n" for part in f"\n{text}".split("\n## ")]


def agrees(text):
    module = parse_text(text)
    for seed in range(60):
        chance = random.Random(seed)
        given = {
            "q": tuple(Fraction(chance.randrange(-4, 12), 2) for _ in range(chance.randrange(6))),
            "pub": tuple(Fraction(chance.randrange(9)) for _ in range(chance.randrange(4))),
            "k": chance.randrange(5),
        }
        draws = [Fraction(chance.randrange(-8, 9), 4) for _ in range(60)]
        check_like_python(text, module, "f", given, listed(draws))


@pytest.mark.parametrize("body", bodies(WITH_ELSE) + bodies(RETURNING) + bodies(IDIOMS))
def test_a_mechanism_does_what_python_does(body):
    agrees(MECHANISM + body)


@pytest.mark.parametrize("body", bodies(WITH_ELSE) + bodies(RETURNING) + bodies(IDIOMS))
def test_a_helper_does_what_python_does(body):
    agrees(HELPER + body + MECHANISM + "    n = g(q, pub, k)\n    return n * 3 + g(q, pub, 1)\n")


def test_what_only_one_way_sets_is_refused():
    loop = "    for i in range(k):\n        if q[i] + laplace(1) > k:\n            r, k = i, 0\n            break\n"
    with pytest.raises(InvalidProgram, match="P173"):
        parse_text(MECHANISM + loop + "    else:\n        r = k\n    return r\n")


def test_a_list_that_grows_is_returned_as_it_is_then():
    body = "    out = []\n    for x in q:\n        out.append(x + laplace(1))\n"
    body += "        if x > k:\n            return out\n    return out\n"
    helper = HELPER.replace("-> int", "-> list[float]") + body
    agrees(helper + MECHANISM.replace("-> int", "-> list[float]") + "    return g(q, pub, k)\n")


def test_defaults_of_helpers():
    helper = (
        "SENS = 2\ndef g(v: float, e: float = SENS * 2, t: float = -1) -> float:\n    return v * e + t + laplace(1)\n"
    )
    calls = "g(k) + g(k, 2) + g(k, t=3) + g(v=k, t=laplace(1)) + g(k, 5, 6)"
    agrees(helper + MECHANISM.replace("-> int", "-> float") + f"    return {calls}\n")


def test_constants_of_constants():
    head = "LOW, HIGH = 1, 5\nWIDTH = HIGH - LOW\nEDGES = [LOW, WIDTH * 2, HIGH]\nWIDTHS = [WIDTH, -WIDTH]\n"
    agrees(
        head + MECHANISM.replace("-> int", "-> float") + "    return WIDTH * k + EDGES[1] + WIDTHS[1] * len(EDGES)\n"
    )


@pytest.mark.parametrize(
    "head",
    [
        "WIDTH = HIGH - 1\nHIGH = 5\n",  # Python knows no HIGH yet
        "HIGH = 5\nWIDTH = HIGH - 1\nHIGH = 6\n",
        "HIGH = 5\nHIGH, WIDTH = HIGH, 2\n",
        "A = [1]\nWIDTH = A\nA.append(2)\n",
    ],
)
def test_what_may_be_another_number_is_no_constant(head):
    with pytest.raises(InvalidProgram, match=r"WIDTH|HIGH"):
        parse_text(head + MECHANISM + "    return len(WIDTH) if 0 else WIDTH + HIGH\n")

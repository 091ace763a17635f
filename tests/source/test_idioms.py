"""What Python's programmers write with its built-ins, and begin with nothing, means what Python does with it."""

from fractions import Fraction

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

HEAD = """import math
{above}
@mechanism(q=each(1))
def program(q: list[float], pub: list[float], k: int) -> {returns}:
    """
GIVEN = {
    "q": [Fraction(each, 2) for each in (6, -2, 8, 8, 5)],
    "pub": [Fraction(7), Fraction(9), Fraction(7)],
    "k": 3,
}
DRAWS = [Fraction(each, 4) for each in (2, 25, -8, 3, 14, -5, 8, 32)]
PROGRAMS = """
## int
best = float('-inf')
for i, x in enumerate(q):
    v = x + laplace(1)
    if v > best:
        best = v
        k = i
return k

## int
best, where = -math.inf, -1
for i in range(len(q)):
    v = q[i] + laplace(1)
    if best < v:
        best, where = v, i
return where

## int
best = None
where = -1
for i, x in enumerate(q):
    v = x + laplace(1)
    if best is None or v < best:
        where, best = i, v
return where

## bool
low: float = float('inf')
for x in q:
    low = min(x + laplace(1), low)
return low < 0

## int
best = -float('inf')
n = 0
for x in q:
    if not x + laplace(1) <= best:
        n += 1
        best = max(best, x)
return n

## int
first, second = -math.inf, -math.inf
n = 0
for x in q:
    if x > first:
        second = first
        first = x
    elif x > second:
        second = x
        n += 1
return n

## bool
best = None
for x in pub:
    if x > 8:
        best = x
return best is not None

## bool
return any(x + laplace(1) > 9 for x in q)

## bool
return not all(x + laplace(1) < 9 for x in q if x > 0)

## bool
x = 2.0
found = any(x + laplace(1) > 9 for x in q)
return found or x > 1

## bool
if any(x > 3.5 for x in q):
    return laplace(1) > 0
return True

## bool
return any([x > 8 for x in pub]) and all(x > 3 for x in pub)

## int
return pub.count(7) + pub.count(k)

## int
return max(range(len(q)), key=lambda i: q[i] + laplace(1))

## int
where = min(range(len(q)), key=lambda i: q[i] + laplace(1))
return where + k

## int
noisy = [x + laplace(1) for x in q]
return max(range(len(noisy)), key=lambda i: noisy[i])

## int
noisy = [x + laplace(1) for x in q]
return max(enumerate(noisy), key=lambda p: p[1])[0]

## int
return max(range(3), key=lambda j: EDGES[j] + laplace(1)) + SIZES[1]

## list[float]
return [laplace(1) + sum(1 for x in q if x > e) for e in EDGES]
"""
ABOVE = "EDGES = [0, 2.5, 4]\nSIZES: tuple = (1, 2)\n"


@pytest.mark.parametrize(("returns", "body"), [each.split("\n", 1) for each in PROGRAMS.strip()[3:].split("\n## ")])
def test_it_means_what_python_does(returns, body):
    text = HEAD.format(above=ABOVE, returns=returns) + body.replace("\n", "\n    ") + "\n"
    check_like_python(text, parse_text(text), "program", GIVEN, listed(DRAWS))


@pytest.mark.parametrize(
    ("above", "body", "code"),
    [
        ("", "best = float('-inf')\nfor x in q:\n    best = max(best, x)\nreturn best", "P111"),
        ("", "best = -math.inf\nbest += 1\nreturn 1.0", "P111"),
        ("", "first = second = -math.inf\nreturn 1.0", "P111"),
        ("", "best = math.inf\nbest = -math.inf\nreturn 1.0", "P111"),
        ("", "best = None\nfor x in q:\n    best = x\nreturn best", "P111"),
        ("", "best, low = -math.inf, math.inf\nif q[0] < low:\n    low = q[0]\nreturn best", "P111"),
        (
            "",
            "best, n = -math.inf, 0\nfor x in q:\n    best, n = max(best, x), n + 1\nreturn 1.0 if best > -5 else 0",
            "P111",
        ),
        ("", "a = -math.inf\nb = -math.inf\nreturn 1.0 if a < b else 0.0", "P111"),
        ("", "best = -math.inf\nreturn sum(1.0 for x in q if x > best) + (0.0 if k > 1 else best)", "P111"),
        ("float = int", "best = float('-inf')\nif 1 > best:\n    return 1.0\nreturn 0.0", "P103|P111|P118"),
        ("", "any = q[0]\nreturn any(x > 3 for x in q)", "P1"),
        ("", "return q[0] if any(x + laplace(1) > 3 for x in q) else laplace(1)", "P118"),
        ("", "t = laplace(1) + (1 if any(x + laplace(1) > 3 for x in q) else 0)\nreturn t", "P118"),
        ("", "return q[0] > 1 or any(x + laplace(1) > 3 for x in q)", "P118"),
        ("", "return max(range(k), key=lambda i: q[i] + laplace(1)) + laplace(1)", "P140"),
        ("", "return [max(range(2), key=lambda i: laplace(1)) for x in q]", "P140"),
        ("EDGES = [1, 2]\nEDGES.append(3)", "return EDGES[0] + q[0]", "P120"),
        ("EDGES = [1, 2]\nEDGES[0] = 3", "return EDGES[0] + q[0]", "P120"),
        ("EDGES = [1, 2]\nEDGES = [3]", "return EDGES[0] + q[0]", "P120"),
        ("EDGES = [1, 'a']", "return EDGES[0] + q[0]", "P120"),
    ],
)
def test_what_is_not_certainly_the_same_is_refused(above, body, code):
    text = HEAD.format(above=above, returns="float") + body.replace("\n", "\n    ") + "\n"
    with pytest.raises(InvalidProgram, match=code):
        parse_text(text)


def test_the_remedy_for_an_infinite_answer():
    text = HEAD.format(above="", returns="float") + "best = -math.inf\n    return max(best, q[0])\n"
    with pytest.raises(InvalidProgram, match="Only compare what begins so") as refused:
        parse_text(text)
    assert "-inf is not a value" in str(refused.value) or "inf is not a value" in str(refused.value)

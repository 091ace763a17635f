"""A tuple in a variable is a variable for each part, where nobody can tell, and runs give what Python gives."""

import re
from fractions import Fraction
from itertools import product

import pytest

from lapwing.kernel.program import ir, walk
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

HEAD = "from lapwing import each, laplace, mechanism\n\n\n"
TEXT = "{head}{more}@mechanism(q=each(1))\ndef f(q: list[float], k: int) -> {returns}:\n{lines}\n"


def read(body, more="", returns="tuple[int, float]"):
    """The mechanism, after its runs were held against Python's."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    text = TEXT.format(head=HEAD, more=more, returns=returns, lines=lines)
    module = parse_text(text, "<text>")
    own = "from fractions import Fraction\n" + re.sub(r"(\d)\.0", r"Fraction(\1)", text.removeprefix(HEAD))
    for q, k in product(([], [Fraction(3)], [Fraction(1), Fraction(-2), Fraction(5)]), (-6, 0, 1)):
        if q or "q[0]" not in text:
            check_like_python(own, module, "f", {"q": q, "k": k}, listed([Fraction(1, 2)] * 9))
    return module["f"]


def tuples(mechanism):
    return [each.name for each in mechanism.variables if isinstance(each.type, ir.Tuple)]


@pytest.mark.parametrize(
    "body",
    [
        "best = (0, 0.0)\nfor i, x in enumerate(q):\n    if x > best[1]:\n        best = (i, x)\nreturn best",
        "best = (0, 0.0)\nfor i, x in enumerate(q):\n    best = (i, x) if x > best[1] else best\nreturn best",
        "a = (k, 1.0)\nb = a\na = (a[0] + 1, a[1] + a[0])\nreturn (b[0] + a[0], a[1])",
        "a = (1, 2.0)\na = (1 if a[1] > 1 else 0, a[0] * 1.0)\nreturn a",
        "a = (1, 2.0)\nreturn a if k > 0 else (0, 0.0)",
        "a = (1, 2.0) if k > 0 else ((2, 3.0) if k > -5 else (3, 4.0))\nx, y = a\nreturn (x, y + a[0])",
    ],
)
def test_no_variable_holds_a_tuple(body):
    assert tuples(read(body)) == []


def test_what_is_read_of_a_tuple_is_read_before_it_is_set():
    mechanism = read("a = (1, 2)\na = (a[1], a[0])\nreturn a", returns="tuple[int, int]")
    settings = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Assign)]
    held = [each.target for each in settings if each.target.startswith("held")]
    assert len(held) == 2


def test_a_helper_may_answer_two_numbers():
    more = "def both(x, y):\n    return x + laplace(1), y\n\n\n"
    assert tuples(read("a, b = both(q[0], 1.0)\nreturn (0, a + b)", more)) == []


@pytest.mark.parametrize(
    "body",
    [
        "xs = [(1, 2.0), (2, 3.0)]\na = xs[0]\nreturn a",  # what a list holds
        "a = ([1, 2], 1.0)\nreturn (a[0][0], a[1])",  # lists are not numbers
    ],
)
def test_other_tuples_stay_as_they_are(body):
    assert tuples(read(body))

"""Words from truth values to numbers and back mean what they mean in Python, and nothing is rounded."""

from fractions import Fraction

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

HEAD = "from lapwing import each, flip, laplace, mechanism\n\n\n"


def text(body, returns="int"):
    return f"@mechanism(q=each(1))\ndef f(q: list[float], k: int, b: bool) -> {returns}:\n    return {body}\n"


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("int(b)", "int"),
        ("int(k)", "int"),
        ("int(q[0] + laplace(1) > k)", "int"),
        ("2 * int(b) + int(not b) * k", "int"),
        ("float(k) + 1 > laplace(1)", "bool"),
        ("float(b) > laplace(1)", "bool"),
        ("bool(k)", "bool"),
        ("bool(b)", "bool"),
        ("b ^ (k > 0)", "bool"),
        ("b & (k > 0) | (k < -1)", "bool"),
        ("b ^ (laplace(1) > k) & (laplace(1) > 0)", "bool"),
        ("sum(int(x > 1) for x in q)", "int"),
    ],
)
@pytest.mark.parametrize("k", [-2, 0, 1])
def test_they_mean_what_python_means(body, returns, k):
    module = parse_text(HEAD + text(body, returns), "<text>")
    for b in (True, False):
        given = {"q": [Fraction(1, 2), Fraction(3)], "k": k, "b": b}
        check_like_python(text(body, returns), module, "f", given, listed([Fraction(1, 2), Fraction(-3), Fraction(1)]))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("int(q[0])", "P118"),
        ("int(k / 2)", "P118"),
        ("int()", "P140"),
        ("int(k, 2)", "P140"),
        ("int(q)", "P118"),
        ("k ^ 2", "P113"),
        ("b & k", "P113"),
        ("k | 1", "P113"),
    ],
)
def test_nothing_is_rounded_and_no_bits_are_moved(body, code):
    with pytest.raises(InvalidProgram, match=code):
        parse_text(HEAD + text(body), "<text>")


def test_a_variable_may_not_be_called_so():
    named = "@mechanism(q=each(1))\ndef f(q: list[float]) -> int:\n    int = 3\n    return int\n"
    with pytest.raises(InvalidProgram, match="P1"):
        parse_text(HEAD + named, "<text>")

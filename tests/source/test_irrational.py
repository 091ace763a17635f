"""``ln``, ``exp`` and ``sqrt`` in programs: of public values, rounded away from 0, however they are imported."""

import pytest

from lapwing import exp, ln, sqrt
from lapwing.errors import LapwingError
from lapwing.source import load, parse_text
from lapwing.source.printed_modules import show_module

HEAD = "from lapwing import laplace, mechanism, replaced, within\n"
SPELLINGS = [
    ("from lapwing import ln, exp, sqrt", "sqrt(k) + ln(2) + exp(1)"),
    ("from lapwing import *", "sqrt(k) + ln(2) + exp(1)"),
    ("", "sqrt(k) + ln(2) + exp(1)"),
    ("from math import exp, log, sqrt", "sqrt(k) + log(2) + exp(1)"),
    ("from math import exp as e, log as l, sqrt as r", "r(k) + l(2) + e(1)"),
    ("import math", "math.sqrt(k) + math.log(2) + math.exp(1)"),
    ("import math as m", "m.sqrt(k) + m.log(2) + m.exp(1)"),
    ("import lapwing", "lapwing.sqrt(k) + lapwing.ln(2) + lapwing.exp(1)"),
    ("from math import exp, log, sqrt\ndef f(k):\n    return sqrt(k) + log(2)", "f(k) + exp(1)"),
    ("TWO = 2\nfrom math import exp, log, sqrt", "sqrt(k) + log(TWO) + exp(TWO / 2)"),
]


def mechanism(head, scale, body="return x + laplace(s)"):
    return (
        f"{HEAD}{head}\n\n\n@mechanism(x=within(1))\ndef f_(x: float, k: int) -> float:\n    s = {scale}\n    {body}\n"
    )


@pytest.mark.parametrize(("head", "scale"), SPELLINGS)
def test_every_spelling_is_the_same_number(head, scale, tmp_path):
    path = tmp_path / "f.py"
    path.write_text(mechanism(head, scale, "return s + 0 * x"))
    found = load(path, "f_").run({"x": 0, "k": 3}, bits=60)
    wanted = sqrt(3) + ln(2) + exp(1)
    assert abs(found - float(wanted)) < 1e-12


def test_printed_programs_read_back():
    module = parse_text(mechanism("", "sqrt(k) + ln(k) / exp(k)"))
    assert parse_text(show_module(module)) == module


@pytest.mark.parametrize(
    ("head", "scale", "code"),
    [
        ("from elsewhere import sqrt", "sqrt(k)", "P103"),
        ("def exp(x):\n    return 1", "exp(k)", "P103"),
        ("", "sqrt(x)", "P187"),
        ("", "ln(k + laplace(1))", "P187"),
        ("", "ln(k, 2)", "P140"),
        ("import math", "math.floor(k)", "P118"),
    ],
)
def test_refused(head, scale, code):
    with pytest.raises(LapwingError, match=code):
        parse_text(mechanism(head, scale))


def test_no_value_is_a_public_error_and_comes_first(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(mechanism("", "1", "return sqrt(k) * 0 + 1 if x > 0 else 2"))
    for x in (-1, 1):
        with pytest.raises(LapwingError, match="P217"):
            load(path, "f_").run({"x": x, "k": -1})

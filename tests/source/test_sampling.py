"""``sample(xs, p)``: what it means, what it draws, and what is refused."""

from fractions import Fraction
from itertools import product

import pytest

import lapwing
from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source import load
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module

HEAD = "from lapwing import *\n\n\n@mechanism(rows=added())\ndef f(rows: list[int], p: float) -> list[int]:\n"


def sampling(body):
    return parse_text(HEAD + "\n".join(f"    {line}" for line in body.split("\n")) + "\n")


@pytest.mark.parametrize(
    "body",
    [
        "s = sample(rows, p)\nreturn s",
        "return sample(rows, p)",
        "return sample(p=p, records=rows)",
        "return [x for x in sample(rows, p)]",
        "rows = sample(rows, p)\nreturn rows",
        "sample_1 = 0\ns = sample(rows, p)\nreturn s",
        "s = []\nfor x in sample(rows, p):\n    s.append(x)\nreturn s",
    ],
)
def test_a_coin_for_every_record(body):
    """All runs on three records, by every way in which the coins may fall."""
    read = sampling(body)
    assert parse_text(show_module(read)) == read
    for coins in product((False, True), repeat=3):
        left = list(coins)

        def draw(kind, arguments, left=left):
            assert (kind, arguments) == ("flip", [Fraction(1, 3)])
            return left.pop(0)

        answer = program(read, "f", draw)({"rows": (4, 5, 6), "p": Fraction(1, 3)}, Meter(1000))
        assert list(answer) == [row for row, kept in zip((4, 5, 6), coins, strict=True) if kept]
        assert not left


@pytest.mark.parametrize("rows", [[], [1], [1, 2, 3]])
def test_a_bad_chance_is_refused_whatever_the_records(rows, tmp_path):
    (tmp_path / "sampling.py").write_text(HEAD + "    return sample(rows, p)\n")
    mechanism = load(tmp_path / "sampling.py", "f")
    for chance in (-1, 2, "3/2"):
        with pytest.raises(InvalidInput, match="probability of flip"):
            mechanism(rows, chance)
    assert mechanism(rows, 1) == rows
    assert mechanism(rows, 0) == []


def test_a_sample_at_the_prompt():
    assert lapwing.sample([1, 2, 3], 1) == [1, 2, 3]
    assert lapwing.sample([1, 2, 3], 0) == []
    assert set(lapwing.sample(range(100), "1/2")) <= set(range(100))
    with pytest.raises(InvalidInput):
        lapwing.sample([], 2)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return sample(rows)", "P140"),
        ("return sample(rows, p, p)", "P140"),
        ("return sample(p, p)", "P138"),
        ("return sample(rows, True)", "P132"),
        ("return sample(rows, sum(rows))", "P183"),
        ("return sample(rows, laplace(1))", "P183"),
    ],
)
def test_refused(body, code):
    with pytest.raises(InvalidProgram, match=code):
        sampling(body)


def test_a_variable_may_be_called_so():
    read = sampling("sample = [x for x in rows]\nreturn sample")
    assert list(program(read, "f")({"rows": (1,), "p": Fraction(1)}, Meter(100))) == [1]

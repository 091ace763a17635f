from fractions import Fraction
from itertools import islice

import pytest

from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.witness import Accepted
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

TEXT = """
from lapwing import {kind}, mechanism
@mechanism(q={kind}({distance}))
def f(q: {type}, n: int) -> bool:
    return True
"""
KINDS = [
    ("each", 2, "list[float]"),
    ("one", 2, "list[int]"),
    ("rises", 1, "list[float]"),
    ("falls", 1, "list[float]"),
    ("monotone", 1, "list[float]"),
    ("replaced", "", "list[bool]"),
    ("replaced", "", "list[tuple[int, bool]]"),
    ("added", "", "list[float]"),
    ("within", 1, "float"),
    ("replaced", "", "bool"),
]


def neighbourhood(kind, distance, type_name):
    module = parse_text(TEXT.format(kind=kind, distance=distance, type=type_name))
    return Neighbourhood(Subject(module, module["f"]), {"n": Fraction(1)})


@pytest.mark.parametrize(("kind", "distance", "type_name"), KINDS)
def test_every_pair_given_out_is_one_of_different_neighbours(kind, distance, type_name):
    around = neighbourhood(kind, distance, type_name)
    relation = around.private[0].relation
    starts = [pair for n in (1, 2, 3) for pair in around.starts(n)]
    assert starts
    moved = [move for pair in starts[:6] for move in islice(around.moves(pair, Fraction(6)), 10)]
    listed = [pair for start in starts[:6] for pair in (*around.copies(start), *around.deletions(start))]
    for pair in starts + moved + listed:
        ways = (pair.left["q"], pair.right["q"]), (pair.right["q"], pair.left["q"])
        assert any(relation.broken(*way) is None for way in ways)
        assert pair.left["n"] == pair.right["n"]
    assert all(pair.left["q"] != pair.right["q"] for pair in starts)


def test_a_copied_element_makes_the_lists_longer_by_one():
    around = neighbourhood("each", 1, "list[float]")
    pair = next(around.starts(2))
    assert {around.size(longer) for longer in around.copies(pair)} == {3}
    assert {around.size(shorter) for shorter in around.deletions(pair)} == {1}


def test_stretching_keeps_the_differences():
    around = neighbourhood("each", 1, "list[float]")
    pair = Pair(*({"q": tuple(map(Fraction, q)), "n": Fraction(1)} for q in ((6, -6), (7, -7))))
    far = around.stretched(pair, 4)
    assert far.left["q"] == (24, -24)
    assert far.right["q"] == (25, -25)


def test_pairs_with_different_public_parameters_are_no_neighbours():
    around = neighbourhood("within", 1, "float")
    pair = Pair({"q": Fraction(0), "n": Fraction(1)}, {"q": Fraction(1), "n": Fraction(2)})
    assert not around.valid(pair)


FIXED = """
from lapwing import each, laplace, mechanism
@mechanism(q=each(1), claim="epsilon / 4")
def f(q: list[float], epsilon: float) -> float:
    assert epsilon > 0
    a = q[0] + laplace(2 / epsilon)
    b = q[1] + laplace(2 / epsilon)
    c = q[2] + laplace(2 / epsilon)
    return max(min(a, b), min(max(a, b), c))
"""


def test_lists_on_which_a_mechanism_does_not_run_are_not_tried():
    """A loss on two numbers, of which the third is read, would be no loss of what runs."""
    module = parse_text(FIXED)
    subject = Subject(module, module["f"])
    around = Neighbourhood(subject, {"epsilon": Fraction(1)})
    assert [n for n in (1, 2, 3, 4) if next(around.starts(n), None) is not None] == [3, 4]
    found = refute(subject, settings={"epsilon": 1}, max_n=3)
    assert isinstance(check_witness(found.witness(subject, "f.py"), FIXED), Accepted)


def test_records_that_are_lists_have_several_columns():
    """Columns that cost too little each are seen together, though a program says how many it reads."""
    text = """
from lapwing import *


@mechanism(rows=added(), claim="epsilon")
def f(rows: list[list[float]], d: int, epsilon: float) -> list[float]:
    assert d >= 1
    return [sum(clip(row[j], 0, 1) for row in rows) + laplace(1 / epsilon) for j in range(d)]
"""
    module = parse_text(text)
    assert refute(Subject(module, module["f"])).violation is not None

"""Hints only order the search: they are made valid pairs or ignored, and nothing is refuted because of one."""

from fractions import Fraction

import pytest

from lapwing.search.violation.hints import hinted
from lapwing.search.violation.neighbouring import Pair
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

TEXT = """
from lapwing import each, laplace, mechanism
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    out = []
    for x in q:
        out.append(x + laplace(len(q) / epsilon) > limit)
    return out
"""


@pytest.fixture
def subject():
    module = parse_text(TEXT)
    return Subject(module, module["f"])


def _pair(left, right, **public):
    return Pair({"q": left, **public}, {"q": right, **public})


def _made(subject, *hints, **settings):
    return [pair for _, pair in hinted(subject, settings, hints)]


def test_left_out_public_parameters_get_ordinary_values(subject):
    (pair,) = _made(subject, _pair((Fraction(0),), (Fraction(1),)))
    assert pair.left == {"q": (Fraction(0),), "limit": Fraction(1), "epsilon": Fraction(1)}


def test_public_parameters_of_a_hint_are_kept_unless_they_are_set_or_refused(subject):
    hint = _pair((Fraction(0),), (Fraction(1),), limit=Fraction(41))
    assert {pair.left["limit"] for pair in _made(subject, hint)} == {41}
    assert {pair.left["limit"] for pair in _made(subject, hint, limit=3)} == {3}
    refused = _pair((Fraction(0),), (Fraction(1),), limit=Fraction(-5))
    assert {pair.left["limit"] for pair in _made(subject, refused)} == {1}


def test_numbers_stay_as_they_are_and_differences_go_to_their_widest(subject):
    third = Fraction(1, 3)
    pairs = _made(subject, _pair((third, Fraction(5)), (2 * third, Fraction(5))))
    assert [(pair.left["q"], pair.right["q"]) for pair in pairs] == [
        ((third, 5), (third + 1, 5)), ((third, 5), (2 * third, 5)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "hint",
    [
        Pair({}, {}),
        _pair((Fraction(0),), (Fraction(1), Fraction(1))),
        _pair((Fraction(0),), (Fraction(0),)),
        _pair((True,), (False,)),
    ],
)
def test_what_cannot_be_a_pair_of_neighbours_is_ignored(subject, hint):
    assert _made(subject, hint) == []
    assert refute(subject, hints=[hint], max_n=1).violation is None


def test_a_private_mechanism_is_not_refuted_whatever_is_hinted(subject):
    hints = [_pair((Fraction(a), Fraction(7)), (Fraction(a + 1), Fraction(6)), limit=Fraction(6)) for a in (0, 5, 50)]
    assert refute(subject, hints=hints, max_n=2).violation is None


REPEATED = """
from lapwing import laplace, mechanism, one


@mechanism(q=one(1), claim="epsilon")
def repeated(q: list[float], k: int, epsilon: float) -> list[float]:
    out = []
    for i in range(len(q)):
        for j in range(k):
            out.append(q[i] + laplace(1 / epsilon))
    return out
"""


def test_a_long_list_that_broke_a_proof_waits_for_short_ones():
    module = parse_text(REPEATED)
    made = {"k": Fraction(5), "epsilon": Fraction(27, 5)}
    left, right = ({"q": (Fraction(0),) * 7 + (last,), **made} for last in (Fraction(0), Fraction(1)))
    outcome = refute(Subject(module, module["repeated"]), hints=[Pair(left, right)])
    assert outcome.violation is not None
    assert outcome.violation.n == 1

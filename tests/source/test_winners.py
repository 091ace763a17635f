"""A loop that keeps the place of the best, and looks there again, keeps the best beside it, and means the same."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

LOOP = """
@mechanism(q=each(1))
def f(q: list[float]) -> int:
    vs = [x + laplace(1) for x in q]
    best = {start}
    for {loop}:
        if {test}:
            best = i
    return {answer}
"""
RANGE, FROM_ONE, PAIRS = "i in range(len(vs))", "i in range(1, len(vs))", "i, v in enumerate(vs)"


def text(loop, test, start="0", answer="best"):
    return LOOP.format(loop=loop, test=test, start=start, answer=answer)


KEPT = [
    text(loop, test)
    for loop in (RANGE, FROM_ONE, "i in range(len(q))")
    for test in ("vs[i] > vs[best]", "vs[i] >= vs[best]", "vs[best] < vs[i]", "vs[i] < vs[best]", "vs[best] >= vs[i]")
] + [text(PAIRS, test) for test in ("v > vs[best]", "vs[best] <= v")]


@pytest.mark.parametrize("written", KEPT)
def test_python_says_the_same(written):
    module = parse_text(written)
    shown = show_mechanism(module["f"])
    assert "i == 0 or" in shown
    assert "[best]" not in shown
    for seed in range(80):
        chance = random.Random(seed)
        q = tuple(Fraction(chance.randrange(4)) for _ in range(chance.randrange(6)))
        draws = [Fraction(chance.randrange(3)) for _ in q]
        check_like_python(written, module, "f", {"q": q}, listed(draws))


@pytest.mark.parametrize(
    "written",
    [
        text(RANGE, "vs[i] > vs[best]", start="1"),  # the list may have one element
        text("i in range(2, len(vs))", "vs[i] > vs[best]"),
        text("i in range(3)", "vs[i] > vs[best]"),
        text(RANGE, "vs[i] > q[best]"),
        text(RANGE, "vs[i] > vs[best] and i != 2"),
        text(FROM_ONE, "vs[i] > vs[best]", start="0\n    i = 5", answer="best + i"),
    ],
)
def test_other_loops_stay_as_they_are(written):
    assert "i == 0 or" not in show_mechanism(parse_text(written)["f"])


SEARCH = """
@mechanism(q=each(1))
def f(q: list[float], n: int, t: float) -> float:
    vs = [x + laplace(1) for x in q]
    top = max(vs)
    for i in range(len(vs)):
        if vs[i] >= top:
            return i
    return {otherwise}
"""


@pytest.mark.parametrize(
    ("otherwise", "kind"), [("-1", ir.Integer()), ("n", ir.Integer()), ("0.5", ir.Real()), ("t", ir.Real())]
)
def test_the_answer_for_no_elements_may_be_no_whole_number(otherwise, kind):
    mechanism = parse_text(SEARCH.format(otherwise=otherwise))["f"]
    assert "max(" not in show_mechanism(mechanism)
    assert mechanism.variable("where_1").type == kind


@pytest.mark.parametrize(
    "search",
    [
        "top = max(q)\n    for i, x in enumerate(q):\n        if x >= top:\n            best = i",
        "for i, x in enumerate(q):\n        if x > q[best]:\n            best = i",
    ],
)
def test_a_name_that_holds_other_numbers_before_is_kept_as_it_is(search):
    """It was refused once: the best of whole numbers was one, and an element under that name was not."""
    head = "@mechanism(q=each(1))\ndef f(q: list[int], t: list[float]) -> int:\n    best = 0\n"
    written = f"{head}    for i, x in enumerate(t):\n        best = 0\n    best = 0\n    {search}\n    return best\n"
    module = parse_text(written)
    assert "i == 0 or" in show_mechanism(module["f"])
    check_like_python(written, module, "f", {"q": (1, 3, 2), "t": (Fraction(1, 2),)}, listed([]))

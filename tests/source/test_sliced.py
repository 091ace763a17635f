"""A loop that draws for a part of a list walks over its places, and does what Python does."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

LOOP = """
@mechanism(q=each(1))
def f(q: list[float], n: int, m: int) -> list[float]:
    assert n >= 0 and m > 0
    out = []
    last = len(q)
    {before}
    for {head}:
        out.append({shown} + laplace(1))
        if out[-1] > 3:
            break
        {after}
    return out
"""


def text(head, shown="x", before="a = 1", after="a = 2"):
    return LOOP.format(head=head, shown=shown, before=before, after=after)


def agrees(source):
    module = parse_text(source)
    for seed in range(80):
        chance = random.Random(seed)
        given = {
            "q": tuple(Fraction(chance.randrange(-6, 7), 2) for _ in range(chance.randrange(7))),
            "n": chance.randrange(9),
            "m": chance.randrange(1, 9),
        }
        draws = [Fraction(chance.randrange(-8, 9), 4) for _ in range(20)]
        check_like_python(source, module, "f", given, listed(draws))
    return show_mechanism(module["f"])


@pytest.mark.parametrize(
    "changed",
    [
        {"head": "x in q[1:]"},
        {"head": "x in q[:3]"},
        {"head": "x in q[n:]"},
        {"head": "x in q[:n]"},
        {"head": "x in q[n:m]"},
        {"head": "x in q[:-1]"},
        {"head": "x in q[-2:]"},
        {"head": "x in q[-3:-1]"},
        {"head": "x in q[n + 1:2 * m]"},
        {"head": "x in q[:len(q)]"},
        {"head": "i, x in enumerate(q[1:])", "shown": "x + 10 * i"},
        {"head": "i, x in enumerate(q[n:], 1)", "shown": "x + 10 * i"},
        {"head": "x in rest", "before": "rest = q[1:]"},
        {"head": "x in rest", "before": "rest = q[:n]", "shown": "x + len(rest)"},
        {"head": "x in ys[1:]", "before": "ys = [x * 2 for x in q]"},
        {"head": "x in q[1:]", "after": "x = x + 1"},
        {"head": "i, x in enumerate(q[1:])", "after": "i = i + 1"},
    ],
)
def test_it_walks_over_places(changed):
    shown = agrees(text(**changed))
    assert "for place_1 in range(" in shown


@pytest.mark.parametrize(
    "changed",
    [
        {"head": "x in q[:last - 3]"},  # perhaps below 0, which counts from the end
        {"head": "x in ys[1:]", "before": "ys = [x * 2 for x in q]", "after": "ys = []"},
        {"head": "x in q[1:last]", "after": "last = 1"},
        {"head": "x in rest", "before": "rest = q[1:]\n    rest = q[2:]"},
        {"head": "x, y in zip(q[1:], q)", "shown": "x - y"},
    ],
)
def test_what_is_not_plainly_a_range_is_left(changed):
    assert "place_1" not in agrees(text(**changed))


def test_a_loop_that_draws_nothing_is_left():
    source = text("x in q[1:]").replace(" + laplace(1)", "")
    assert "place_1" not in agrees(source)


def test_a_list_whose_length_is_private_is_left():
    source = text("x in q[1:]").replace("each(1)", "added()")
    assert "place_1" not in show_mechanism(parse_text(source)["f"])

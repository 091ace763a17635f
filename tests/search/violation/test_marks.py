"""Where a search looks: at the numbers that a program compares something with, however it writes them down."""

from fractions import Fraction

import pytest

from lapwing.search.violation.marks import VALUES, landmarks
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import strangers

TEXTS = {each.name: each.text for each in strangers() if each.shelf == "refuting"}
IMPORTS = "from lapwing import *\n\n\n"
HEAD = (
    f"{IMPORTS}@mechanism(xs=replaced())\n"
    "def f(xs: list[float], edges: list[float], k: int, epsilon: float) -> float:\n"
)


def marks(body, **public):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    given = {"edges": (Fraction(2), Fraction(7)), "k": 3, "epsilon": Fraction(1), **public}
    found = landmarks(parse_text(f"{HEAD}{lines}\n")["f"], given)
    assert all(isinstance(each, Fraction) for each in found)
    return {float(each) for each in found}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return sum(1 for x in xs if x > 5) + laplace(1)", {5}),
        ("n = 0\nfor c in [10, 20]:\n    for x in xs:\n        if x < c:\n            n += 1\nreturn n", {10, 15, 20}),
        ("return sum([sum(1 for x in xs if 3 * j <= x) for j in range(k)]) + laplace(1)", {0, 3, 6, 1.5, 4.5}),
        ("return sum([sum(1 for x in xs if x < e) for e in edges]) + laplace(1)", {2, 4.5, 7}),
        ("top = 2 * k\nreturn sum(clip(x, 0, top) for x in xs) + laplace(1)", {0, 3, 6}),
        ("ends = [1, 4]\nreturn sum(1 for x in xs if ends[0] <= x and x < ends[1]) + laplace(1)", {1, 2.5, 4}),
        ("c = laplace(1)\nreturn sum(1 for x in xs if x > c) + laplace(1)", set()),
    ],
    ids=["constant", "list", "range", "public list", "variable", "ends", "noise"],
)
def test_numbers_are_found(body, expected):
    assert marks(body) >= expected if expected else marks(body) == set()


@pytest.mark.parametrize(("noise", "expected"), [("laplace(1)", [6]), ("gaussian(2)", [6]), ("exponential(1)", [])])
def test_a_noisy_threshold_counts_where_noise_lies_around_it(noise, expected):
    mechanism = parse_text(f"{HEAD}    c = 2 * k + {noise}\n    return sum(1 for x in xs if x > c) + laplace(1)\n")["f"]
    assert landmarks(mechanism, {"k": Fraction(3)}, noisy=True) == expected
    assert landmarks(mechanism, {"k": Fraction(3)}) == []


def test_a_long_loop_gives_few():
    found = marks("n = 0\nfor i in range(k):\n    n += sum(1 for x in xs if x > i)\nreturn n", k=10**9)
    assert len(found) <= 2 * VALUES


def test_whole_numbers_between_others_count_where_they_say_which_element():
    rows = f"{IMPORTS}@mechanism(xs=added())\ndef f(xs: list[int], w: list[float]) -> float:\n    n = 0.0\n"
    loop = "    for x in xs:\n        if 0 <= x < 5:\n            n += {}\n    return n + laplace(1)\n"
    found = {
        part: landmarks(parse_text(rows + loop.format(part))["f"], {"w": (Fraction(1),) * 5})
        for part in ("w[x]", "w[2]")
    }
    assert {1, 4} <= set(found["w[x]"])
    assert not {1, 4} & set(found["w[2]"])


def test_products_of_records_have_marks_inside():
    assert marks("return sum(clip(x, 0, 8) * (1 - clip(x, 0, 8)) for x in xs) + laplace(1)") >= {0, 2, 4, 6, 8}
    assert 2 not in marks("return sum(clip(x, 0, 8) * k for x in xs) + laplace(1)")


def _subject(name):
    module = parse_text(TEXTS[name], only=name)
    return Subject(module, module[name])


@pytest.mark.parametrize("name", ["bin_of_width_three", "quantile_scores", "sine_like", "sine_tight"])
def test_a_leak_at_such_a_number_is_found(name):
    """A record in two bins; rows between candidates; a peak at a quarter; and one beside it."""
    assert refute(_subject(name)).violation is not None


def test_the_one_record_is_moved_and_nothing_else():
    neighbourhood = Neighbourhood(_subject("sine_tight"), {"epsilon": Fraction(1)})
    left, right = ({"xs": tuple(map(Fraction, xs)), "epsilon": Fraction(1)} for xs in ((5, 7), (5, "1/2", 7)))
    for pair in (Pair(left, right), Pair(right, left)):
        moved = {side["xs"] for each in neighbourhood.moves(pair, Fraction(6)) for side in (each.left, each.right)}
        places = {xs[1] for xs in moved if len(xs) == 3}
        assert places == {Fraction(n, 64) for n in (28, 31, 33, 36)}
        assert {xs for xs in moved if len(xs) == 2} == {left["xs"]}

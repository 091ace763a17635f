"""An answer that a place decides is told as the place: what the runs say differs by a function that both know."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show_mechanism
from lapwing.kernel.relational.told_by_place import told_by_place
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text
from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

LOOP = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], names: list[int], low: float, epsilon: float) -> {kind}:
    best = 0.0
    {begin}
    for {loop}:
        v = q[{at}] + laplace(2 / epsilon)
        if {at} == 0 or v > best:
            best = v
            {told}
    {end}
"""


def text(told="name = names[i]", begin="name = -1", end="return name", loop="i in range(len(q))", at="i", kind="int"):
    lines = {"told": told.replace("\n", "\n            "), "end": end.replace("\n", "\n    ")}
    return HEAD + LOOP.format(begin=begin.replace("\n", "\n    "), loop=loop, at=at, kind=kind, **lines)


PLACED = [
    text(),
    text(told="at = i", begin="at = 0", end="return names[at]"),
    text(told="at = i", begin="at = 0", end="return low + 2 * at", kind="float"),
    text(told="at = i", begin="at = 0", end="return names[at], at", kind="tuple[int, int]"),
    text(told="name = low + names[i]", begin="name = low\nname = 2 * low", kind="float"),
    text(loop="i, x in enumerate(q)"),
    text(told="name = n", begin="name = 0\nk = 0", loop="x, n in zip(q, names)", at="k").replace(
        "            name = n\n", "            name = n\n        k += 1\n"
    ),
]


@pytest.mark.parametrize("written", PLACED)
def test_the_place_decides_the_answer(written):
    mechanism = parse_text(written)["f"]
    told = told_by_place(mechanism)
    assert told != mechanism
    meant: dict[object, object] = {}
    for seed in range(120):
        chance = random.Random(seed)
        q = tuple(Fraction(chance.randrange(4)) for _ in range(chance.randrange(5)))
        draws = [Fraction(chance.randrange(3)) for _ in range(9)]
        given = {"q": q, "names": (5, 7, 5, 9, 9), "low": Fraction(3), "epsilon": Fraction(1)}
        ran = [_run(each, given, draws) for each in (mechanism, told)]
        assert meant.setdefault(ran[1], ran[0]) == ran[0]
    assert len(meant) > 2


def _run(mechanism, given, draws):
    left = iter(draws)
    return program(ir.Module((mechanism,)), "f", lambda *_: next(left))(dict(given), Meter(10**6))


@pytest.mark.parametrize("written", [PLACED[0], PLACED[2]])
def test_winners_are_told_by_their_names(written):
    assert proved(written).bound == "epsilon"


#: What is not decided by one place: each of these answers something else as well.
OTHERWISE = [
    text(told="name = q[i]", begin="name = 0.0", kind="float"),  # a private list
    text(told="at = i", begin="at = 0", end="return q[at]", kind="float"),
    text(told="at = i", begin="at = 0", end="return names[at] + best", kind="float"),  # two variables
    text().replace("v > best:", "v > best + name:"),  # read in another place, too
    text(told="name = names[i] + v", begin="name = 0.0", kind="float"),  # set to what is noisy
    text(told="name = names[i]", begin="name = q[0]", kind="float"),  # private before the loop
    text(told="name = names[i]\nname = 2 * names[i]"),  # set twice: which of them is not told
    text(end="if best > low:\n    name = 3\nreturn name"),  # set behind the loop
    text(told="for j in range(2):\n    name = names[j]"),  # in a loop inside
    text(loop="i in range(-1, len(q))"),  # -1 would mean two things
    text(told="name = names[m]", begin="name = 0\nm = 0").replace("best = v\n", "best = v\n            m += 2\n"),
    text(told="at = i", begin="at = 0", end="return names[at] % 2"),  # the parity may cost less than the place
]


@pytest.mark.parametrize("written", OTHERWISE)
def test_what_is_more_than_a_place_is_told_as_it_is(written):
    mechanism = parse_text(written)["f"]
    assert show_mechanism(told_by_place(mechanism)) == show_mechanism(mechanism)


@pytest.mark.parametrize("written", OTHERWISE[:2])
def test_what_tells_more_than_the_place_is_not_proved(written):
    assert unproved(written)

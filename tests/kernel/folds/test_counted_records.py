"""Records that are counted one by one: their number is public where both neighbours have it, and only there."""

import pytest

from lapwing.search.privacy.folds import by_folds
from lapwing.search.privacy.outcome import Found
from lapwing.source.parse import parse_text
from tests.strangers import HEAD

COUNTED = """
@mechanism(xs={relation}, claim="epsilon")
def f(xs: list[float], ws: list[float], k: int, epsilon: float) -> float:
    assert len(xs) >= 1 and k >= 1
    n = 0
    total = 0.0
    for {walk}:
        {guard}
        total += clip(x, 0, 1)
        n += {step}
    return total / max(1, n) + laplace(1 / ({noise} * epsilon))
"""
APPENDED = """
@mechanism(xs={relation}, claim="epsilon")
def f(xs: list[float], k: int, epsilon: float) -> float:
    assert len(xs) >= 1 and k >= 1
    ys = []
    for x in xs{walk}:
        {guard}
        ys.append(clip(x, 0, 1))
    return sum(ys) / max(1, len(ys)) + laplace(1 / (len(xs) * epsilon))
"""


def counted(relation="replaced()", walk="x in xs", guard="y = x", step="1", noise="len(xs)"):
    return COUNTED.format(relation=relation, walk=walk, guard=guard, step=step, noise=noise)


def appended(relation="replaced()", walk="", guard="y = x"):
    return APPENDED.format(relation=relation, walk=walk, guard=guard)


def found(text):
    return any(isinstance(each, Found) for each in by_folds(parse_text(HEAD + text)["f"]))


@pytest.mark.parametrize("text", [counted(), counted(noise="n"), counted(relation="one(1)"), appended()])
def test_the_number_of_records_is_public(text):
    assert found(text)


@pytest.mark.parametrize(
    "text",
    [
        counted(guard="if x > 5:\n            continue"),
        counted(guard="if x > 5:\n            break"),
        counted(walk="x in xs[:k]"),
        counted(walk="x, w in zip(xs, ws)"),
        counted(step="(1 if x > 0 else 2)"),
        counted(noise="(len(xs) + 1)"),
        appended(walk="[:k]"),
        appended(guard="if x > 5:\n            continue"),
        appended(guard="for j in range(k):\n            ys.append(x)"),
    ],
    ids=["continue", "break", "slice", "zip", "private", "more", "slice of a list", "filtered", "several"],
)
def test_what_leaves_records_out_is_not(text):
    assert not found(text)


@pytest.mark.parametrize("text", [counted("added()"), appended("added()")])
def test_with_one_record_more_their_number_is_private(text):
    assert not found(text.replace("len(xs) >= 1 and ", "").replace("len(xs)", "k"))

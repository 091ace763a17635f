"""Records that a public number counts: an assert says that it is their number."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.proving import unproved
from tests.strangers import HEAD, strangers

VERDICTS = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in strangers() if e.shelf == "named_lengths"])
def test_a_mean_is_decided(program):
    assert decide_text(program.text, program.name).verdict == VERDICTS[program.truth]


@pytest.mark.parametrize(
    "says",
    ["n <= len(xs)", "n >= 1", "len(ws) == n", "n == len(xs) or n == 1"],
)
def test_a_number_that_is_not_the_number_of_records_is_not_taken_for_it(says):
    """Every record may change, so a price for n of them is too little where there are more."""
    text = f"""{HEAD}
@mechanism(xs=each(1), claim="n * epsilon")
def f(xs: list[float], ws: list[float], n: int, epsilon: float) -> float:
    assert {says}
    return sum(xs) + laplace(1 / epsilon)
"""
    assert unproved(text)


def test_the_number_of_records_may_have_a_name():
    text = f"""{HEAD}
@mechanism(xs=each(1), claim="n * epsilon")
def f(xs: list[float], n: int, epsilon: float) -> float:
    assert n == len(xs)
    return sum(xs) + laplace(1 / epsilon)
"""
    assert decide_text(text, "f").verdict == "proved"

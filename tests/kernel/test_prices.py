"""Questions about public numbers: a formula is compared with another under what is known of the numbers in it."""

from time import process_time

import pytest

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.prices import MAX_IRRATIONAL, Parameters
from lapwing.kernel.solver import Terms
from lapwing.source import parse_text

SOURCE = """
from lapwing import *


@mechanism(x=within(1), claim="epsilon")
def numbers(x: float, low: float, high: float, epsilon: float, delta: float, k: int) -> float:
    assert 0 < delta < 1 and low <= high
    assert k >= 1 and epsilon * delta <= 1
    return x + laplace(sqrt(2 * ln(1.25 / delta)) / epsilon)
"""

COUNTS = """
from lapwing import *


@mechanism(x=within(1), claim="e")
def counts(x: float, a: int, b: int, e: float) -> float:
    assert a >= 1 and b >= 1 and e > 0
    return x + laplace(1 / e)
"""


class Listening(Terms):
    """Terms that keep what the solver was told."""

    def entailed(self, facts, goal, logic="QF_UFNIRA"):
        facts = list(facts)
        told.append(" ".join(str(each) for each in facts))
        return super().entailed(facts, goal, logic)


told: list[str] = []


def asked(larger, smaller="0"):
    told.clear()
    parameters = Parameters(Listening(), parse_text(SOURCE)["numbers"])
    parameters.read("sqrt(2 * ln(1.25 / delta))")  # as the scale of the program is
    return parameters.entailed((), (), parameters.read(larger) - parameters.read(smaller))


@pytest.mark.parametrize(
    ("larger", "smaller"),
    [("high", "low"), ("k", "1"), ("1", "delta"), ("ln(1 / delta)", "0"), ("2", "1"), ("k * k", "k")],
)
def test_what_follows_from_preconditions(larger, smaller):
    assert asked(larger, smaller)
    assert not asked(smaller, larger)


def test_a_question_comes_with_what_is_connected_with_it():
    asked("high", "low")
    assert "high" in told[0]
    assert "delta" not in told[0], "nothing connects the range with delta"
    asked("epsilon")
    assert "delta" in told[0], "what is known of their product connects the two"
    assert "high" not in told[0]


def test_numbers_are_compared_without_the_solver():
    assert not asked("1", "2")
    assert told == []


def test_functions_of_functions_are_refused_by_their_number():
    """Each is compared with every other: of sixty the solver broke off, and the whole program with it."""
    parameters = Parameters(Terms(), parse_text(SOURCE)["numbers"])
    text = "epsilon"
    for _ in range(MAX_IRRATIONAL):
        text = f"sqrt({text})"
        parameters.read(text)
    with pytest.raises(Unproved, match="more than 16 values"):
        parameters.read(f"sqrt({text})")


@pytest.mark.parametrize(
    ("smaller", "entailed"),
    [
        ("e * a * a / 4", False),  # but for two of each
        ("e * b * b * b / (a + 10)", False),
        ("e * b * b / (a * b)", True),
        ("e * b / (a * b)", True),
    ],
)
def test_what_is_false_for_some_counts_is_answered_at_once(smaller, entailed):
    parameters, before = Parameters(Terms(), parse_text(COUNTS)["counts"]), process_time()
    assert parameters.entailed((), (), parameters.read("e * b") - parameters.read(smaller)) == entailed
    assert process_time() - before < 1

"""Loops that keep accounts of what they pay: the smallest account that holds is the price."""

import pytest

from tests.search.privacy.proving import proved
from tests.strangers import HEAD

PAID = """from typing import Callable

@mechanism(ask=answers(1), claim="{claim}")
def f(ask: Callable[[list[float]], float], budget: float, rounds: int) -> list[float]:
    assert budget > 0
    out = []
    spent = 0.0
    for _ in range(rounds):
        if spent + 1 / 2 > budget:
            return out
        out.append(ask(out) + laplace({scale}))
        spent = spent + 1 / 2
    return out
"""
COUNTED = """
@mechanism(x=within(1), claim={claim})
def f(x: float, k: int, epsilon: float, delta: float) -> list[float]:
    assert k >= 1 and epsilon > 0 and delta > 0 and delta < 1
    out = []
    i = 0
    while i < k:
        out.append(x + laplace(1 / epsilon))
        i += 1
    return out
"""
ADVANCED = '("k * epsilon ** 2 / 2 + epsilon * sqrt(2 * k * ln(1 / delta))", "delta")'


def test_a_coin_is_worth_what_is_paid_for_it():
    assert proved(HEAD + PAID.format(claim="budget", scale="2")) is not None


@pytest.mark.parametrize(("claim", "scale"), [("budget", "1"), ("budget / 2", "2")])
def test_a_coin_is_not_worth_less(claim, scale):
    assert proved(HEAD + PAID.format(claim=claim, scale=scale), seconds=3) is None


def test_a_counter_of_a_while_says_how_many_rounds_there_are():
    assert proved(HEAD + COUNTED.format(claim=ADVANCED)) is not None
    assert proved(HEAD + COUNTED.format(claim=ADVANCED.replace("2 * k", "k")), seconds=3) is None

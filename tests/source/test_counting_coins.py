"""Money that is paid in equal coins is counted in coins, and nothing else is changed."""

import random
from fractions import Fraction
from functools import partial

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python
from tests.strangers import HEAD, strangers

LOOP = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    {known}
    noisy = threshold + laplace({scale})
    cost = {start}
    out = []
    for x in q:
        if {asked}:
            if x + laplace(4) >= noisy:
                out.append(True)
                {paid}
    return {answer}
"""
USUAL = {
    "known": "assert limit >= 1",
    "scale": "2 / epsilon",
    "start": "epsilon / 2",
    "asked": "cost <= epsilon - epsilon / (2 * limit)",
    "paid": "cost = cost + epsilon / (2 * limit)",
    "answer": "out",
}


def shown(**changed):
    return show_mechanism(parse_text(LOOP.format(**{**USUAL, **changed}))["f"])


@pytest.mark.parametrize(
    ("changed", "limit"),
    [
        ({}, "cost_paid_1 <= limit - 1"),
        ({"asked": "cost + epsilon / (2 * limit) <= epsilon"}, "cost_paid_1 <= limit - 1"),
        ({"asked": "epsilon - cost >= epsilon / (2 * limit)"}, "cost_paid_1 <= limit - 1"),
        ({"asked": "not cost >= epsilon"}, "not cost_paid_1 >= limit"),
        ({"asked": "2 * cost < 2 * epsilon"}, "cost_paid_1 < limit"),
        (
            {"start": "epsilon", "paid": "cost -= epsilon / (2 * limit)", "asked": "cost > 0"},
            "cost_paid_1 < 2 * limit",
        ),
    ],
)
def test_a_limit_in_coins(changed, limit):
    assert f"if {limit}:" in shown(**changed)
    assert "cost_paid_1 = 0" in shown(**changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"known": "assert limit <= 5"},  # a coin may be worth less than nothing
        {"scale": "2"},  # as above: epsilon may be below 0
        {"scale": "2 / (epsilon * threshold)"},
        {"scale": "2 / (epsilon * epsilon)"},  # above 0 for an epsilon below 0, too
        {"scale": "epsilon ** 2"},
        {"paid": "cost = 2 * cost"},
        {"paid": "cost = cost + epsilon * epsilon"},  # not a whole number of coins up to the limit
        {"paid": "cost = cost + x"},
        {"asked": "cost * cost <= epsilon"},
        {"asked": "cost <= x"},
        {"answer": "[cost > 1, cost + threshold > 3]"},
    ],
)
def test_what_is_no_account_stays_as_it_is(changed):
    assert "cost_paid" not in shown(**changed)


@pytest.mark.parametrize(
    ("start", "asked", "said"),
    [
        ("0", "count <= 4", "count < 5"),
        ("0", "4 >= count", "5 > count"),
        ("0", "not count > 4", "not count >= 5"),
        ("1", "count <= 4", "count <= 4"),  # four, as it is
        ("0", "count < 5", "count < 5"),
    ],
)
def test_at_most_four_is_below_five(start, asked, said):
    text = f"""
@mechanism(q=each(1))
def f(q: list[float]) -> float:
    count = {start}
    total = 0.0
    for x in q:
        if {asked}:
            count += 1
            total += laplace(1)
    return total
"""
    assert f"if {said}:" in show_mechanism(parse_text(text)["f"])


def _scaled(seed):
    chance = random.Random(seed)
    return lambda scale: Fraction(chance.randrange(-8, 9)) * Fraction(scale) / 4


@pytest.mark.parametrize("stranger", [each for each in strangers() if each.shelf == "accounts"], ids=lambda e: e.name)
def test_python_says_the_same(stranger):
    module = parse_text(stranger.text)
    mechanism = module[stranger.name]
    assert "_paid_1" in show_mechanism(mechanism)
    for seed in range(60):
        chance = random.Random(seed)
        q = tuple(Fraction(chance.randrange(-4, 9)) for _ in range(chance.randrange(9)))
        given = {"q": q, "epsilon": Fraction(chance.choice((1, 2, 5)), chance.choice((1, 3)))}
        others = (each.name for each in mechanism.parameters if each.name not in given)
        given |= {name: Fraction(chance.randrange(1, 4)) for name in others}
        text = stranger.text.removeprefix(HEAD)
        check_like_python(text, module, stranger.name, given, partial(_scaled, seed))

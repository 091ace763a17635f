"""Prices that a round looks up or computes first: walked over, or written where they are paid, and the same numbers."""

from fractions import Fraction

import pytest

from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

LOOP = """
@mechanism(x=one(1))
def f(x: list[float], prices: list[float], others: list[float], k: int, budget: float) -> list[float]:
    assert len(x) == len(prices)
    out = []
    spent = budget - budget
    for i in range({rounds}):
        {body}
        out.append(x[i] + spent + laplace({scale}))
    return out
"""
PAID = "price = {price}\n        if spent + price > budget:\n            continue\n        spent += price"
HEAD = "from lapwing import mechanism, one, laplace\n"


def text(price="prices[i]", rounds="len(x)", scale="1 / price", paid=PAID):
    return LOOP.format(body=paid.format(price=price), rounds=rounds, scale=scale)


def shown(**changed):
    return show_mechanism(parse_text(HEAD + text(**changed))["f"])


@pytest.mark.parametrize("rounds", ["len(x)", "len(prices)"])
def test_prices_are_walked_over(rounds):
    assert "for i, price_1 in enumerate(prices):" in shown(rounds=rounds)
    assert "spent = spent + price_1" in shown(rounds=rounds)
    assert " price =" not in shown(rounds=rounds)


def test_a_formula_is_written_where_it_is_paid():
    assert "spent = spent + budget / (i + 2)" in shown(price="budget / (i + 2)")
    assert "laplace(1 / (budget / (i + 2)))" in shown(price="budget / (i + 2)")


@pytest.mark.parametrize(
    "changed",
    [
        {"rounds": "k"},  # perhaps more rounds than prices, which a run refuses
        {"rounds": "len(x) - 1"},
        {"scale": "2"},  # no price: nothing is drawn by it
        {"rounds": "len(others)"},
    ],
)
def test_other_lists_are_read_by_place(changed):
    assert "for i in range(" in shown(**changed)


def test_each_of_two_prices_has_its_side():
    found = shown(price="budget / 2 if i < k else budget / 4")
    assert "if i < k:" in found
    assert "laplace(1 / (budget / 2))" in found
    assert "laplace(1 / (budget / 4))" in found


def test_a_price_that_is_read_before_it_is_set_stays():
    later = "if i > 0:\n            spent += price\n        price = budget / (i + 2)"
    assert " price = budget / (i + 2)" in shown(paid="price = budget\n        " + later)


@pytest.mark.parametrize(
    "price", ["prices[i]", "budget / (i + 2)", "prices[i] / (i + 1)", "prices[i] if i > 1 else budget / 3"]
)
def test_it_means_what_python_means(price):
    given = {"x": [1, 5, 9], "prices": [1, 4, 2], "others": [], "k": 2, "budget": 6}
    given = {name: [Fraction(e) for e in v] if isinstance(v, list) else Fraction(v) for name, v in given.items()}
    check_like_python(text(price), parse_text(HEAD + text(price)), "f", {**given, "k": 2}, listed([1, 2, 3]))

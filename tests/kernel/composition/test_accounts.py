"""Accounts of what a loop pays: formulas in a variable, budgets that are halved, and rounds that do not turn."""

import pytest

from tests.kernel.composition.test_composition import found, rejected, with_part
from tests.strangers import HEAD

ROUNDS = """
@mechanism(x=within(1), claim="budget")
def f(x: float, n: int, m: int, e: float, budget: float) -> list[float]:
    assert budget >= 0 and e > 0
    assert n + m >= 1
    spent = 0.0
    out = []
    while spent + (n + m) * e <= budget:
        for _ in range(n):
            out.append(x + laplace(1 / e))
        for _ in range(m):
            out.append(x + laplace(1 / e))
        spent += (n + m) * e
    return out
"""
SIDES = """
@mechanism(x=within(1), claim="(n + m) * e")
def f(x: float, n: int, m: int, careful: bool, e: float) -> list[float]:
    assert e > 0
    assert n + m >= 1
    out = []
    if careful:
        for _ in range(n):
            out.append(x + laplace(1 / e))
        for _ in range(m):
            out.append(x + laplace(1 / e))
    else:
        for _ in range(n + m):
            out.append(x + laplace(1 / e))
    return out
"""


@pytest.mark.parametrize("text", [ROUNDS, SIDES], ids=["an account", "two sides"])
def test_rounds_that_may_not_turn_pay_for_nothing_else(text):
    """With n = 2 and m = -1 both releases of the first loop are made, and n + m is 1."""
    assert found(HEAD + text)[0] is None
    assert found(HEAD + text.replace("assert n + m >= 1", "assert n >= 1 and m >= 1"))[0] is not None


HALVED = """
@mechanism(x=within(1), claim="epsilon")
def f(x: float, k: int, epsilon: float) -> list[float]:
    assert k >= 2
    out = []
    e = epsilon
    for _ in range(k):
        e = e / 2
        out.append(x + laplace(1 / e))
    return out
"""
LATER = HALVED.replace("        e = e / 2\n", "").replace("(1 / e))\n", "(2 / e))\n        e = e / 2\n")
DOUBLED = LATER.replace("e = epsilon", "e = 2 / epsilon").replace("2 / e))", "e))").replace("e = e / 2", "e = e * 2")


@pytest.mark.parametrize(
    "text",
    [
        HALVED,
        LATER,
        DOUBLED,
        HALVED.replace("e = e / 2", "e = 0.5 * e"),
        HALVED.replace("e = epsilon", "e = 2 * epsilon").replace("e = e / 2", "e = e / 3"),
        LATER.replace("2 / e", "1 / e").replace('"epsilon"', '"2 * epsilon"'),
    ],
)
def test_budgets_that_shrink_in_every_round(text):
    certificate, module = found(HEAD + text)
    assert certificate is not None
    number = next(at for at, each in enumerate(certificate.proof.parts) if each.kind == "spending")
    wrong = (
        "e",
        "-e / 5",
        "-3 * e",
        "-e * e",
        "-1 / (e * e)",
        "epsilon",
        "-epsilon",
        "-e - out",
        "-exp(e)",
        "-k",
        "e - e",
    )
    for other in wrong:
        assert rejected(with_part(certificate, number, account=other), module), other
    for limit in ("epsilon", "-1", "e", "-epsilon"):
        assert rejected(with_part(certificate, number, limit=limit), module), limit


@pytest.mark.parametrize(
    "text",
    [
        HALVED.replace("e = e / 2", "e = e / 1.5"),
        HALVED.replace("e = e / 2", "e = e * 2"),
        HALVED.replace("e = e / 2", "e = e - 0.01"),
        HALVED.replace("e = e / 2", "e = epsilon / 2"),
        HALVED.replace("laplace(1 / e)", "laplace(0.9 / e)"),
        HALVED.replace("        e = e / 2\n", "        if k > 3:\n            e = e / 2\n"),
        LATER.replace("2 / e", "1 / e"),
        DOUBLED.replace("2 / epsilon", "1 / epsilon"),
    ],
)
def test_budgets_that_do_not(text):
    assert found(HEAD + text, 10)[0] is None


EARLIER = """
@mechanism(x=within(1), claim="epsilon / 2")
def f(x: float, k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    e = epsilon / 2
    for _ in range(k):
        before = e
        e = e / 2
        out.append(x + laplace(1 / before))
    return out
"""


@pytest.mark.parametrize("text", [EARLIER, EARLIER.replace("e = e / 2", "e = e - before / 2")])
def test_what_was_computed_from_an_account_is_from_before_its_change(text):
    """All rounds together lose nearly epsilon; a price of what the account holds by now would be half of that."""
    assert found(HEAD + text)[0] is None

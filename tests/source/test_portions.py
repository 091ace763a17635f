"""Budgets of which every round takes a share: one variable is multiplied, and all of them mean what they meant."""

from fractions import Fraction

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.program.printer import show_mechanism
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed
from tests.strangers import strangers

LOOP = """
@mechanism(x=one(1))
def f(x: list[float], budget: float) -> list[float]:
    out = []
    e = budget
    left = budget
    for i in range({first}, 4):
        {body}
    return out
"""
SHARED = [
    "share = left / 3\n        left = left - share\n        out.append(share + left)",
    "share = left / 3\n        out.append(share)\n        left -= share\n        out.append(2 * share)",
    "left = left - left / 4\n        out.append(left)",
    "share = left / 4\n        left = share\n        out.append(share)",
    "out.append(left)\n        left = left / 2\n        share = left * 3\n        out.append(share)",
    "out.append(budget / 2 ** (i + 1))",
    "share = budget / 3 ** i\n        if i == 1:\n            continue\n        out.append(share)",
    "out.append(2 ** (i + 2) / budget)",
]
#: A share that is read in the next round, or set twice; a budget that is set twice; a power that is read by itself.
KEPT = [
    "out.append(e)\n        e = left / 3\n        left = left - e",
    "share = left / 3\n        left = left - share\n        share = budget\n        out.append(share)",
    "share = left / 3\n        left = left - share\n        left = left - share\n        out.append(left)",
    "out.append(budget / 2 ** i + 2 ** i)",
]
MEANT = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("body", SHARED + KEPT)
def test_it_means_what_python_means(body, first):
    text = LOOP.format(body=body, first=first)
    module = parse_text("from lapwing import mechanism, one\n" + text)
    check_like_python(text, module, "f", {"x": [], "budget": Fraction(72)}, listed([]))


@pytest.mark.parametrize("body", SHARED)
def test_a_budget_is_multiplied(body):
    shown = show_mechanism(parse_text("from lapwing import mechanism, one\n" + LOOP.format(body=body, first=0))["f"])
    assert "- share" not in shown
    assert "power" not in shown
    assert any(f"{name} = {name} {symbol} " in shown for name in ("left", "share_1") for symbol in "*/")


@pytest.mark.parametrize(
    "program", [each for each in strangers() if each.shelf == "budgets"], ids=lambda each: each.name
)
def test_decided(program):
    assert decide_text(program.text, program.name).verdict == MEANT[program.truth]

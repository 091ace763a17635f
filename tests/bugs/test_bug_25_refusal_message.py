"""A budget refusal told the analyst something about the data; here it holds the price, the rest, and nothing else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import BudgetExceeded, NotComparable
from lapwing.ledger import Part
from tests.ledger.making import ask, fresh_ledger


def refusals(snapshot, release, price):
    """What an analyst reads when they pass the budget, on a ledger that went through this."""
    with fresh_ledger(1, 0) as ledger:
        ledger.set_snapshot(snapshot)
        receipt = ask(ledger, PureDP("0.3"), snapshot=snapshot)
        ledger.redeem(receipt)
        ledger.keep(receipt, release)
        with pytest.raises(BudgetExceeded) as whole:
            ask(ledger, price, snapshot=snapshot)
        with pytest.raises(BudgetExceeded) as part:
            ask(ledger, price, snapshot=snapshot, partition=Part("people", "name", "Ann Example"))
        with pytest.raises(NotComparable) as mixed:
            ask(ledger, (price, ZCDP("0.1")), snapshot=snapshot)
        return str(whole.value), str(part.value), str(mixed.value)


words = st.text(st.characters(exclude_categories=["Cs"]))


@given(words, words, words, words)
def test_the_refusal_is_the_same_text_for_any_data(one, other, answer, another):
    price = PureDP("0.8")
    assert refusals("s" + one, answer, price) == refusals("s" + other, another, price)


def test_the_refusal_holds_public_numbers_only():
    whole, part, mixed = refusals("fingerprint-4711", '{"count": 4712}', PureDP("0.8"))
    assert whole == (
        "L113 the request costs epsilon 0.8, and epsilon 0.7 is left of the share of 'ann'. "
        "Ask for less, or stop here: nothing was charged."
    )
    assert part == whole  # not even the name of the part
    for message in (whole, part, mixed):
        assert set(re.findall(r"\d+(?:\.\d+)?", message)) <= {"113", "112", "0.8", "0.7", "0.1", "0"}

"""Ledgers from before accounts had orders: they open, verify, and admit what they admitted."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.conversion import zcdp_within
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import BudgetExceeded
from lapwing.ledger import terms as terms_room
from tests.ledger.making import ask, fresh_ledger, policy

BUDGET = (Fraction(4), Fraction(1, 10**5))


@pytest.fixture
def old(monkeypatch):
    """A ledger as it was created then: its accounts have three numbers each."""
    rho = zcdp_within(ApproxDP(BUDGET[0], BUDGET[1] / 2)).rho
    with monkeypatch.context() as then:
        then.setattr(terms_room, "allowance", lambda e, d: terms_room.Allowance(e, d, rho))
        with fresh_ledger(*BUDGET, [("ann", *BUDGET)]) as ledger:
            then.undo()
            yield ledger, rho


def test_an_old_ledger_means_what_it_meant(old):
    ledger, rho = old
    accounts = json.loads(ledger.entries()[0].content)["accounts"]
    assert all(len(numbers) == 3 for numbers in accounts.values())
    ask(ledger, PureDP("0.5"))
    ask(ledger, ZCDP("0.1"), query="r")
    left = ledger.remaining("ann")
    assert left.rho == rho - Fraction(1, 8) - Fraction(1, 10)
    assert 0.50 < left.epsilon < 0.51
    with pytest.raises(BudgetExceeded):
        ask(ledger, PureDP("0.51"), query="s")
    assert ledger.verify().intact


def test_a_new_budget_for_an_old_account_keeps_its_rule(old):
    ledger, _ = old
    ask(ledger, ZCDP("0.1"))
    ledger.change_budget(policy(5, BUDGET[1], [("ann", 5, BUDGET[1]), ("bob", 1, BUDGET[1])]))
    table, *others = ledger.accounts()
    assert table.allowance.orders == ()
    assert {each.analyst: bool(each.allowance.orders) for each in others} == {"ann": False, "bob": True}
    ask(ledger, ZCDP("0.01"), analyst="bob", query="b")
    assert ledger.verify().intact


def test_an_analyst_who_comes_back_keeps_the_orders_they_had():
    share = (Fraction(2), BUDGET[1])
    with fresh_ledger(*BUDGET, [("ann", *BUDGET), ("bob", 1, 0)]) as ledger:
        ask(ledger, ZCDP("0.01"))
        before = {each.analyst: each for each in ledger.accounts()}["ann"]
        ledger.change_budget(policy(*BUDGET, [("bob", 1, 0)]))
        ledger.change_budget(policy(*BUDGET, [("ann", *share), ("bob", 1, 0)]))
        after = {each.analyst: each for each in ledger.accounts()}["ann"]
        assert [each.alpha for each in after.allowance.orders] == [each.alpha for each in before.allowance.orders]
        assert after.spent == before.spent
        assert all(
            replace(a, limit=b.limit) == b for a, b in zip(after.allowance.orders, before.allowance.orders, strict=True)
        )
        assert ledger.verify().intact

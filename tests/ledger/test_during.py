"""One connection for the length of a question: each method is still its own transaction, seen by everybody at once."""

import os
import sqlite3
import threading

import pytest

from lapwing.algebra.measures import PureDP
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError
from lapwing.ledger import Ledger
from lapwing.ledger.stores import sqlite as store
from tests.ledger.making import ask, fresh_ledger


@pytest.fixture
def ledger():
    with fresh_ledger() as ledger:
        yield ledger


def test_a_charge_is_on_disk_before_the_block_ends(ledger):
    with ledger.during() as held:
        receipt = ask(held, PureDP("1/4"))
        other = Ledger.open(ledger.path, 1)
        assert other.confirms(receipt)
        assert other.remaining("ann").epsilon == PureDP("3/4").epsilon
        ask(other, PureDP("1/4"))  # nobody is kept out between two transactions
        assert held.remaining("ann").epsilon == PureDP("1/2").epsilon
        held.redeem(receipt)
        held.keep(receipt, "{}")
    assert ledger.verify().intact


def test_one_connection_is_enough(ledger, monkeypatch):
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr(store.sqlite3, "connect", lambda *given, **more: opened.append(1) or connect(*given, **more))
    with ledger.during() as held:
        receipt = ask(held, PureDP("1/4"))
        held.redeem(receipt)
        held.keep(receipt, "{}")
        held.remaining("ann")
        held.secret("x")
    assert opened == [1]
    ledger.remaining("ann")
    ledger.remaining("ann")
    assert opened == [1, 1, 1]


def test_a_refusal_leaves_the_connection_as_it_was(ledger):
    with ledger.during() as held:
        with pytest.raises(BudgetExceeded):
            ask(held, PureDP(2))
        with pytest.raises(InvalidInput, match="L110"):
            held.remaining("nobody")
        ask(held, PureDP(1))
    assert ledger.remaining("ann").epsilon == 0
    assert ledger.verify().intact


def test_another_writer_is_waited_for_and_named(ledger):
    file = store.SQLiteStore(ledger.path)
    busy = file.writing(file.connection(1))
    with Ledger(ledger.path, 0.1).during() as held, busy, pytest.raises(LapwingError, match="L104"):
        ask(held, PureDP("1/4"))


def test_no_ledger_is_no_ledger(tmp_path):
    with pytest.raises(InvalidInput, match="L101"), Ledger(tmp_path / "none").during():
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_opens_its_own(ledger, monkeypatch):
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr(store.sqlite3, "connect", lambda *given, **more: opened.append(1) or connect(*given, **more))
    with ledger.during() as held:
        if (child := os.fork()) == 0:
            try:
                ask(held, PureDP("1/4"))
                os._exit(0 if opened == [1, 1] else 2)
            except BaseException:  # whatever it was, the parent is told
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        ask(held, PureDP("1/4"))
    assert ledger.remaining("ann").epsilon == PureDP("1/2").epsilon
    assert ledger.verify().intact


def test_another_thread_is_refused(ledger):
    found = []

    def work(held):
        try:
            ask(held, PureDP("1/4"))
        except LapwingError as refused:
            found.append(refused.code)

    with ledger.during() as held:
        thread = threading.Thread(target=work, args=(held,))
        thread.start()
        thread.join()
    assert found
    assert ledger.remaining("ann").epsilon == 1
    assert ledger.verify().intact

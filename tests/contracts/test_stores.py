"""What every store of a ledger must do: the same chain, nothing spent twice, nothing lost that was promised."""

import contextlib
import multiprocessing
import os
import random
import threading
import time
from fractions import Fraction

import pytest

from lapwing.algebra.measures import PureDP
from lapwing.errors import BudgetExceeded, LapwingError
from lapwing.ledger import Ledger, Part
from tests.contracts import postgresql
from tests.contracts.stores import STORES
from tests.ledger.making import ask, policy


@pytest.fixture(params=STORES)
def place(request):
    with STORES[request.param]() as made:
        yield made


def spent(ledger):
    return ledger.accounts()[0].spent.epsilon


def test_a_charge_is_kept_and_its_receipt_is_used_once(place):
    ledger = Ledger.create(place, policy())
    receipt = ask(ledger, PureDP(Fraction(1, 4)))
    again = Ledger.open(place)
    assert again.confirms(receipt)
    again.redeem(receipt)
    with pytest.raises(LapwingError) as refused:
        again.redeem(receipt)
    assert refused.value.code == "L117"
    again.keep(receipt, '{"a": 1}')
    assert ledger.kept("ann", "q", "s", receipt.price) == '{"a": 1}'
    assert ledger.kept("bob", "q", "s", receipt.price) is None
    assert ledger.remaining("ann").epsilon == Fraction(3, 4)
    chain = ledger.verify()
    assert chain.intact
    assert chain.entries == 4
    assert ledger.secret("one") != ledger.secret("two")


def test_what_is_refused_leaves_nothing_behind(place):
    ledger = Ledger.create(place, policy())
    ask(ledger, PureDP(Fraction(3, 4)))
    before = ledger.head()
    with pytest.raises(BudgetExceeded):
        ask(ledger, PureDP(Fraction(1, 2)))
    with pytest.raises(LapwingError) as refused:
        Ledger.create(place, policy())
    assert refused.value.code == "L102"
    assert ledger.head() == before
    ledger.set_snapshot("x" * 100)
    assert ledger.expected_snapshot() == "x" * 100


def test_parts_add_up_alike(place):
    ledger = Ledger.create(place, policy())
    for key in ("a", "b", "c"):
        ask(ledger, PureDP(Fraction(1, 8)), partition=Part("people", "town", key, 1, None, "e"))
    assert spent(ledger) == Fraction(1, 8)
    assert ledger.verify().intact


def test_one_connection_serves_a_question(place):
    ledger = Ledger.create(place, policy())
    with ledger.during() as held:
        receipt = ask(held, PureDP(Fraction(1, 8)))
        held.redeem(receipt)
        with pytest.raises(BudgetExceeded):
            ask(held, PureDP(2))
        held.keep(receipt, "{}")
    assert ledger.verify().entries == 4


def spend(place, count, go, results):
    """Charges as often as it is let."""
    ledger = Ledger.open(place)
    go.wait()
    done = 0
    for _ in range(count):
        try:
            ask(ledger, PureDP(Fraction(1, 40)))
            done += 1
        except BudgetExceeded:
            break
    results.put(done)


def test_eight_processes_spend_the_last_epsilon_exactly(place):
    Ledger.create(place, policy())
    context = multiprocessing.get_context("fork")
    go, results = context.Event(), context.Queue()
    workers = [context.Process(target=spend, args=(place, 40, go, results)) for _ in range(8)]
    for worker in workers:
        worker.start()
    go.set()
    found = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join()
    ledger = Ledger.open(place)
    assert sum(found) == 40
    assert spent(ledger) == 1
    assert ledger.verify().intact


KILLS = int(os.environ.get("LAPWING_TEST_KILLS", "6"))


def charge_for_ever(place, said):
    """Says the number of each receipt as soon as it has it."""
    ledger = Ledger.open(place)
    said.send("ready")
    while True:
        said.send(ledger.charge("ann", PureDP(Fraction(1, 1_000_000)), query="q", snapshot="s", text="t").sequence)


def heard(pipe):
    """All that was said before the end."""
    with contextlib.suppress(EOFError, OSError):  # the last word may be half of one
        while True:
            yield pipe.recv()


def test_a_client_that_is_killed_loses_no_charge_that_it_was_given_a_receipt_for(place):
    """950 of these: LAPWING_TEST_KILLS=950 python -m pytest tests/contracts/test_stores.py -k client_that_is_killed.

    A database may still commit for a client that is gone, after we have looked: such a charge is seen at the next kill.
    """
    Ledger.create(place, policy())
    context = multiprocessing.get_context("fork")
    given = 0
    for kills in range(1, KILLS + 1):
        pipe, said = context.Pipe(duplex=False)
        client = context.Process(target=charge_for_ever, args=(place, said), daemon=True)
        client.start()
        said.close()
        assert pipe.recv() == "ready"
        time.sleep(random.Random(kills).random() / 4)
        client.kill()
        receipts = list(heard(pipe))
        client.join()
        ledger = Ledger.open(place)
        written = charged(ledger)
        assert set(receipts) <= written  # a receipt was given only for what is on disk
        given += len(receipts)
        assert len(written) - given <= kills  # at most one charge of each kill has no receipt
    assert ledger.verify().intact
    before, found = len(charged(ledger)), spent(ledger)
    assert Fraction(before, 1_000_000) <= found <= Fraction(len(charged(ledger)), 1_000_000)


def charged(ledger):
    """The numbers of all charges that are on disk."""
    return {entry.sequence for entry in ledger.entries() if entry.kind == "charge"}


def test_a_backend_that_is_killed_gives_no_receipt_for_a_charge_that_is_not_there():
    """300 of these: LAPWING_TEST_KILLS=300 python -m pytest tests/contracts/test_stores.py -k killed."""
    with STORES["postgresql"]() as place:
        ledger = Ledger.create(place, policy())
        receipts, refused, stop = [], [], threading.Event()

        def charge():
            while not stop.is_set():
                try:
                    receipts.append(ask(ledger, PureDP(Fraction(1, 1_000_000))).sequence)
                except LapwingError as failed:
                    refused.append(failed.code)

        asking = threading.Thread(target=charge)
        asking.start()
        kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lapwing ledger'"
        with postgresql.connect() as admin:
            for seed in range(KILLS):
                time.sleep(random.Random(seed).random() / 8)
                admin.execute(kill)
        stop.set()
        asking.join()
        written = [entry.sequence for entry in ledger.entries() if entry.kind == "charge"]
        assert set(receipts) <= set(written)
        assert len(written) - len(receipts) <= len(refused)  # a lost reply counts as charged
        assert set(refused) <= {"L107", "L108"}
        assert ledger.verify().intact
        assert spent(ledger) == Fraction(len(written), 1_000_000)


def test_a_commit_whose_reply_is_lost_counts_as_charged(monkeypatch):
    from lapwing.ledger.stores import postgresql as store

    with STORES["postgresql"]() as place:
        ledger = Ledger.create(place, policy())
        commit = store._commit

        def lost(db):
            commit(db)
            db.line.close()
            commit(db)  # asks a server that is gone

        monkeypatch.setattr(store, "_commit", lost)
        with pytest.raises(LapwingError) as failed:
            ask(ledger, PureDP(Fraction(1, 4)))
        assert failed.value.code == "L108"
        monkeypatch.undo()
        assert spent(ledger) == Fraction(1, 4)


def test_history_in_a_database_cannot_be_changed_by_accident_and_a_change_is_found():
    import psycopg

    with STORES["postgresql"]() as place:
        ledger = Ledger.create(place, policy())
        ask(ledger, PureDP(Fraction(1, 4)))
        database = place.partition("?")[0].rpartition("/")[0].rpartition("/")[2]
        with postgresql.connect(database) as admin:
            for change in ("UPDATE", "DELETE", "TRUNCATE"):
                said = {"UPDATE": "UPDATE {} SET price = ''", "DELETE": "DELETE FROM {}", "TRUNCATE": "TRUNCATE {}"}[
                    change
                ]
                with pytest.raises(psycopg.Error, match="entries stay"):
                    admin.execute(said.format("lapwing_people.entries"))
            admin.execute("ALTER TABLE lapwing_people.entries DISABLE TRIGGER ALL")
            admin.execute("UPDATE lapwing_people.entries SET price = 'epsilon 1/8' WHERE kind = 'charge'")
        assert not ledger.verify().intact
        with pytest.raises(LapwingError) as refused:
            ask(ledger, PureDP(Fraction(1, 4)))
        assert refused.value.code == "L105"


@pytest.mark.parametrize("first", STORES)
@pytest.mark.parametrize("second", STORES)
def test_a_ledger_is_carried_on_elsewhere_and_closed_here(first, second):
    with STORES[first]() as here, STORES[second]() as there:
        old = Ledger.create(here, policy())
        receipt = ask(old, PureDP(Fraction(1, 4)), partition=Part("people", "town", "a", 1, None, "e"))
        old.redeem(receipt)
        old.keep(receipt, '{"a": 1}')
        head = old.head()
        new = old.move(there)
        assert new.head() == head
        assert new.verify().intact
        assert new.confirms(receipt)
        assert new.secret("x") == old.secret("x")
        assert spent(new) == Fraction(1, 4)
        ask(new, PureDP(Fraction(1, 4)))
        with pytest.raises(LapwingError) as refused:
            ask(old, PureDP(Fraction(1, 4)))
        assert refused.value.code == "L121"
        assert old.verify().intact
        with pytest.raises(LapwingError):
            old.move(there)


def test_a_copy_that_fails_leaves_the_old_ledger_open(monkeypatch):
    from lapwing.ledger import ledger as module

    with STORES["sqlite"]() as here, STORES["postgresql"]() as there:
        old = Ledger.create(here, policy())
        ask(old, PureDP(Fraction(1, 4)))
        monkeypatch.setattr(module, "copied", lambda *_: None)
        with pytest.raises(LapwingError):
            old.move(there)
        monkeypatch.undo()
        ask(old, PureDP(Fraction(1, 4)))
        assert old.move(there).verify().intact

"""The ledger's doors: what it accepts, refuses, keeps and hands out."""

import multiprocessing
import os
import pickle
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError, NotComparable
from lapwing.ledger import Ledger, Part
from lapwing.ledger.stores import sqlite as store_module
from tests.ledger.making import ask, fresh_ledger, own_folder, policy

WOMEN, MEN = Part("people", "sex", "F"), Part("people", "sex", "M")


@pytest.fixture
def ledger():
    with fresh_ledger() as made:
        yield made


# --- the file ---


def test_only_its_owner_may_read_it(ledger):
    assert ledger.path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in ledger.path.parent.iterdir()] == [ledger.path.name]


def test_it_is_never_overwritten(ledger):
    ask(ledger, PureDP("0.5"))
    with pytest.raises(InvalidInput, match="L102"):
        Ledger.create(ledger.path, policy())
    assert Ledger.open(ledger.path).remaining("ann").epsilon == Fraction(1, 2)


def test_two_makers_make_one(ledger):
    empty = ledger.path.with_name("empty.lapwing.ledger")
    empty.touch()  # another process was here, and has not written yet
    Ledger.create(empty, policy())
    assert empty.stat().st_mode & 0o777 == 0o600
    file = store_module.SQLiteStore(empty)
    with file.writing(file.connection(1)) as db, pytest.raises(InvalidInput, match="L102"):
        file.build(db)


@pytest.mark.parametrize("name", ["missing.lapwing.ledger", ".", "a\0b"])
def test_a_missing_file(ledger, name):
    with pytest.raises(InvalidInput, match="L101"):
        Ledger.open(f"{ledger.path.parent}/{name}")


@pytest.mark.parametrize("content", [b"", b"hello, this is no ledger", b"SQLite format 3\0" + bytes(4096)])
def test_a_file_that_is_no_ledger(ledger, content):
    path = ledger.path.with_name("other")
    path.write_bytes(content)
    with pytest.raises(LapwingError, match=r"L103|L105"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_another_database_is_no_ledger(ledger):
    path = ledger.path.with_name("other.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE entries (x)")
    with pytest.raises(InvalidInput, match="L103"):
        Ledger.open(path)


@given(st.integers(0, 20_000), st.binary(min_size=1, max_size=64))
def test_a_damaged_file_is_refused_or_reported_never_a_traceback(place, damage):
    with fresh_ledger() as ledger:
        for number in range(3):
            ask(ledger, PureDP("0.1"), partition=WOMEN if number else None)
        whole = ledger.path.read_bytes()
        place %= len(whole)
        ledger.path.write_bytes((whole[:place] + damage + whole[place + len(damage) :])[: len(whole)])
        for action in (
            ledger.verify,
            ledger.entries,
            ledger.accounts,
            lambda: ledger.secret("x"),
            lambda: ask(ledger, PureDP("0.1")),
            lambda: ask(ledger, PureDP("0.1"), partition=WOMEN),
        ):
            with suppress(LapwingError):
                action()


def test_a_locked_ledger_is_waited_for_and_then_refused(ledger):
    impatient = Ledger.open(ledger.path, patience=0.1)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        for action in (lambda: ask(impatient, PureDP("0.1")), lambda: impatient.remaining("ann"), impatient.verify):
            with pytest.raises(LapwingError, match=r"L104 another process has held the ledger for 0\.1 seconds"):
                action()
    assert len(ledger.entries()) == 1


def test_a_file_that_may_only_be_read_can_be_verified(ledger, monkeypatch):
    ask(ledger, PureDP("0.1"))
    monkeypatch.setattr(store_module.os, "access", lambda *_: False)
    assert ledger.verify().intact
    assert ledger.remaining("ann").epsilon == Fraction(9, 10)


def test_a_full_disk_charges_nothing(ledger, monkeypatch):
    connect = sqlite3.connect

    def small_disk(*arguments, **options):
        db = connect(*arguments, **options)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    monkeypatch.setattr(store_module.sqlite3, "connect", small_disk)
    with pytest.raises(LapwingError, match="L106"):
        ask(ledger, PureDP("0.1"), text="x" * 100_000)
    monkeypatch.undo()
    assert ledger.remaining("ann").epsilon == 1
    assert ledger.verify().intact


def test_a_folder_that_does_not_exist():
    with own_folder() as folder, pytest.raises(LapwingError, match="L106"):
        Ledger.create(folder / "none" / "x.lapwing.ledger", policy())


# --- charging ---


def test_ten_tenths_of_one_and_then_nothing(ledger):
    for _ in range(10):
        ask(ledger, PureDP(0.1))
    assert ledger.remaining("ann").epsilon == 0
    with pytest.raises(BudgetExceeded, match="L113"):
        ask(ledger, PureDP("1e-300"))


def test_the_share_and_the_budget_must_both_afford_it():
    with fresh_ledger(1, 0, [("ann", "0.6", 0), ("bob", "0.6", 0)]) as ledger:
        ask(ledger, PureDP("0.6"), "ann")
        with pytest.raises(BudgetExceeded, match="epsilon 0 is left of the share of 'ann'"):
            ask(ledger, PureDP("0.1"), "ann")
        with pytest.raises(BudgetExceeded, match=r"epsilon 0\.4 is left of the table's budget"):
            ask(ledger, PureDP("0.5"), "bob")
        ask(ledger, PureDP("0.4"), "bob")
        own, table = ledger.remaining("bob").own, ledger.remaining("bob").table
        assert (own.epsilon, table.epsilon) == (Fraction(1, 5), 0)


@pytest.mark.parametrize("price", [ZCDP("0.001"), ApproxDP("0.1", "1e-9"), (PureDP("0.1"), ZCDP("0.001"))])
def test_a_pure_budget_takes_neither_rho_nor_delta(ledger, price):
    with pytest.raises(NotComparable, match="L112"):
        ask(ledger, price)
    assert len(ledger.entries()) == 1


def test_a_pure_share_of_an_approximate_budget_stays_pure():
    with fresh_ledger(1, "1e-6", [("ann", 1, 0), ("bob", 1, "1e-6")]) as ledger:
        with pytest.raises(NotComparable, match="share of 'ann'"):
            ask(ledger, ZCDP("0.001"))
        ask(ledger, (ZCDP("0.001"), ApproxDP(0, "1e-7")), "bob")
        assert ledger.remaining("bob").delta == Fraction(4, 10**7)


@pytest.mark.parametrize(
    "price", [RenyiDP({2: 1}), 0.1, None, (), (PureDP(1), "x"), PureDP(Fraction(1, 3**2000)), ZCDP(10**700)]
)
def test_a_price_must_be_a_measure_of_ordinary_length(ledger, price):
    with pytest.raises(InvalidInput, match="L111"):
        ask(ledger, price)


@pytest.mark.parametrize("analyst", ["eve", "", "Ann"])
def test_only_analysts_may_ask(ledger, analyst):
    with pytest.raises(InvalidInput, match="L110"):
        ask(ledger, PureDP("0.1"), analyst)
    with pytest.raises(InvalidInput, match="L110"):
        ledger.remaining(analyst)


@pytest.mark.parametrize("words", [{"analyst": 3}, {"query": None}, {"snapshot": b"s"}, {"text": "\ud800"}])
def test_words_must_be_text(ledger, words):
    with pytest.raises(InvalidInput, match="L118"):
        ask(ledger, PureDP("0.1"), **words)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_words_are_kept_as_they_are(words):
    with fresh_ledger() as ledger:
        ask(ledger, PureDP("0.1"), query=words, snapshot=words, text=words)
        entry = ledger.entries()[-1]
        assert (entry.query, entry.snapshot, entry.text) == (words, words, words)
        assert ledger.verify().intact


# --- parts ---


def test_parts_cost_what_the_dearest_costs(ledger):
    ask(ledger, PureDP("0.3"), partition=WOMEN)
    ask(ledger, PureDP("0.5"), "bob", partition=MEN)
    assert ledger.remaining("ann").own.epsilon == Fraction(7, 10)
    assert ledger.remaining("ann").table.epsilon == Fraction(1, 2)
    assert ledger.remaining("ann", WOMEN).table.epsilon == Fraction(7, 10)
    ask(ledger, PureDP("0.1"))
    assert ledger.remaining("ann", WOMEN).table.epsilon == Fraction(6, 10)


def test_a_unit_in_several_parts_pays_for_each():
    with fresh_ledger() as ledger:
        shops = [Part("people", "shop", number, 2) for number in range(5)]
        ask(ledger, PureDP("0.1"), partition=shops[0])
        assert ledger.accounts()[0].spent.epsilon == Fraction(1, 10)
        for shop in shops[1:]:
            ask(ledger, PureDP("0.1"), partition=shop)
        assert ledger.accounts()[0].spent.epsilon == Fraction(2, 10)


def test_a_changed_unit_may_move_so_parts_cost_twice():
    with fresh_ledger(1, 0, [("ann", 1, 0)], Neighbours.REPLACED) as ledger:
        ask(ledger, PureDP("0.2"), partition=WOMEN)
        ask(ledger, PureDP("0.2"), partition=MEN)
        assert ledger.accounts()[0].spent.epsilon == Fraction(4, 10)
        ask(ledger, PureDP("0.1"), partition=Part("people", "age", 30, parent=WOMEN))
        assert ledger.accounts()[0].spent.epsilon == Fraction(6, 10)


def test_splits_by_different_columns_or_tables_add_up(ledger):
    for part in (WOMEN, Part("people", "city", "F"), Part("visits", "sex", "F")):
        ask(ledger, PureDP("0.2"), partition=part)
    assert ledger.accounts()[0].spent.epsilon == Fraction(6, 10)


@pytest.mark.parametrize("part", [Part("people", "sex", 1), Part("people", "sex", True), Part("people", "sex", "X", 2)])
def test_a_split_keeps_its_kind_of_key_and_its_multiplicity(ledger, part):
    ask(ledger, PureDP("0.1"), partition=WOMEN)
    with pytest.raises(NotComparable, match="L114"):
        ask(ledger, PureDP("0.1"), partition=part)


@pytest.mark.parametrize(
    "words",
    [
        (1, "a", "k"),
        ("t", None, "k"),
        ("t", "a", 1.5),
        ("t", "a", None),
        ("t", "a", "\ud800"),
        ("t", "a", 2**200),
        ("t", "a", "k", 0),
        ("t", "a", "k", True),
        ("t", "a", "k", 1, "parent"),
    ],
)
def test_a_part_checks_itself(words):
    with pytest.raises(InvalidInput, match="L115"):
        Part(*words)


def test_a_partition_is_a_part(ledger):
    with pytest.raises(InvalidInput, match="L115"):
        ask(ledger, PureDP("0.1"), partition="sex")


# --- receipts and releases ---


def test_only_the_ledgers_own_receipts_are_confirmed(ledger):
    receipt = ask(ledger, PureDP("0.1"), partition=WOMEN)
    assert ledger.confirms(receipt)
    assert ledger.confirms(pickle.loads(pickle.dumps(receipt)))  # noqa: S301  # our own, made just now
    for change in (
        {"sequence": 1},
        {"sequence": 99},
        {"analyst": "bob"},
        {"price": (PureDP("0.2"),)},
        {"query": "other"},
        {"snapshot": "other"},
        {"partition": MEN},
        {"partition": None},
        {"hash": "0" * 64},
        {"time": "1999"},
    ):
        forged = replace(receipt, **change)
        assert not ledger.confirms(forged), change
        for use in (ledger.redeem, lambda receipt: ledger.keep(receipt, "{}")):
            with pytest.raises(InvalidInput, match="L116"):
                use(forged)
    assert not ledger.confirms("receipt")
    with fresh_ledger() as other:
        ask(other, PureDP("0.1"), partition=WOMEN)
        assert not other.confirms(receipt)


def test_a_receipt_that_is_redeemed_at_once_allows_no_other_look(ledger):
    words = {"query": "q", "snapshot": "s", "text": "SELECT"}
    receipt = ledger.charge("ann", PureDP("0.1"), **words, redeemed=True)
    assert [entry.kind for entry in ledger.entries()] == ["opened", "charge", "run"]
    with pytest.raises(InvalidInput, match="L117"):
        ledger.redeem(receipt)
    with pytest.raises(BudgetExceeded):
        ledger.charge("ann", PureDP(100), **words, redeemed=True)
    assert [entry.kind for entry in ledger.entries()] == ["opened", "charge", "run"]
    assert ledger.verify().intact


def test_a_receipt_allows_one_look(ledger):
    receipt = ask(ledger, PureDP("0.1"))
    ledger.redeem(receipt)
    with pytest.raises(InvalidInput, match="L117"):
        ledger.redeem(receipt)
    ledger.keep(receipt, "{}")
    with pytest.raises(InvalidInput, match="L117"):
        ledger.keep(receipt, "{}")
    assert [entry.kind for entry in ledger.entries()] == ["opened", "charge", "run", "release"]
    assert ledger.verify().intact


def test_a_kept_release_is_for_the_same_analyst_and_question(ledger):
    receipt = ask(ledger, PureDP("0.1"), partition=WOMEN)
    asked = {"analyst": "ann", "query": "q", "snapshot": "s", "price": PureDP("1/10"), "partition": WOMEN}
    assert ledger.kept(**asked) is None
    ledger.keep(receipt, '{"n": 1}')
    assert ledger.kept(**asked) == '{"n": 1}'
    for change in (
        {"analyst": "bob"},
        {"query": "r"},
        {"snapshot": "t"},
        {"price": PureDP("0.2")},
        {"price": ApproxDP("0.1", 0)},
        {"partition": MEN},
        {"partition": Part("people", "sex", "A")},
        {"partition": None},
    ):
        assert ledger.kept(**asked | change) is None, change
    with pytest.raises(InvalidInput, match="L118"):
        ledger.keep(ask(ledger, PureDP("0.1")), {"n": 1})


# --- budget, policy, data, secret ---


def test_a_changed_budget_keeps_what_was_spent():
    with fresh_ledger(1, 0, [("ann", 1, 0)]) as ledger:
        ask(ledger, PureDP(1))
        larger = policy(2, "1e-6", [("ann", "1.5", 0), ("cay", 2, "1e-6")])
        with pytest.raises(NotComparable, match="L120"):
            ledger.check_policy(larger)
        ledger.change_budget(larger)
        ledger.check_policy(larger)
        assert ledger.remaining("ann").own.epsilon == Fraction(1, 2)
        assert ledger.remaining("cay").table.epsilon == 1
        ask(ledger, PureDP("0.5"))
        ledger.change_budget(policy(1, 0, [("ann", 1, 0)]))
        assert ledger.remaining("ann").epsilon == 0
        with pytest.raises(BudgetExceeded):
            ask(ledger, PureDP("0.1"))
        assert ledger.verify().intact


@pytest.mark.parametrize("change", [{"neighbours": Neighbours.REPLACED}, {"unit": "person"}])
def test_other_people_need_another_ledger(ledger, change):
    other = policy(**change)
    for action in (ledger.check_policy, ledger.change_budget):
        with pytest.raises(NotComparable, match="L119"):
            action(other)
    ledger.check_policy(policy())


def test_accounts_say_who_spent_what(ledger):
    ask(ledger, PureDP("0.1"), "ann")
    ask(ledger, PureDP("0.2"), "ann")
    table, ann, bob = ledger.accounts()
    assert (table.analyst, ann.analyst, bob.analyst) == (None, "ann", "bob")
    assert (table.charges, ann.charges, bob.charges) == (2, 2, 0)
    assert (table.spent.epsilon, bob.spent.epsilon) == (Fraction(3, 10), 0)
    assert table.left.epsilon == Fraction(7, 10)


def test_the_snapshot_is_the_last_one_noted(ledger):
    assert ledger.expected_snapshot() is None
    ledger.set_snapshot("one")
    ledger.set_snapshot("two")
    assert ledger.expected_snapshot() == "two"


def test_secrets_differ_by_purpose_and_by_ledger(ledger):
    assert len(ledger.secret("sampling")) == 32
    assert ledger.secret("sampling") == Ledger.open(ledger.path).secret("sampling")
    assert ledger.secret("sampling") != ledger.secret("fingerprint")
    with fresh_ledger() as other:
        assert other.secret("sampling") != ledger.secret("sampling")


def test_the_head_is_the_newest_receipt(ledger):
    receipt = ask(ledger, PureDP("0.1"))
    assert ledger.head() == (receipt.sequence, receipt.hash)


# --- threads and forks share one object ---


def test_threads_share_a_ledger(ledger):
    def spend():
        for _ in range(10):
            ask(ledger, PureDP("1/1000"))

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.accounts()[0].spent.epsilon == Fraction(40, 1000)
    assert ledger.verify().intact


def test_two_processes_cannot_both_have_the_last_of_it(ledger):
    def try_it(results):
        try:
            ask(ledger, PureDP(1))
        except BudgetExceeded:
            results.put(0)
        else:
            results.put(1)

    context = multiprocessing.get_context("fork")
    results = context.Queue()
    processes = [context.Process(target=try_it, args=(results,)) for _ in range(2 * (os.cpu_count() or 1))]
    for process in processes:
        process.start()
    assert sum(results.get(timeout=60) for _ in processes) == 1
    for process in processes:
        process.join()

"""An edited history is found out: every field of every entry, and everything that is kept beside them."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import LapwingError
from lapwing.ledger import Ledger, Part
from lapwing.ledger.costs import cost_of
from lapwing.ledger.entries import FIELDS, Entry
from tests.ledger.making import ask, own_folder, policy

ANALYSTS = (("ann", 2, "1e-6"), ("bob", 1, "1e-6"))


@pytest.fixture(scope="module")
def original():
    with own_folder() as folder:
        ledger = Ledger.create(folder / "a.lapwing.ledger", policy(3, "1e-6", ANALYSTS))
        ledger.set_snapshot("data as of today")
        receipt = ask(ledger, PureDP("0.1"))
        ledger.redeem(receipt)
        ledger.keep(receipt, '{"rows": [1]}')
        women = Part("people", "sex", "F")
        ask(ledger, PureDP("0.1"), "bob", partition=women)
        ask(ledger, ApproxDP("0.2", "1e-7"), "ann", partition=Part("people", "city", 3, parent=women))
        ledger.change_budget(policy(4, "1e-6", ANALYSTS))
        ask(ledger, ZCDP("0.001"), "bob")
        ask(ledger, PureDP("0.1"), "ann", query="last")
        assert ledger.verify() == ledger.verify()
        assert ledger.verify().intact
        yield ledger, receipt


@pytest.fixture
def copy(original):
    with own_folder() as folder:
        yield Ledger(shutil.copy(original[0].path, folder / "copy.lapwing.ledger"))


def edit(ledger, *statements):
    with closing(sqlite3.connect(ledger.path)) as db:
        db.execute("DROP TRIGGER IF EXISTS no_update")
        db.execute("DROP TRIGGER IF EXISTS no_delete")
        for statement, values in statements:
            assert db.execute(statement, values).rowcount > 0, statement
        db.commit()


def other_value(value):
    if value is None:
        return 3
    return value + 1 if isinstance(value, int) else (value + "0" if value else "1")


LENGTH = 10
UPDATE = f"UPDATE entries SET {', '.join(f'{name} = ?' for name in FIELDS)} WHERE sequence = ?"
INSERT = f"INSERT INTO entries VALUES ({', '.join('?' * len(FIELDS))})"


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("rehashed", [False, True], ids=["as it is", "with its hash made anew"])
def test_every_field_of_every_entry_is_held(original, field, rehashed):
    ledger, _ = original
    entries = ledger.entries()
    assert len(entries) == LENGTH
    for entry in entries:
        if rehashed and field == "hash":
            continue
        with own_folder() as folder:
            path = shutil.copy(ledger.path, folder / "copy.lapwing.ledger")
            changed = replace(entry, **{field: other_value(getattr(entry, field))})
            if field == "sequence":
                changed = replace(entry, sequence=entry.sequence + 100)
            if rehashed:
                changed = changed.sealed()
            edit(Ledger(path), (UPDATE, (*changed.row(), entry.sequence)))
            chain = Ledger(path).verify()
            assert not chain.intact, (entry.sequence, field)
            if not rehashed and field != "sequence":
                assert chain.first_bad == entry.sequence


@pytest.mark.parametrize("value", [b"\xff", 7, 1.5, None, "\ud7ff"])
def test_a_field_of_another_type_is_found(copy, value):
    if value is None:
        edit(copy, ("UPDATE entries SET reference = NULL WHERE kind = 'run'", ()))
    else:
        edit(copy, ("UPDATE entries SET text = ? WHERE sequence = 3", (value,)))
    assert not copy.verify().intact


@pytest.mark.parametrize("sequence", range(1, LENGTH + 1))
def test_a_deleted_entry_is_found(copy, sequence):
    edit(copy, ("DELETE FROM entries WHERE sequence = ?", (sequence,)))
    assert not copy.verify().intact


@pytest.mark.parametrize("sequence", range(1, LENGTH))
def test_two_entries_that_changed_places_are_found(copy, sequence):
    edit(
        copy,
        ("UPDATE entries SET sequence = 1000 WHERE sequence = ?", (sequence,)),
        ("UPDATE entries SET sequence = ? WHERE sequence = ?", (sequence, sequence + 1)),
        ("UPDATE entries SET sequence = ? WHERE sequence = 1000", (sequence + 1,)),
    )
    chain = copy.verify()
    assert not chain.intact
    assert chain.first_bad == sequence


@pytest.mark.parametrize("cut", range(1, LENGTH))
def test_a_cut_off_tail_is_found_at_once(copy, cut):
    edit(copy, ("DELETE FROM entries WHERE sequence > ?", (cut,)))
    assert not copy.verify().intact
    with pytest.raises(LapwingError, match="L105"):
        Ledger.open(copy.path)
    with pytest.raises(LapwingError, match="L105"):
        ask(copy, PureDP("0.1"))


def test_a_tail_cut_off_with_its_head_rewritten_is_shown_by_a_receipt(copy):
    late = ask(copy, PureDP("0.001"))
    assert copy.confirms(late)
    before = copy.entries()[-2]
    edit(
        copy,
        ("DELETE FROM entries WHERE sequence > ?", (before.sequence,)),
        ("UPDATE head SET sequence = ?, hash = ?", (before.sequence, before.hash)),
    )
    assert copy.verify().intact  # a file cannot show that it is not simply older
    assert not copy.confirms(late)


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE head SET sequence = sequence - 1", ()),
        ("UPDATE head SET hash = ?", ("0" * 64,)),
        ("DELETE FROM head", ()),
        ("UPDATE secret SET key = ?", (bytes(32),)),
        ("DELETE FROM secret", ()),
        ("UPDATE secret SET key = 'text'", ()),
        ("UPDATE balances SET state = '0 0 0' WHERE account = '' AND state NOT LIKE '% % % %'", ()),
        ("DELETE FROM balances WHERE account = 'bob'", ()),
        ("UPDATE balances SET seal = ''", ()),
        ("INSERT INTO balances VALUES ('ann', '[]', '0 0 0', '')", ()),
        ("UPDATE releases SET body = ?", ('{"rows": [2]}',)),
        ("UPDATE releases SET body = x'ff'", ()),
        ("DELETE FROM releases", ()),
        ("INSERT INTO releases VALUES (999, '{}')", ()),
    ],
)
def test_what_is_kept_beside_the_entries_is_held_too(copy, statement, values):
    edit(copy, (statement, values))
    assert not copy.verify().intact


def test_a_total_that_was_edited_cannot_be_spent_from(copy):
    edit(copy, ("UPDATE entries SET table_spent = '0 0 0' WHERE sequence = (SELECT max(sequence) FROM entries)", ()))
    with pytest.raises(LapwingError, match="L105"):
        ask(copy, PureDP("0.1"))


def test_a_part_whose_balance_was_edited_cannot_be_spent_from(copy):
    edit(copy, ("UPDATE balances SET state = '0 0 0' WHERE state NOT LIKE '% % % %'", ()))
    with pytest.raises(LapwingError, match="L105"):
        ask(copy, PureDP("0.1"), partition=Part("people", "sex", "F"))


def test_an_exchanged_secret_or_release_is_not_used(copy, original):
    _, receipt = original
    edit(copy, ("UPDATE secret SET key = ?", (bytes(32),)), ("UPDATE releases SET body = '{}'", ()))
    with pytest.raises(LapwingError, match="L105"):
        copy.secret("sampling")
    with pytest.raises(LapwingError, match="L105"):
        copy.kept("ann", receipt.query, receipt.snapshot, receipt.price)


def forged(copy, **words):
    """An entry added at the end with everything right but its meaning."""
    head = copy.entries()[-1]
    carried = {"terms": head.terms, "table_spent": head.table_spent}
    entry = Entry(head.sequence + 1, head.time, previous=head.hash, **carried | words).sealed()
    edit(copy, (INSERT, entry.row()), ("UPDATE head SET sequence = ?, hash = ?", (entry.sequence, entry.hash)))
    return copy.verify()


def test_a_forged_entry_must_also_make_sense(copy):
    last = copy.entries()[-1]
    same = {name: getattr(last, name) for name in ("analyst", "price", "part", "analyst_spent", "table_spent")}
    assert "sums" in forged(copy, kind="charge", **same).reason


def test_a_forged_charge_may_not_overspend(copy):
    table, ann, _ = copy.accounts()
    prices = (PureDP(3),)  # of ann's 2, with the right sums
    own, all_of_it = (each.spent.plus(cost_of(prices, each.allowance.orders)).text() for each in (ann, table))
    spent = {"analyst_spent": own, "table_spent": all_of_it}
    assert "overspends" in forged(copy, kind="charge", analyst="ann", price="epsilon 3", part="[]", **spent).reason


@pytest.mark.parametrize("sequence", range(1, LENGTH))
def test_a_hash_stands_for_everything_before_it(copy, sequence):
    changed, after = copy.entries()[sequence - 1 : sequence + 1]
    changed = replace(changed, text="another question").sealed()
    after = replace(after, previous=changed.hash)  # linked anew, with the hash it had
    edit(copy, (UPDATE, (*changed.row(), changed.sequence)), (UPDATE, (*after.row(), after.sequence)))
    chain = copy.verify()
    assert not chain.intact
    assert chain.first_bad == after.sequence


@pytest.mark.parametrize(
    "words",
    [
        {"kind": "opened", "content": "{}"},
        {"kind": "gift"},
        {"kind": "budget", "content": "{}"},
        {"kind": "budget", "content": "not JSON"},
        {"kind": "run", "analyst": "ann", "reference": 1},
        {"kind": "run", "analyst": "ann", "reference": 9},
        {"kind": "release", "analyst": "ann", "reference": 10},
        {"kind": "charge", "analyst": "eve", "price": "epsilon 0", "part": "[]"},
        {"kind": "charge", "analyst": "", "price": "epsilon 0", "part": "[]"},
        {"kind": "charge", "analyst": "ann", "price": "epsilon -1", "part": "[]"},
        {"kind": "charge", "analyst": "ann", "price": "free", "part": "[]"},
        {"kind": "charge", "analyst": "ann", "price": "epsilon 1", "part": "[[1]]"},
    ],
)
def test_a_forged_entry_that_means_nothing_is_found(copy, words):
    chain = forged(copy, **words)
    assert not chain.intact


def test_accidents_are_stopped_by_the_file_itself(copy):
    with closing(sqlite3.connect(copy.path)) as db:
        for statement in ("DELETE FROM entries", "UPDATE entries SET price = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="entries stay"):
                db.execute(statement)


def test_new_terms_may_not_change_the_people(copy):
    words = json.loads(next(entry.content for entry in copy.entries() if entry.kind == "budget"))
    chain = forged(copy, kind="budget", terms=LENGTH + 1, content=json.dumps(words | {"neighbours": "replaced"}))
    assert "may not change" in chain.reason

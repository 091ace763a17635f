"""The ledger as others use it: one object for one file or schema, every method one transaction."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lapwing.errors import InvalidInput, NotComparable
from lapwing.ledger.charging import (
    accounts_so_far,
    add,
    book,
    charge,
    current_terms,
    foreseen,
    known_analyst,
    left,
    open_chain,
    receipt_for,
    remaining,
)
from lapwing.ledger.costs import Price, prices_of, prices_text
from lapwing.ledger.entries import Entry, text_digest
from lapwing.ledger.parts import Part, is_text, part_text
from lapwing.ledger.receipts import Account, Receipt, Remaining
from lapwing.ledger.stores import Database, Store, store_at
from lapwing.ledger.stores.store import SELECT, copied, corrupt, find, last
from lapwing.ledger.terms import Terms, amounts_of, private_units, terms_of
from lapwing.ledger.verification import Chain, verified
from lapwing.noise.source import SECURE
from lapwing.policy import Policy
from lapwing.policy.addresses import database_address, is_address

SUFFIX = ".lapwing.ledger"
_SECRET_BITS = 256
#: Seconds to wait for another process before giving up; a charge holds the ledger for about a millisecond.
_PATIENCE = 60.0
_LONGEST_WORD = 1_000_000


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger in a file. Make one with :meth:`create` or :meth:`open`; share it among threads and forks freely."""

    #: a file, or the address of a ledger in a database
    path: Path | str
    patience: float = _PATIENCE
    #: the process and the connection of a question that is being answered
    _held: tuple[int, Any] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Ledger {str(self.path)!r}"

    @staticmethod
    def create(path: str | os.PathLike[str], policy: Policy, patience: float = _PATIENCE) -> Ledger:
        """A new ledger with the policy's budget and analysts; never overwrites one."""
        ledger = Ledger(_place(path), patience)
        key = SECURE.random_bits(_SECRET_BITS).to_bytes(_SECRET_BITS // 8, "big")
        terms = terms_of(policy, hashlib.sha256(key).hexdigest())
        ledger._store.create()
        with ledger._writing(new=True) as db:
            ledger._store.build(db)
            db.execute("INSERT INTO secret VALUES (1, ?)", (key,))
            open_chain(db, terms.text())
        return ledger

    @staticmethod
    def open(path: str | os.PathLike[str], patience: float = _PATIENCE) -> Ledger:
        """The ledger in this file; refuses a file that is none, or whose newest entries are not as written."""
        ledger = Ledger(_place(path), patience)
        with ledger._reading() as db:
            last(db)
            current_terms(db)
        return ledger

    def discard(self) -> None:
        """Removes a ledger that was made a moment ago, when what it was made for came to nothing."""
        self._store.discard()

    @property
    def _store(self) -> Store:
        return store_at(self.path)

    # --- charging, and what a charge allows ---

    def charge(
        self,
        analyst: str,
        price: Price | tuple[Price, ...],
        *,
        query: str,
        snapshot: str,
        text: str,
        partition: Part | None = None,
        redeemed: bool = False,
    ) -> Receipt:
        """Charges the analyst's share and the table's budget, or neither; on disk before the receipt is returned.

        A receipt that is ``redeemed`` at once is for one look that follows now: one wait for the disk instead of two.
        ``price`` bounds the loss of the answer under the policy's neighbours (within a part: see :class:`Part`); a
        tuple adds up. ``query`` is a digest of what will run, ``text`` what the analyst wrote.
        """
        prices, words = prices_of(price), _asked(analyst, query, snapshot, text)
        if partition is not None and not isinstance(partition, Part):
            raise InvalidInput("L115", f"a partition is a {type(partition).__name__}", "Give a Part, or None")
        with self._writing() as db:
            receipt = charge(db, prices, partition, words)
            if redeemed:
                self._use(db, receipt, "run", "")
            return receipt

    def confirms(self, receipt: Receipt) -> bool:
        """Whether this ledger gave exactly this receipt, and its history up to it is still the same."""
        with self._reading() as db:
            return _confirmed(db, receipt)

    def redeem(self, receipt: Receipt) -> None:
        """Takes the receipt, once, for one look at the data: a second look with fresh noise would not be paid for."""
        with self._writing() as db:
            self._use(db, receipt, "run", "")

    def keep(self, receipt: Receipt, release: str) -> None:
        """Keeps what came of a charge, so that asking the same again is free: a second copy tells nothing new."""
        if not is_text(release):
            raise InvalidInput("L118", "a release is not text", "Give its JSON")
        with self._writing() as db:
            entry = self._use(db, receipt, "release", text_digest(release))
            db.execute("INSERT INTO releases VALUES (?, ?)", (entry.sequence, release))

    def kept(
        self,
        analyst: str,
        query: str,
        snapshot: str,
        price: Price | tuple[Price, ...],
        partition: Part | None = None,
    ) -> str | None:
        """The release this analyst got for the same query, snapshot, price and part; None if there is none.

        Not shared among analysts: what one was told, another has not paid for out of their own share.
        """
        wanted = (query, analyst, snapshot, prices_text(prices_of(price)), part_text(partition))
        charges = "kind = 'charge' AND query = ? AND analyst = ? AND snapshot = ? AND price = ? AND part = ?"
        of_charge = f"SELECT sequence FROM entries WHERE {charges}"  # noqa: S608  # the text above, nothing else
        with self._reading() as db:
            entry = find(db, f"WHERE kind = 'release' AND reference IN ({of_charge}) ORDER BY sequence DESC", *wanted)
            return None if entry is None else _body(db, entry)

    def kept_for(self, charge: int) -> str | None:
        """The release that came of the charge with this number; None if none was kept."""
        with self._reading() as db:
            entry = find(db, "WHERE kind = 'release' AND reference = ?", charge)
            return None if entry is None else _body(db, entry)

    def _use(self, db: Database, receipt: Receipt, kind: str, content: str) -> Entry:
        if not _confirmed(db, receipt):
            raise InvalidInput("L116", "this ledger gave no such receipt", "Charge first, and use the receipt as it is")
        if find(db, "WHERE reference = ? AND kind = ?", receipt.sequence, kind) is not None:
            raise InvalidInput(
                "L117", f"the receipt of entry {receipt.sequence} was used before", "Charge again for another answer"
            )
        words = Entry(0, "", kind, analyst=receipt.analyst, reference=receipt.sequence, content=content)
        return add(db, words)

    # --- what is left, and for whom ---

    def remaining(self, analyst: str, partition: Part | None = None) -> Remaining:
        """What one more query of the analyst may cost, in the whole table or within a part."""
        with self._reading() as db:
            terms = current_terms(db)
            return remaining(db, terms, known_analyst(terms, analyst), partition)

    def after(self, analyst: str, price: Price | tuple[Price, ...], partition: Part | None = None) -> Remaining:
        """What would be left after such a charge, which is not made; refused as the charge itself would be."""
        with self._reading() as db:
            return foreseen(db, prices_of(price), partition, analyst)

    def accounts(self) -> tuple[Account, ...]:
        """Every account with what was spent: the table's first, then each analyst's."""
        with self._reading() as db:
            terms = current_terms(db)
            return tuple(_account(db, terms, name) for name in terms.allowances)

    def change_budget(self, policy: Policy) -> None:
        """The policy's budget and shares from now on; what was spent stays spent.

        A larger budget is the curator's decision to promise less: afterwards all answers together keep the new one.
        """
        with self._writing() as db:
            terms = current_terms(db)
            new = terms_of(policy, terms.secret, accounts_so_far(db))
            if not new.same_people(terms):
                raise _other_people()
            add(db, Entry(0, "", "budget", content=new.text()))

    def check_policy(self, policy: Policy) -> None:
        """Refuses a policy whose people or budget are not those that this ledger keeps account of."""
        with self._reading() as db:
            terms = current_terms(db)
        if (policy.neighbours, private_units(policy)) != (terms.neighbours, terms.units):
            raise _other_people()
        if amounts_of(policy) != {name: (each.epsilon, each.delta) for name, each in terms.allowances.items()}:
            raise NotComparable(
                "L120",
                "the policy's budget or shares are not those that the ledger enforces",
                "Undo the change, or have the ledger adopt it with: lapwing protect SOURCE --renew",
            )

    # --- the data, and the secret ---

    def set_snapshot(self, snapshot: str) -> None:
        """Notes the fingerprint of the data as it should be."""
        with self._writing() as db:
            add(db, Entry(0, "", "snapshot", snapshot=_word(snapshot, "the snapshot")))

    def expected_snapshot(self) -> str | None:
        """The fingerprint that was noted last; None before the first."""
        with self._reading() as db:
            entry = find(db, "WHERE kind = 'snapshot' ORDER BY sequence DESC")
            return entry.snapshot if entry is not None else None

    def secret(self, purpose: str) -> bytes:
        """A key of 32 bytes for one purpose, from the ledger's secret: it tells nothing of keys for other purposes."""
        with self._reading() as db:
            (key,) = db.execute("SELECT key FROM secret").fetchone() or (None,)
            if not isinstance(key, bytes) or hashlib.sha256(key).hexdigest() != current_terms(db).secret:
                raise corrupt("its secret was exchanged")
        return hmac.digest(key, _word(purpose, "the purpose").encode(), "sha256")

    # --- the history ---

    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first, as they are written; :meth:`verify` says whether they hold together."""
        with self._reading() as db:
            return tuple(Entry(*row) for row in db.execute(SELECT + "ORDER BY sequence"))

    def head(self) -> tuple[int, str]:
        """The newest entry's number and hash: noted elsewhere, it shows later whether history was rewritten."""
        with self._reading() as db:
            entry = last(db)
            return entry.sequence, entry.hash

    def verify(self) -> Chain:
        """Derives the whole ledger again from its first entry, without writing."""
        with self._reading() as db:
            return verified(db)

    def move(self, place: str | os.PathLike[str]) -> Ledger:
        """The same ledger in another store, entry by entry; this one is closed for good.

        The new one is written and verified, then this one is closed, then the new one is made durable. Whatever fails
        in between leaves at most one that can be spent from.
        """
        target = Ledger(_place(place), self.patience)
        target._store.create()
        with target._writing(new=True) as new, self._writing() as old:
            target._store.build(new)
            head = last(old)
            if head.kind == "closed" or not verified(old).intact:
                raise corrupt("it is closed, or its history was changed, and is not carried on")
            copied(old, new)
            if not verified(new).intact or last(new) != head:
                raise corrupt("the copy is not the same")
            add(old, Entry(0, "", "closed"))
        return target

    @contextmanager
    def during(self) -> Iterator[Ledger]:
        """The ledger with one connection for as long as the block lasts; each method is still its own transaction.

        For one thread and one question: what is given must not leave the block.
        """
        with self._store.connection(self.patience) as db:
            yield replace(self, _held=(os.getpid(), db))

    def _reading(self) -> AbstractContextManager[Database]:
        return self._store.reading(self._connected())

    def _writing(self, *, new: bool = False) -> AbstractContextManager[Database]:
        return self._store.writing(self._connected(), new=new)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """The connection that is held, unless this is a fork of the process that holds it; else a new one."""
        if self._held is None or self._held[0] != os.getpid():
            with self._store.connection(self.patience) as db:
                yield db
        else:
            with self._store.explained(self.patience):
                yield self._held[1]


def new_ledger(address: str, name: str) -> str:
    """The address of a new ledger in a database."""
    return database_address(address).with_relation(name)


def _place(path: str | os.PathLike[str]) -> Path | str:
    return path if isinstance(path, str) and is_address(path) else Path(path)


def _body(db: Database, entry: Entry) -> str:
    """A release as it was kept, which the entry's digest vouches for."""
    row = db.execute("SELECT body FROM releases WHERE sequence = ?", (entry.sequence,)).fetchone()
    if row is None or text_digest(str(row[0])) != entry.content:
        raise corrupt(f"the release of entry {entry.sequence} was changed")
    return str(row[0])


def _confirmed(db: Database, receipt: object) -> bool:
    if not isinstance(receipt, Receipt):
        return False
    entry = find(db, "WHERE sequence = ? AND kind = 'charge'", receipt.sequence)
    return entry is not None and receipt_for(entry, receipt.remaining) == receipt


def _account(db: Database, terms: Terms, name: str) -> Account:
    """One account with what was spent; the table's has no name."""
    counted = "SELECT count(*) FROM entries WHERE kind = 'charge' AND analyst = coalesce(?, analyst)"
    ((charges,),) = db.execute(counted, (name or None,)).fetchall()
    now = book(db, name, None)
    return Account(name or None, terms.allowances[name], now.total, left(terms, name, now, None), charges)


def _asked(analyst: str, query: str, snapshot: str, text: str) -> Entry:
    """The words of a charge that is still to be written."""
    words = Entry(0, "", "charge", analyst=_word(analyst, "the analyst"), query=_word(query, "the query"))
    return replace(words, snapshot=_word(snapshot, "the snapshot"), text=_word(text, "the text"))


def _word(value: object, what: str) -> str:
    if not isinstance(value, str) or not is_text(value) or len(value) > _LONGEST_WORD:
        raise InvalidInput("L118", f"{what} is not text, or longer than a million letters", "Give ordinary text")
    return value


def _other_people() -> NotComparable:
    return NotComparable(
        "L119",
        "the policy's units or neighbours are not those that this ledger was made for, so charges do not add up",
        "Undo the change, or protect the data anew with another ledger",
    )

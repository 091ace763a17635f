"""Reading the whole ledger again from its first entry: every hash, every sum, every decision.

Detected: an entry or field changed, removed, added, or moved; the tail cut off; a balance, release or secret that the
entries do not lead to; a charge that the budget of its day did not admit. Not detected, because no file can show it: an
older copy put in its place, and a history rewritten from some entry on with all that follows from it. A receipt or a
head noted elsewhere shows these (``Ledger.confirms``, ``Ledger.head``).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.errors import LapwingError
from lapwing.ledger.balances import Balance, Book, balance_text
from lapwing.ledger.costs import NOTHING, Cost, cost_of, prices_from
from lapwing.ledger.entries import GENESIS, KINDS, Entry, text_digest
from lapwing.ledger.parts import part_from
from lapwing.ledger.stores import Database
from lapwing.ledger.stores.store import SELECT, balance_seal
from lapwing.ledger.terms import TABLE, Terms, terms_from


@dataclass(frozen=True, slots=True)
class Chain:
    """What came of verifying: ``first_bad`` is the first entry that does not follow, ``reason`` says why."""

    intact: bool
    entries: int
    first_bad: int | None = None
    reason: str = ""


class _Broken(Exception):
    """An entry that does not follow from those before it."""


@dataclass(slots=True)
class _Replay:
    """The ledger as far as it was read."""

    previous: str = GENESIS
    entries: int = 0
    terms: Terms | None = None
    set_at: int = 0
    totals: dict[str, Cost] = field(default_factory=lambda: defaultdict(lambda: NOTHING))
    balances: dict[str, dict[str, Balance]] = field(default_factory=lambda: defaultdict(dict))
    orders: dict[str, tuple[Fraction, ...]] = field(default_factory=dict)
    charges: dict[int, str] = field(default_factory=dict)
    used: set[tuple[str, int]] = field(default_factory=set)
    releases: dict[int, str] = field(default_factory=dict)
    closed: bool = False

    def read(self, entry: Entry) -> None:
        if entry.sequence != self.entries + 1:
            raise _Broken(f"it should be entry {self.entries + 1}")
        if entry.previous != self.previous:
            raise _Broken("it does not follow the one before")
        if not entry.is_whole():
            raise _Broken("its hash is not that of its fields")
        if entry.kind not in KINDS or (entry.kind == "opened") != (self.terms is None):
            raise _Broken("its kind has no place there")
        if self.closed:
            raise _Broken("it follows the end")
        self.closed = entry.kind == "closed"
        if entry.kind in ("opened", "budget"):
            self._set_terms(entry)
        if entry.kind == "charge":
            self._charge(entry)
        if entry.kind in ("run", "release"):
            self._use(entry)
        if (entry.terms, entry.table_spent) != (self.set_at, self.totals[TABLE].text()):
            raise _Broken("it does not carry on the terms and the total")
        self.previous = entry.hash
        self.entries += 1

    def _set_terms(self, entry: Entry) -> None:
        terms = terms_from(entry.content)
        if self.terms is not None and not (terms.same_people(self.terms) and terms.secret == self.terms.secret):
            raise _Broken("it changes what may not change")
        for account, allowed in terms.allowances.items():
            alphas = tuple(each.alpha for each in allowed.orders)
            if self.orders.setdefault(account, alphas) != alphas:
                raise _Broken("it changes the orders of an account")
        self.terms, self.set_at = terms, entry.sequence

    def _charge(self, entry: Entry) -> None:
        terms = self.terms
        if terms is None or entry.analyst not in terms.allowances or entry.analyst == TABLE:
            raise _Broken("it charges nobody's account")
        prices, part = prices_from(entry.price), part_from(entry.part)
        for account, written in ((entry.analyst, entry.analyst_spent), (TABLE, entry.table_spent)):
            cost = cost_of(prices, terms.allowances[account].orders)
            after = Book(self.totals[account], self.balances[account]).charged(part, cost, terms.moving)
            if after.total.text() != written:
                raise _Broken("its sums are wrong")
            if not terms.allowances[account].admits(after.total):
                raise _Broken("it overspends")
            self.totals[account] = after.total
            self.balances[account].update(after.balances)
        self.charges[entry.sequence] = entry.analyst

    def _use(self, entry: Entry) -> None:
        if entry.reference is None or self.charges.get(entry.reference) != entry.analyst:
            raise _Broken("it belongs to no charge")
        if (entry.kind, entry.reference) in self.used:
            raise _Broken("it uses a receipt twice")
        self.used.add((entry.kind, entry.reference))
        if entry.kind == "release":
            self.releases[entry.sequence] = entry.content

    def whole(self, db: Database) -> str:
        """What beside the entries does not follow from them; empty if all does."""
        if db.execute("SELECT sequence, hash FROM head").fetchall() != [(self.entries, self.previous)]:
            return "its last entries are missing"
        keys = db.execute("SELECT key FROM secret").fetchall()
        known = self.terms.secret if self.terms is not None else None
        if len(keys) != 1 or hashlib.sha256(keys[0][0]).hexdigest() != known:
            return "its secret was exchanged"
        written = {(account, name): rest for account, name, *rest in db.execute("SELECT * FROM balances")}
        expected = {
            (account, name): [balance_text(state), balance_seal(account, name, balance_text(state))]
            for account, book in self.balances.items()
            for name, state in book.items()
        }
        if written != expected:
            return "a balance is not the sum of its charges"
        bodies = {sequence: text_digest(body) for sequence, body in db.execute("SELECT sequence, body FROM releases")}
        if bodies != self.releases:
            return "a release is not the one that was kept"
        return ""


def verified(db: Database) -> Chain:
    """Everything in the ledger, derived again from its entries."""
    ((count,),) = db.execute("SELECT count(*) FROM entries").fetchall()
    replay = _Replay()
    for row in db.execute(SELECT + "ORDER BY sequence"):
        entry = Entry(*row)
        try:
            replay.read(entry)
        except _Broken as broken:
            return Chain(False, count, entry.sequence, f"entry {entry.sequence}: {broken}")
        except (LapwingError, ValueError, TypeError, KeyError, ArithmeticError):
            return Chain(False, count, entry.sequence, f"entry {entry.sequence}: its words mean nothing")
    try:
        wrong = replay.whole(db)
    except (TypeError, AttributeError, UnicodeError):
        wrong = "a balance, release or secret is not what was stored"
    return Chain(not wrong, count, None, wrong)

"""The charge itself, inside one transaction: read both accounts, refuse or write, give the receipt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from lapwing.errors import BudgetExceeded, InvalidInput, NotComparable
from lapwing.ledger.allowance import Allowance, Left, left_of
from lapwing.ledger.balances import Balance, Book, balance_from, balance_text, names
from lapwing.ledger.costs import NOTHING, Price, cost_from, cost_of, prices_from, prices_shown, prices_text
from lapwing.ledger.entries import Entry
from lapwing.ledger.parts import Part, part_from, part_text
from lapwing.ledger.receipts import Receipt, Remaining
from lapwing.ledger.stores import Database
from lapwing.ledger.stores.store import SELECT, append, corrupt, find, find_balance, keep_balance, last
from lapwing.ledger.terms import TABLE, Terms, terms_from


def current_terms(db: Database) -> Terms:
    """The terms in force."""
    entry = find(db, "WHERE sequence = ?", last(db).terms)
    if entry is None:
        raise corrupt("the entry that set its terms is missing")
    return terms_from(entry.content)


def accounts_so_far(db: Database) -> dict[str, Allowance]:
    """Every account that ever was, with its latest allowance."""
    found: dict[str, Allowance] = {}
    for row in db.execute(SELECT + "WHERE kind IN ('opened', 'budget') ORDER BY sequence"):
        entry = Entry(*row)
        if not entry.is_whole():  # an allowance of an edited entry is nobody's
            raise corrupt(f"entry {entry.sequence} was changed")
        found |= terms_from(entry.content).allowances
    return found


def book(db: Database, account: str, part: Part | None) -> Book:
    """An account, with the balances that a charge in ``part`` concerns.

    The total comes from an entry whose hash is checked: an edited total cannot be spent from.
    """
    if account == TABLE:
        total = cost_from(last(db).table_spent)
    else:
        latest = find(db, "WHERE kind = 'charge' AND analyst = ? ORDER BY sequence DESC", account)
        total = NOTHING if latest is None else cost_from(latest.analyst_spent)
    balances: dict[str, Balance] = {}
    for split, inside in names(part):
        states = {name: find_balance(db, account, name) for name in (split, inside)}
        if states[split] is None and states[inside] is not None:
            raise corrupt("the balance of a split is missing")
        balances |= {name: balance_from(state) for name, state in states.items() if state is not None}
    return Book(total, balances)


def known_analyst(terms: Terms, analyst: str) -> str:
    """The analyst's name; refuses whoever has no share."""
    if not isinstance(analyst, str) or analyst == TABLE or analyst not in terms.allowances:
        raise InvalidInput(
            "L110", f"{ascii(analyst)[:60]} is not an analyst of this ledger", "Ask the curator for a share"
        )
    return analyst


def left(terms: Terms, account: str, book: Book, part: Part | None) -> Left:
    """What one more charge in ``part`` may cost the account."""
    allowed = terms.allowances[account]
    return left_of(book.room_within(part, allowed.room(book.total), terms.moving), allowed.orders)


def remaining(db: Database, terms: Terms, analyst: str, part: Part | None) -> Remaining:
    """What one more charge of the analyst in ``part`` may cost them, and the table."""
    own, table = (left(terms, account, book(db, account, part), part) for account in (analyst, TABLE))
    return Remaining(own, table)


def charge(db: Database, prices: tuple[Price, ...], part: Part | None, asked: Entry) -> Receipt:
    """Charges both accounts or neither; ``asked`` is the entry as far as the analyst's words go."""
    terms = current_terms(db)
    analyst = known_analyst(terms, asked.analyst)
    own = _afforded(db, terms, analyst, prices, part)
    table = _afforded(db, terms, TABLE, prices, part)
    for account, book_after in ((analyst, own), (TABLE, table)):
        for name, balance in book_after.balances.items():
            keep_balance(db, account, name, balance_text(balance))
    entry = add(
        db,
        replace(
            asked,
            price=prices_text(prices),
            part=part_text(part),
            analyst_spent=own.total.text(),
            table_spent=table.total.text(),
        ),
    )
    # A charge changes every balance on its path, so the books after it are whole for this part.
    return receipt_for(entry, Remaining(left(terms, analyst, own, part), left(terms, TABLE, table, part)))


def foreseen(db: Database, prices: tuple[Price, ...], part: Part | None, analyst: str) -> Remaining:
    """What a charge would leave; refused as the charge would be, and nothing is written."""
    terms = current_terms(db)
    analyst = known_analyst(terms, analyst)
    own, table = (_afforded(db, terms, account, prices, part) for account in (analyst, TABLE))
    return Remaining(left(terms, analyst, own, part), left(terms, TABLE, table, part))


def _afforded(db: Database, terms: Terms, account: str, prices: tuple[Price, ...], part: Part | None) -> Book:
    """The account after the charge; BudgetExceeded, in public numbers only, if its allowance does not admit that."""
    before, allowed = book(db, account, part), terms.allowances[account]
    cost = cost_of(prices, allowed.orders)
    whose = f"the share of {account!a:.60}" if account != TABLE else "the table's budget"
    if not allowed.can_ever_pay(cost):
        raise NotComparable(
            "L112",
            f"the request costs {prices_shown(prices)}, and {whose} is pure, with a delta of 0",
            "Ask with pure noise and known groups, or have the curator allow a delta",
        )
    after = before.charged(part, cost, terms.moving)
    if not allowed.admits(after.total):
        now = left(terms, account, before, part).shown()
        raise BudgetExceeded(
            "L113",
            f"the request costs {prices_shown(prices)}, and {now} is left of {whose}",
            "Ask for less, or stop here: nothing was charged",
        )
    return after


def add(db: Database, words: Entry) -> Entry:
    """Appends an entry with these words: it gets its number, its time and its place in the chain."""
    head = last(db)
    if head.kind == "closed":
        raise InvalidInput(
            "L121",
            "this ledger is closed: its account is kept elsewhere",
            "Use the policy that names the new ledger: what is spent here would not be known there",
        )
    sequence = head.sequence + 1
    terms = sequence if words.kind == "budget" else head.terms
    spent = words.table_spent or head.table_spent
    entry = replace(words, sequence=sequence, time=_now(), terms=terms, table_spent=spent, previous=head.hash).sealed()
    append(db, entry)
    return entry


def open_chain(db: Database, content: str) -> None:
    """Writes the first entry."""
    append(db, Entry(1, _now(), "opened", content=content, table_spent=NOTHING.text()).sealed())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def receipt_for(entry: Entry, remaining: Remaining) -> Receipt:
    """The receipt of a charge."""
    return Receipt(
        entry.sequence,
        entry.time,
        entry.analyst,
        prices_from(entry.price),
        entry.query,
        entry.snapshot,
        part_from(entry.part),
        remaining,
        entry.hash,
    )

"""Eight processes spend one budget together, in thousands of charges: never overspent, nothing lost."""

import multiprocessing
import time
from fractions import Fraction

from lapwing.algebra.measures import PureDP
from lapwing.errors import BudgetExceeded
from lapwing.ledger import Ledger
from tests.conftest import EXPLORE
from tests.ledger.making import ask, fresh_ledger

PROCESSES = 8
CHARGES = 10_000 if EXPLORE else 2_000


def spend_until_refused(path, analyst, receipts):
    """Charges ever the same until there is nothing left; sends the receipts' numbers and hashes."""
    ledger, mine = Ledger.open(path), []
    while True:
        try:
            receipt = ask(ledger, PureDP(Fraction(1, CHARGES)), analyst)
        except BudgetExceeded:
            break
        mine.append((receipt.sequence, receipt.hash))
    receipts.put((analyst, mine))


def test_eight_processes_spend_exactly_the_budget():
    started = time.monotonic()
    names = [f"analyst {number}" for number in range(PROCESSES)]
    with fresh_ledger(1, 0, [(name, 1, 0) for name in names]) as ledger:
        context = multiprocessing.get_context("fork")
        receipts = context.Queue()
        workers = [context.Process(target=spend_until_refused, args=(ledger.path, name, receipts)) for name in names]
        for worker in workers:
            worker.start()
        mine = dict(receipts.get(timeout=300) for _ in workers)
        for worker in workers:
            worker.join()
        seconds = time.monotonic() - started
        print(f"{CHARGES} charges by {PROCESSES} processes in {seconds:.1f} s; each made {[*map(len, mine.values())]}")

        assert sorted(number for given in mine.values() for number, _ in given) == list(range(2, CHARGES + 2))
        assert ledger.verify().intact
        written = {(entry.analyst, entry.sequence, entry.hash) for entry in ledger.entries()[1:]}
        assert written == {(name, *receipt) for name, given in mine.items() for receipt in given}
        table, *analysts = ledger.accounts()
        assert table.spent.epsilon == 1
        assert [account.spent.epsilon * CHARGES for account in analysts] == [len(mine[name]) for name in names]
        assert ledger.remaining(names[0]).epsilon == 0

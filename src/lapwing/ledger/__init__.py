"""The ledger: what was asked, what it cost, and what is left; written down before anybody looks at the data.

The one idea: a look at the data needs a :class:`Receipt`, and only a charge that is already on disk gives one. A
crash between the two loses budget, never privacy. Entries are only ever added, each carries the hash of the one
before, and all arithmetic is exact.
"""

from lapwing.ledger.allowance import Allowance, Left
from lapwing.ledger.costs import Cost, Price
from lapwing.ledger.entries import Entry
from lapwing.ledger.ledger import SUFFIX, Ledger, new_ledger
from lapwing.ledger.parts import Part
from lapwing.ledger.receipts import Account, Receipt, Remaining
from lapwing.ledger.verification import Chain

__all__ = [
    "SUFFIX",
    "Account",
    "Allowance",
    "Chain",
    "Cost",
    "Entry",
    "Ledger",
    "Left",
    "Part",
    "Price",
    "Receipt",
    "Remaining",
    "new_ledger",
]

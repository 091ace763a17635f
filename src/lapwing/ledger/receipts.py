"""What the ledger hands out: receipts, and what is left in an account."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.ledger.allowance import Allowance, Left
from lapwing.ledger.costs import Cost, Price
from lapwing.ledger.parts import Part


@dataclass(frozen=True, slots=True, repr=False)
class Remaining:
    """What one more query of an analyst may cost, by their own share and by the table's budget; both must afford it."""

    own: Left
    table: Left

    def __repr__(self) -> str:
        return f"{Left(self.epsilon, self.rho, self.delta).shown()} left"

    @property
    def epsilon(self) -> Fraction:
        """The largest pure price that is still accepted."""
        return min(self.own.epsilon, self.table.epsilon)

    @property
    def rho(self) -> Fraction:
        """The largest concentrated price that is still accepted."""
        return min(self.own.rho, self.table.rho)

    @property
    def delta(self) -> Fraction:
        """The largest δ of a price that is still accepted."""
        return min(self.own.delta, self.table.delta)


@dataclass(frozen=True, slots=True)
class Receipt:
    """That a charge is on disk. It allows one look at the data, for this query; ``Ledger.redeem`` takes it once.

    Its ``hash`` stands for the ledger's whole history up to it: kept elsewhere, it shows if that was rewritten.
    """

    sequence: int
    time: str
    analyst: str
    price: tuple[Price, ...]
    query: str
    snapshot: str
    partition: Part | None
    remaining: Remaining
    hash: str


@dataclass(frozen=True, slots=True)
class Account:
    """Who may lose how much, and what their charges add up to; the table's own account has no ``analyst``."""

    analyst: str | None
    allowance: Allowance
    spent: Cost
    left: Left
    charges: int

    def __repr__(self) -> str:
        who = "the table" if self.analyst is None else self.analyst
        charges = "1 charge" if self.charges == 1 else f"{self.charges} charges"
        return f"{who}: {self.left.shown()} left after {charges}"

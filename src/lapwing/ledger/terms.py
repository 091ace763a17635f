"""The terms a ledger works under: whom it protects, and each account's allowance; written into the chain as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from lapwing.algebra.neighbours import Neighbours
from lapwing.ledger.allowance import Allowance, allowance, renewed
from lapwing.ledger.orders import Order
from lapwing.policy import Policy

#: The name of the account that all charges go to; no analyst has it.
TABLE = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What stays the same for good (``neighbours``, the ``units`` of the private tables), and the allowances."""

    neighbours: Neighbours
    units: tuple[tuple[str, str | None], ...]
    allowances: dict[str, Allowance]
    secret: str

    @property
    def moving(self) -> bool:
        """Whether a neighbour step may move a unit from one part to another."""
        return self.neighbours is Neighbours.REPLACED

    def same_people(self, other: Terms) -> bool:
        """Whether charges under both are about the same units and neighbours, and so may be added up."""
        return (self.neighbours, self.units) == (other.neighbours, other.units)

    def text(self) -> str:
        """The terms as an entry's content."""
        accounts = {name: _words(each) for name, each in self.allowances.items()}
        units = [list(pair) for pair in self.units]
        return json.dumps(
            {"neighbours": self.neighbours.value, "units": units, "accounts": accounts, "secret": self.secret}
        )


def terms_of(policy: Policy, secret: str, before: Mapping[str, Allowance] | None = None) -> Terms:
    """The terms that a policy sets; ``secret`` is the digest of the ledger's key.

    An account that was there ``before`` keeps its orders, or its lack of them: what it spent was added up in these.
    """
    allowances = {name: _allowance((before or {}).get(name), pair) for name, pair in amounts_of(policy).items()}
    return Terms(policy.neighbours, private_units(policy), allowances, secret)


def _allowance(known: Allowance | None, amount: tuple[Fraction, Fraction]) -> Allowance:
    return allowance(*amount) if known is None else renewed(known, *amount)


def _words(allowed: Allowance) -> list[object]:
    orders = [[str(each.alpha), str(each.weight), str(each.limit)] for each in allowed.orders]
    numbers: list[object] = [str(allowed.epsilon), str(allowed.delta), str(allowed.rho)]
    return [*numbers, orders] if orders else numbers


def private_units(policy: Policy) -> tuple[tuple[str, str | None], ...]:
    """The private tables, each with the column that identifies a unit."""
    return tuple(sorted(((table.name, table.unit) for table in policy.tables if table.role == "private"), key=str))


def amounts_of(policy: Policy) -> dict[str, tuple[Fraction, Fraction]]:
    """The (ε, δ) of every account."""
    shares = {analyst.name: (analyst.epsilon, analyst.delta) for analyst in policy.analysts}
    return {TABLE: (policy.budget.epsilon, policy.budget.delta), **shares}


@lru_cache(maxsize=16)  # the same text at every charge
def terms_from(text: str) -> Terms:
    """The terms that :meth:`Terms.text` wrote."""
    words = json.loads(text)
    allowances = {
        name: Allowance(
            Fraction(epsilon),
            Fraction(delta),
            Fraction(rho),
            tuple(Order(*(Fraction(number) for number in order)) for each in rest for order in each),
        )
        for name, (epsilon, delta, rho, *rest) in words["accounts"].items()
    }
    units = tuple((name, unit) for name, unit in words["units"])
    return Terms(Neighbours(words["neighbours"]), units, allowances, words["secret"])

"""The policy itself: tables, the budget for all answers about them together, and each analyst's share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number, shown
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.policy.addresses import ledger_address
from lapwing.policy.identifiers import quoted
from lapwing.policy.tables import Table
from lapwing.policy.written_values import all_different, file_name, number, one_of, plain_text

DATA = ("fixed", "live")
_LONGEST = 7 * 24 * 3600


def _amount(epsilon: Number, delta: Number, whose: str) -> tuple[Fraction, Fraction]:
    loss, failure = number(epsilon, f"epsilon of {whose}"), number(delta, f"delta of {whose}")
    if loss <= 0:
        raise InvalidInput(
            "S114", f"epsilon of {whose} is {shown(loss)}, not above 0", "Give a positive number, such as 1"
        )
    if not 0 <= failure < 1:
        raise InvalidInput(
            "S114",
            f"delta of {whose} is {shown(failure)}, outside [0, 1)",
            "Give 0 for pure privacy, or far less than 1/people, such as 1e-9",
        )
    return loss, failure


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """The most that all answers together may lose: (ε, δ), with δ = 0 for pure privacy."""

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        loss, failure = _amount(epsilon, delta, "the budget")
        object.__setattr__(self, "epsilon", loss)
        object.__setattr__(self, "delta", failure)


@dataclass(frozen=True, slots=True, init=False)
class Analyst:
    """Someone who may ask, and the most that their own answers may lose.

    Shares are absolute. They may add up to more than the budget: whoever asks first may use it, and the budget for
    all is enforced besides.
    """

    name: str
    epsilon: Fraction
    delta: Fraction

    def __init__(self, name: str, epsilon: Number, delta: Number = 0) -> None:
        plain_text(name, "an analyst's name")
        loss, failure = _amount(epsilon, delta, f"analyst {quoted(name)}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "epsilon", loss)
        object.__setattr__(self, "delta", failure)


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the curator decided. A unit is one person in all private tables at once, so they share the budget."""

    name: str
    tables: tuple[Table, ...]
    budget: Budget
    neighbours: Neighbours
    analysts: tuple[Analyst, ...]
    #: "fixed": changed data are refused until the curator accepts them. "live": they are answered from as they are.
    data: str = "fixed"
    #: The most seconds that an engine may work for one answer. It is paid for, so nobody chooses it per question.
    timeout: int = 3600
    #: Where the ledger is, if not beside the policy.
    ledger: str | None = None

    def __post_init__(self) -> None:
        file_name(self.name, "a policy")
        one_of(self.data, DATA, "data")
        if type(self.timeout) is not int or not 1 <= self.timeout <= _LONGEST:
            raise InvalidInput(
                "S162", "timeout is not a number of seconds", f"Give a whole number from 1 to {_LONGEST}"
            )
        if self.ledger is not None:
            plain_text(self.ledger, "the ledger's address", longest=4000)
            address, name = ledger_address(self.ledger)
            if address.with_relation(name) != self.ledger:
                raise InvalidInput(
                    "S160", "the ledger's address is not written as usual", f"Write {address.with_relation(name)}"
                )
        typed = (
            isinstance(self.tables, tuple)
            and all(isinstance(table, Table) for table in self.tables)
            and isinstance(self.budget, Budget)
            and isinstance(self.neighbours, Neighbours)
            and isinstance(self.analysts, tuple)
            and all(isinstance(analyst, Analyst) for analyst in self.analysts)
        )
        if not typed:
            raise InvalidInput(
                "S105",
                "a part of the policy is of another type",
                "Give a tuple of Table, a Budget, a Neighbours and a tuple of Analyst",
            )
        all_different((table.name for table in self.tables), "tables")
        names = [analyst.name for analyst in self.analysts]
        if len(set(names)) != len(names):
            raise InvalidInput("S111", "two analysts have one name", "Give each their own name")
        private = [table for table in self.tables if table.role == "private"]
        if not private:
            raise InvalidInput("S119", "no table of the policy is private", "List the table to protect, as private")
        if len(private) > 1:
            _check_shared_unit(private)

    def table(self, name: str) -> Table | None:
        """The table of this name, as SQL compares names; None if the policy does not list it."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)

    def analyst(self, name: str) -> Analyst | None:
        """The analyst of this name; None if they may not ask."""
        return next((analyst for analyst in self.analysts if analyst.name == name), None)


def _check_shared_unit(private: list[Table]) -> None:
    """One neighbour step takes one person out of every table; so every table must say which rows are whose."""
    kinds = set()
    for table in private:
        column = table.column(table.unit) if table.unit is not None else None
        if column is None:
            raise InvalidInput(
                "S117",
                f"table {quoted(table.name)} has no unit, and it is not the only private table",
                "Name the column that identifies a person in each private table",
            )
        kinds.add(column.kind)
    if len(kinds) > 1:
        raise InvalidInput(
            "S117", "the units of the private tables are of different kinds", "Identify people the same way everywhere"
        )

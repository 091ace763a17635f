"""A table of a database or a cluster as statements see it: a SELECT with a column for each kind that one is read as.

The one idea: only here is it known how a column is stored, so the scan reads it as a type of its kind, by a text that
cannot fail, and every statement over it begins with kinds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from lapwing.engines.kinds import readable_as
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Kind
from lapwing.policy import Column, Policy, Table, is_identifier
from lapwing.query.lowering import as_kind, stored_name


class StoredColumn(Protocol):
    """A column as the engine's own catalogue describes it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> Kind | None:
        """The kind it is read as; None if it holds no single value of one."""

    @property
    def unit_kind(self) -> Kind | None:
        """The kind that a unit of this type is declared as; None if two people could be one, or one two."""

    def keeps_people_apart(self, declared: Kind) -> bool:
        """Whether two different stored values are never one value of the declared kind."""

    def spelling(self, declared: Kind) -> str:
        """How its type writes people: they must be written one way in all tables."""

    def read(self, declared: Kind) -> tuple[str, Kind]:
        """SQL for the column as a type of its kind, and that kind. It never fails."""


def described(columns: Iterable[StoredColumn], unit: str | None, remedy: str) -> tuple[Column, ...]:
    """The columns of a table for a policy; the ``unit`` as a kind that keeps people apart."""
    found = []
    for stored in columns:
        is_unit = unit is not None and stored.name.lower() == unit.lower()
        kind = stored.unit_kind if is_unit else stored.kind
        if kind is None and stored.kind is not None:
            problem = f"the unit {stored.name!r} is of a type in which two people could be one, or one person two"
            raise InvalidInput("E110", problem, remedy)
        if kind is not None and is_identifier(stored.name):
            found.append(Column(stored.name, kind.value))
    return tuple(found)


def scan(table: Table, columns: Iterable[StoredColumn], place: str, dialect: str, quoted: Callable[[str], str]) -> str:
    """A SELECT that gives every listed column as a type of its declared kind; of a public table, of every kind.

    What a public column is compared with, and so read as, is known only when a query joins with it.
    """
    stored = {column.name.lower(): column for column in columns}
    read, shown = [], []
    for column in table.columns:
        found, declared = stored.get(column.name.lower()), Kind(column.kind)
        kinds = {}
        if found is not None and found.kind is not None and readable_as(found.kind, declared):
            text, kind = found.read(declared)
            read.append(f"{text} AS {quoted(column.name)}")
            for wanted in Kind if table.role == "public" else [declared]:
                with contextlib.suppress(InvalidInput):  # a real has no text everywhere: no query can ask for it
                    kinds[wanted] = as_kind(column.name, kind, wanted, dialect)
        if declared not in kinds:
            raise InvalidInput(
                "E104",
                f"the data of table {table.name!r} have no {column.kind} column {column.name!r}",
                "Correct the policy, or the table",
            )
        shown += [f"{sql} AS {quoted(stored_name(column.name, kind))}" for kind, sql in kinds.items()]
    if not read:
        return f"SELECT 1 AS one FROM {place}"  # noqa: S608  # quoted
    return f"SELECT {', '.join(shown)} FROM (SELECT {', '.join(read)} FROM {place}) AS {quoted('stored')}"  # noqa: S608  # quoted


def check_units(policy: Policy, columns: Mapping[str, Iterable[StoredColumn]], remedy: str) -> None:
    """Refuses units of which two people could be one, and a unit that its tables write in several ways."""
    spellings = set()
    for table in policy.tables:
        column = table.column(table.unit) if table.unit is not None else None
        if column is None:
            continue
        stored = {each.name.lower(): each for each in columns[table.name]}.get(column.name.lower())
        declared = Kind(column.kind)
        if stored is None or not stored.keeps_people_apart(declared):
            raise InvalidInput(
                "E110",
                f"the unit {column.name!r} of table {table.name!r}, read as {column.kind}, could make two people "
                "one, or one person two",
                remedy,
            )
        spellings.add(stored.spelling(declared))
    if len(spellings) > 1:
        raise InvalidInput(
            "E111",
            "the units of the private tables are stored as types that write one person in several ways",
            "Store them as one type in all of these tables",
        )

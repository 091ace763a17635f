"""Tables and columns as the policy describes them: where they are, who is a unit, what is public about them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number, shown
from lapwing.errors import InvalidInput
from lapwing.policy.addresses import database_address, is_address
from lapwing.policy.identifiers import column_name, identifier, quoted
from lapwing.policy.written_values import all_different, number, one_of, plain_text

KINDS = ("integer", "real", "text", "boolean", "date", "timestamp")
ROLES = ("private", "public")
#: What the keys of a column of each kind are written as; a kind that is not here has no list of keys.
_KEY_TYPES: dict[str, type] = {"integer": int, "text": str, "boolean": bool, "date": str}

Key = str | int | bool


@dataclass(frozen=True, slots=True, init=False)
class Column:
    """A column with its kind and what is publicly known of its values: a range (values outside are clipped) or keys.

    The range of dates and timestamps is of days, written as ``2013-01-01`` and kept as their numbers in the calendar;
    a day outside it is in no group.
    """

    name: str
    kind: str
    low: Fraction | None
    high: Fraction | None
    keys: tuple[Key, ...] | None

    def __init__(
        self,
        name: str,
        kind: str,
        low: Number | None = None,
        high: Number | None = None,
        keys: tuple[Key, ...] | None = None,
    ) -> None:
        column_name(name, "a column")
        what = f"column {quoted(name)}"
        one_of(kind, KINDS, f"the kind of {what}")
        ends = tuple(None if end is None else _end(end, kind, what) for end in (low, high))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "low", ends[0])
        object.__setattr__(self, "high", ends[1])
        object.__setattr__(self, "keys", None if keys is None else tuple(keys))
        self._check_range(what)
        self._check_keys(what)

    def _check_range(self, what: str) -> None:
        ends = [end for end in (self.low, self.high) if end is not None]
        if ends and self.kind not in ("integer", "real", "date", "timestamp"):
            raise InvalidInput(
                "S112",
                f"{what} has a range, and its kind is {self.kind}",
                "Give ranges to numbers and dates, or declare its kind, as integer or real",
            )
        if self.kind == "integer" and any(end.denominator != 1 for end in ends):
            raise InvalidInput("S112", f"{what} is of integers, and its range is not", "Give whole numbers")
        if self.low is not None and self.high is not None and self.low > self.high:
            low, high = (end_text(end, self.kind) for end in (self.low, self.high))
            raise InvalidInput("S112", f"{what} has a low of {low}, above its high of {high}", "Swap the two")

    def _check_keys(self, what: str) -> None:
        if self.keys is None:
            return
        expected = _KEY_TYPES.get(self.kind)
        if expected is None:
            raise InvalidInput(
                "S113", f"{what} has keys, and its kind is {self.kind}", "List keys of integer, text, boolean and date"
            )
        if not self.keys:
            raise InvalidInput("S113", f"{what} has an empty list of keys", "List every key, or leave the list out")
        for key in self.keys:
            if type(key) is not expected or not self._is_key(key):
                raise InvalidInput(
                    "S113",
                    f"a key of {what} is not one of its values",
                    f"List values of kind {self.kind}, in its range",
                )
        if len(set(self.keys)) != len(self.keys):
            raise InvalidInput("S113", f"a key of {what} is listed twice", "List each key once")

    def _is_key(self, key: Key) -> bool:
        if isinstance(key, str) and self.kind == "date":
            return _is_day(key) and self._is_within(datetime.date.fromisoformat(key).toordinal())
        if isinstance(key, str):
            return "\0" not in key and not any("\ud800" <= letter <= "\udfff" for letter in key)  # lone surrogates
        if isinstance(key, bool):
            return True
        return self._is_within(key) and -(2**63) <= key < 2**63

    def _is_within(self, value: int) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


def _end(value: Number, kind: str, what: str) -> Fraction:
    if kind not in ("date", "timestamp"):
        return number(value, f"an end of {what}")
    if isinstance(value, datetime.date):
        value = value.isoformat()[:10]
    if not isinstance(value, str) or not _is_day(value):
        raise InvalidInput("S112", f"an end of {what} is not a day", "Write it as 2013-01-01")
    return Fraction(datetime.date.fromisoformat(value).toordinal())


def end_text(end: Fraction, kind: str) -> str:
    """An end of a range as people write it."""
    return datetime.date.fromordinal(int(end)).isoformat() if kind in ("date", "timestamp") else shown(end)


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text  # one spelling, so that equal days are equal keys
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its file (seen from the policy's folder), its role, and for a private one who a unit is.

    ``unit`` names the column that identifies a person; without it each row is a person. ``relation`` is the table
    inside a database file. ``rows_per_unit`` is how many rows of one person may count, ``groups_per_unit`` in how many
    groups a person may be where these are chosen in private; the engine holds them to both. A relation of a database
    that is computed when it is read (a view) is refused unless it is ``trusted`` to depend on each person alone.
    """

    name: str
    path: str
    role: str
    unit: str | None
    rows_per_unit: int | None
    columns: tuple[Column, ...]
    relation: str | None = None
    groups_per_unit: int | None = None
    trusted: bool = False

    def __post_init__(self) -> None:
        identifier(self.name, "a table")
        what = f"table {quoted(self.name)}"
        plain_text(self.path, f"the path of {what}", longest=4000)
        if is_address(self.path) and database_address(self.path).url != self.path:
            raise InvalidInput(
                "S160", f"the address of {what} is not written as usual", f"Write {database_address(self.path).url}"
            )
        one_of(self.role, ROLES, f"the role of {what}")
        if self.relation is not None:
            for part in self.relation.split(".") if isinstance(self.relation, str) else [self.relation]:
                identifier(part, f"the relation of {what}")
        if not isinstance(self.columns, tuple) or not all(isinstance(column, Column) for column in self.columns):
            raise InvalidInput("S105", f"the columns of {what} are not columns", "Give a tuple of Column")
        all_different((column.name for column in self.columns), f"columns of {what}")
        if not isinstance(self.trusted, bool):
            raise InvalidInput("S105", f"trusted of {what} is neither true nor false", "Write true, or leave it out")
        self._check_unit(what)

    def _check_unit(self, what: str) -> None:
        limits = {"rows_per_unit": self.rows_per_unit, "groups_per_unit": self.groups_per_unit}
        if self.unit is None:
            for name, limit in limits.items():
                if limit is not None:
                    raise InvalidInput(
                        "S116",
                        f"{what} has {name} and no unit, so each row is a person",
                        f"Name the unit's column, or leave {name} out",
                    )
            return
        if self.role == "public":
            raise InvalidInput("S115", f"{what} is public and has a unit", "Leave the unit out, or make it private")
        if column_name(self.unit, f"the unit of {what}") not in {column.name for column in self.columns}:
            raise InvalidInput(
                "S115", f"the unit of {what}, {quoted(self.unit)}, is not one of its columns", "Name a listed column"
            )
        for name, limit in limits.items():
            if limit is not None and (type(limit) is not int or not 1 <= limit < 2**63):
                raise InvalidInput("S116", f"{name} of {what} is not a count", "Give a whole number from 1")

    def column(self, name: str) -> Column | None:
        """The column of this name, as SQL compares names; None if the policy does not list it."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

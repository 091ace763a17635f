"""Tables and columns as the policy describes them: where they are, who is a unit, what is public about them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number, shown
from lapwing.errors import InvalidInput
from lapwing.policy.words import all_different, identifier, number, one_of, plain_text, quoted

KINDS = ("integer", "real", "text", "boolean", "date", "timestamp")
ROLES = ("private", "public")
#: What the keys of a column of each kind are written as; a kind that is not here has no list of keys.
_KEY_TYPES: dict[str, type] = {"integer": int, "text": str, "boolean": bool, "date": str}

Key = str | int | bool


@dataclass(frozen=True, slots=True, init=False)
class Column:
    """A column with its kind and what is publicly known of its values: a range (values outside are clipped) or keys."""

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
        identifier(name, "a column")
        what = f"column {quoted(name)}"
        one_of(kind, KINDS, f"the kind of {what}")
        ends = tuple(None if end is None else number(end, f"an end of {what}") for end in (low, high))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "low", ends[0])
        object.__setattr__(self, "high", ends[1])
        object.__setattr__(self, "keys", None if keys is None else tuple(keys))
        self._check_range(what)
        self._check_keys(what)

    def _check_range(self, what: str) -> None:
        ends = [end for end in (self.low, self.high) if end is not None]
        if ends and self.kind not in ("integer", "real"):
            raise InvalidInput(
                "S112", f"{what} has a range, and its kind is {self.kind}", "Give ranges to integer and real columns"
            )
        if self.kind == "integer" and any(end.denominator != 1 for end in ends):
            raise InvalidInput("S112", f"{what} is of integers, and its range is not", "Give whole numbers")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidInput(
                "S112", f"{what} has a low of {shown(self.low)}, above its high of {shown(self.high)}", "Swap the two"
            )

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
            return _is_day(key)
        if isinstance(key, str):
            return "\0" not in key and not any("\ud800" <= letter <= "\udfff" for letter in key)  # lone surrogates
        if isinstance(key, bool):
            return True
        above = self.low is None or self.low <= key
        below = self.high is None or key <= self.high
        return above and below and -(2**63) <= key < 2**63


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text  # one spelling, so that equal days are equal keys
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its file (seen from the policy's folder), its role, and for a private one who a unit is.

    ``unit`` names the column that identifies a person; without it each row is a person. ``relation`` is the table
    inside a database file. ``rows_per_unit`` is how many rows of one person may count; the engine holds them to it.
    """

    name: str
    path: str
    role: str
    unit: str | None
    rows_per_unit: int | None
    columns: tuple[Column, ...]
    relation: str | None = None

    def __post_init__(self) -> None:
        identifier(self.name, "a table")
        what = f"table {quoted(self.name)}"
        plain_text(self.path, f"the path of {what}", longest=4000)
        one_of(self.role, ROLES, f"the role of {what}")
        if self.relation is not None:
            for part in self.relation.split(".") if isinstance(self.relation, str) else [self.relation]:
                identifier(part, f"the relation of {what}")
        if not isinstance(self.columns, tuple) or not all(isinstance(column, Column) for column in self.columns):
            raise InvalidInput("S105", f"the columns of {what} are not columns", "Give a tuple of Column")
        all_different((column.name for column in self.columns), f"columns of {what}")
        self._check_unit(what)

    def _check_unit(self, what: str) -> None:
        if self.unit is None:
            if self.rows_per_unit is not None:
                raise InvalidInput(
                    "S116",
                    f"{what} has rows_per_unit and no unit, so each row is a person",
                    "Name the unit's column, or leave rows_per_unit out",
                )
            return
        if self.role == "public":
            raise InvalidInput("S115", f"{what} is public and has a unit", "Leave the unit out, or make it private")
        if identifier(self.unit, f"the unit of {what}") not in {column.name for column in self.columns}:
            raise InvalidInput(
                "S115", f"the unit of {what}, {quoted(self.unit)}, is not one of its columns", "Name a listed column"
            )
        rows = self.rows_per_unit
        if rows is not None and (type(rows) is not int or not 1 <= rows < 2**63):
            raise InvalidInput("S116", f"rows_per_unit of {what} is not a count", "Give a whole number from 1")

    def column(self, name: str) -> Column | None:
        """The column of this name, as SQL compares names; None if the policy does not list it."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

"""Who is protected, and what it means for two tables to differ by one of them.

The one idea: there are two neighbour notions and a bound proved for one says nothing, by itself, about the
other. They are two values of an enum, carried by every claim, and mixing them is an error, not a conversion.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from lapwing.errors import InvalidInput


class Neighbours(Enum):
    """What two neighbouring tables may differ in."""

    #: One unit more or fewer ("unbounded" differential privacy).
    ADDED = "added"
    #: One unit's data changed, the number of units the same ("bounded" differential privacy).
    REPLACED = "replaced"

    @property
    def phrase(self) -> str:
        """The notion in plain words."""
        return {"added": "one unit more or fewer", "replaced": "one unit changed"}[self.value]


def notion(value: Neighbours) -> Neighbours:
    """The notion itself; anything else is refused, because a test ``is ADDED`` would take "added" for the other one."""
    if not isinstance(value, Neighbours):
        raise InvalidInput(
            "A114", f"neighbours is a {type(value).__name__}", "Give Neighbours.ADDED or Neighbours.REPLACED"
        )
    return value


@dataclass(frozen=True, slots=True)
class Unit:
    """What one neighbour step adds, removes or changes: a row, or all rows that share a value of a column."""

    name: str = "row"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput("A110", "a unit has no name", "Name the column that identifies a person, or use 'row'")


ROW = Unit()

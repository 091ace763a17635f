"""A part of a table: the rows where a column has one key, possibly inside a part already."""

from __future__ import annotations

import json
from dataclasses import dataclass

from lapwing.algebra.parameters import whole
from lapwing.errors import InvalidInput, LapwingError

Key = str | int | bool


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of ``table`` (within ``parent``) whose ``column`` is ``key``.

    ``table``, ``column`` and ``edition`` name the split, and one name must always mean one split: the same function of
    a row, and the same key for the same rows. Where rows may have changed their keys (new data, other columns to sample
    by), the edition is another one, and what was spent in parts of the old adds up with the new. ``multiplicity`` is
    how many parts of this split one unit may have rows in, over all queries: 1 where each row is a unit, else the
    number of keys, unless rows are dropped before the split, and always the same ones.

    A price charged within a part bounds the loss for one unit more or fewer *in the part*; under "one unit
    changed" it must bound both that and one unit changed in the part, as a change may move a unit between parts.
    """

    table: str
    column: str
    key: Key
    multiplicity: int = 1
    parent: Part | None = None
    edition: str = ""

    def __post_init__(self) -> None:
        words = [self.table, self.column, self.edition, *([self.key] if isinstance(self.key, str) else [])]
        if not all(is_text(word) for word in words):
            raise InvalidInput("L115", "a part has a name that is not text", "Give the table, the column and a key")
        if not isinstance(self.key, str | int):
            raise InvalidInput(
                "L115",
                f"the key of a part is a {type(self.key).__name__}",
                "Give text, a whole number or a truth value",
            )
        if self.parent is not None and not isinstance(self.parent, Part):
            raise InvalidInput("L115", f"a part lies within a {type(self.parent).__name__}", "Give a Part, or None")
        try:
            whole(self.multiplicity, "multiplicity")
        except LapwingError as refused:
            raise InvalidInput("L115", refused.problem, refused.remedy) from None
        if isinstance(self.key, int) and self.key.bit_length() > 128:
            raise InvalidInput("L115", "the key of a part is longer than 128 bits", "Give a key of the column")

    def path(self) -> tuple[Part, ...]:
        """From the outermost part to this one."""
        return (*(self.parent.path() if self.parent is not None else ()), self)


def is_text(value: object) -> bool:
    """Whether SQLite can store it as text and give it back: text without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def part_text(part: Part | None) -> str:
    """The part as the ledger stores it: a list of steps, with multiplicities; ``[]`` is the whole table."""
    steps = part.path() if part is not None else ()
    return json.dumps([[step.table, step.column, step.key, step.multiplicity, step.edition] for step in steps])


def part_from(text: str) -> Part | None:
    """The part that :func:`part_text` wrote."""
    found: Part | None = None
    for table, column, key, multiplicity, edition in json.loads(text):
        found = Part(table, column, key, multiplicity, found, edition)
    return found

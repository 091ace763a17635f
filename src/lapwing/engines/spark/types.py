"""The column types of Spark as kinds of a policy, and how each is read so that no value can fail.

The one idea: a column arrives as exactly one type per kind. Text that is not UTF-8, which Spark itself does not mind,
is NULL: what comes back has to be a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lapwing.kernel.evidence.expressions import Kind

_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_KINDS = {
    **dict.fromkeys(_WHOLE, Kind.INTEGER),
    "boolean": Kind.BOOLEAN,
    "date": Kind.DATE,
    "double": Kind.REAL,
    "float": Kind.REAL,
    "string": Kind.TEXT,
    "timestamp": Kind.TIMESTAMP,
    "timestamp_ntz": Kind.TIMESTAMP,
}


@dataclass(frozen=True, slots=True)
class Stored:
    """A column and its type, as Spark writes it."""

    name: str
    type: str

    @property
    def kind(self) -> Kind | None:
        """The kind it is read as; None for what holds no single value of one, or texts that equal other texts."""
        if self._digits is None:
            return _KINDS.get(self.type)
        digits, places = self._digits
        return Kind.REAL if places else Kind.INTEGER if digits <= 18 else Kind.TEXT

    @property
    def unit_kind(self) -> Kind | None:
        """The kind that a unit of this type is declared as: a DECIMAL with places by its text, which is one's own."""
        return Kind.TEXT if self._digits is not None and self._digits[1] else self.kind

    def keeps_people_apart(self, declared: Kind) -> bool:
        """Whether two different stored values are never one value of the declared kind."""
        natural = self.unit_kind
        return natural is not None and (declared is natural or (declared is Kind.TEXT and self.type in _WHOLE))

    def spelling(self, declared: Kind) -> str:
        """How this type writes people as text: whole numbers of every size have one spelling."""
        if declared is not Kind.TEXT:
            return declared.value
        whole = self.type in _WHOLE or (self._digits is not None and not self._digits[1])
        return "number" if whole else self.type

    def read(self, declared: Kind) -> tuple[str, Kind]:
        """SQL for the column as a type of its kind, and that kind. It never fails."""
        name = quoted(self.name)
        if self._digits is not None and declared is Kind.TEXT:
            return f"CAST({name} AS STRING)", Kind.TEXT
        match self.kind:
            case Kind.TEXT if self._digits is not None:
                return f"CAST({name} AS STRING)", Kind.TEXT
            case Kind.TEXT:
                return f"TRY_VALIDATE_UTF8({name})", Kind.TEXT
            case Kind.INTEGER:
                return f"CAST({name} AS BIGINT)", Kind.INTEGER
            case Kind.REAL:
                return f"CAST({name} AS DOUBLE)", Kind.REAL
            case Kind.TIMESTAMP:
                return f"CAST({name} AS TIMESTAMP_NTZ)", Kind.TIMESTAMP
            case Kind.BOOLEAN | Kind.DATE as kind:
                return name, kind
        raise AssertionError(self.type)  # columns of no kind are never read

    @property
    def _digits(self) -> tuple[int, int] | None:
        """Digits of a DECIMAL, and how many of them behind the point."""
        found = re.fullmatch(r"decimal\((\d+),(\d+)\)", self.type)
        return None if found is None else (int(found[1]), int(found[2]))


def quoted(name: str) -> str:
    """A name of Spark's SQL."""
    return "`" + name.replace("`", "``") + "`"

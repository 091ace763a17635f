"""How the column that identifies people is read: never so that two people become one.

The one idea: a limit per person holds only if different people stay different. So a unit is read as its own kind where
the cast from what is stored is exact, and otherwise as its text, which is different for different values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lapwing.engines.kinds import WHOLE, kind_of
from lapwing.kernel.evidence.expressions import Kind

#: Types each of whose values is another value of its kind, or NULL, which is nobody.
_EXACT = {
    **dict.fromkeys(WHOLE, Kind.INTEGER),
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "DOUBLE": Kind.REAL,
    "FLOAT": Kind.REAL,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP_MS": Kind.TIMESTAMP,
    "TIMESTAMP_S": Kind.TIMESTAMP,
}


def unit_kind(stored: str) -> Kind | None:
    """The kind that a unit stored as this type is declared as; None for types that hold no single value of a kind."""
    return None if kind_of(stored) is None else _EXACT.get(stored, Kind.TEXT)


def keeps_people_apart(stored: str, declared: Kind) -> bool:
    """Whether two different stored values are never one value of the declared kind."""
    return kind_of(stored) is not None and declared in (_EXACT.get(stored), Kind.TEXT)


def part_types_agree(parts: Iterable[str]) -> bool:
    """Whether the parts of one table can be read together: another common type could make two people one."""
    found = set(parts)
    return len(found) <= 1 or found <= WHOLE


def spelled_alike(types: Iterable[str]) -> bool:
    """Whether one person has one text in all of these types: 7 and 7.00 are one number and two texts."""
    return len({_spelling(stored) for stored in types} - {"text"}) <= 1


def _spelling(stored: str) -> str:
    if stored == "VARCHAR" or stored.startswith("ENUM("):
        return "text"  # as the curator wrote it
    whole = stored in WHOLE or stored in ("HUGEINT", "UBIGINT", "UHUGEINT")
    return "whole" if whole or re.fullmatch(r"DECIMAL\(\d+,0\)", stored) else stored

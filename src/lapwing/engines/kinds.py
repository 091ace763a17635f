"""The column types of DuckDB as kinds of a policy."""

from __future__ import annotations

import re

from lapwing.kernel.evidence.expressions import Kind

#: Whole numbers that all fit an INTEGER.
WHOLE = frozenset({"BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UINTEGER", "USMALLINT", "UTINYINT"})
_KINDS = {
    **dict.fromkeys(WHOLE, Kind.INTEGER),
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "DOUBLE": Kind.REAL,
    "FLOAT": Kind.REAL,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": Kind.TIMESTAMP,
    "TIMESTAMP_MS": Kind.TIMESTAMP,
    "TIMESTAMP_NS": Kind.TIMESTAMP,
    "TIMESTAMP_S": Kind.TIMESTAMP,
    "UUID": Kind.TEXT,
    "VARCHAR": Kind.TEXT,
}
_FAMILIES = (frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.REAL}), frozenset({Kind.DATE, Kind.TIMESTAMP}))


def kind_of(stored: str) -> Kind | None:
    """The kind of a column that DuckDB stores as this type; None for types that hold no single value of a kind.

    Whole numbers that may need more than the 64 bits of an INTEGER are text, or the people they identify would be NULL;
    a policy may declare them as integer or real all the same.
    """
    if stored in ("HUGEINT", "UBIGINT", "UHUGEINT") or (stored.startswith("ENUM(") and stored.endswith(")")):
        return Kind.TEXT
    if decimal := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", stored):
        digits, places = map(int, decimal.groups())
        return Kind.REAL if places else Kind.INTEGER if digits <= 18 else Kind.TEXT
    return _KINDS.get(stored)


def readable_as(stored: Kind, declared: Kind) -> bool:
    """Whether a column of one kind can be declared as another; values that do not fit are NULL."""
    return stored is declared or Kind.TEXT in (stored, declared) or any({stored, declared} <= f for f in _FAMILIES)

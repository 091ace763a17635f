"""The column types of PostgreSQL as kinds of a policy, and how each is read so that no value can fail.

The one idea: a column arrives as exactly one type per kind (bigint, double precision, text compared byte by byte, …).
What a kind cannot hold is NULL, or an infinity, by a rule that looks at that value alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.engines.opening_sql import quoted_name
from lapwing.kernel.evidence.expressions import Kind

_WHOLE = {"int2", "int4", "int8"}
_PLAIN = {
    **dict.fromkeys(_WHOLE, Kind.INTEGER),
    "bool": Kind.BOOLEAN,
    "bpchar": Kind.TEXT,
    "date": Kind.DATE,
    "float4": Kind.REAL,
    "float8": Kind.REAL,
    "text": Kind.TEXT,
    "timestamp": Kind.TIMESTAMP,
    "timestamptz": Kind.TIMESTAMP,
    "uuid": Kind.TEXT,
    "varchar": Kind.TEXT,
}
#: Types each of whose values is another value of its kind: a unit may be read as that kind.
_EXACT = {name: kind for name, kind in _PLAIN.items() if name != "bpchar"}
#: The first moment that is NULL.
LATEST = "294247-01-01"
_HEADER = 4  # what a numeric's type modifier counts besides its digits and places


@dataclass(frozen=True, slots=True)
class Stored:
    """A column as the catalogue describes it; ``type`` is that below any domains."""

    name: str
    type: str
    built_in: bool
    enumerated: bool
    modifier: int
    computed: bool
    deterministic: bool

    @property
    def kind(self) -> Kind | None:
        """The kind it is read as; None for what holds no single value of a kind, or computes one when it is read."""
        if self.computed:
            return None  # its expression is somebody's, and may fail on a value
        if self.enumerated:
            return Kind.TEXT
        if not self.built_in:
            return None
        if self.type == "numeric":
            digits, places = self._numeric()
            return Kind.REAL if places != 0 else Kind.INTEGER if digits <= 18 else Kind.TEXT
        return _PLAIN.get(self.type)

    @property
    def unit_kind(self) -> Kind | None:
        """The kind that a unit of this type is declared as; None if two people could be one, or one two."""
        if self.kind is None or not self.deterministic or self.type == "bpchar":
            return None
        return Kind.TEXT if self.enumerated else _EXACT.get(self.type, Kind.TEXT)

    def keeps_people_apart(self, declared: Kind) -> bool:
        """Whether two different stored values are never one value of the declared kind."""
        natural = self.unit_kind
        return natural is not None and declared in (natural, Kind.TEXT)

    def spelling(self, declared: Kind) -> str:
        """How this type writes people as text: whole numbers of every size have one spelling, as have texts."""
        if declared is not Kind.TEXT:
            return declared.value
        if self.type in _WHOLE or self.type == "numeric":
            return "number"
        return "text" if self.kind is Kind.TEXT else self.type

    def read(self, declared: Kind) -> tuple[str, Kind]:
        """SQL for the column as a type of its kind, and that kind. It never fails."""
        name = quoted_name(self.name)
        match self.kind:
            case Kind.INTEGER if self.type == "numeric":
                # NaN and the infinities are values of every numeric, and of no bigint
                return f"CASE WHEN {name} BETWEEN -1e18 AND 1e18 THEN CAST({name} AS bigint) END", Kind.INTEGER
            case Kind.INTEGER:
                return f"CAST({name} AS bigint)", Kind.INTEGER
            case Kind.REAL if self.type == "numeric" and declared is Kind.TEXT:
                return _numeric_text(name), Kind.TEXT
            case Kind.REAL if self.type == "numeric":
                return _numeric_real(name), Kind.REAL
            case Kind.REAL:
                return f"CAST({name} AS double precision)", Kind.REAL
            case Kind.TEXT if self.type == "numeric":
                return _numeric_text(name), Kind.TEXT
            case Kind.TEXT if self.enumerated:
                # whoever made the type may have made a cast of it, which is a function that may do anything
                return f'pg_catalog.textin(pg_catalog.enum_out({name})) COLLATE "C"', Kind.TEXT
            case Kind.TEXT:
                return f'CAST({name} AS text) COLLATE "C"', Kind.TEXT
            case Kind.TIMESTAMP if self.type == "timestamptz":
                return _moment(f"({name} AT TIME ZONE 'UTC')"), Kind.TIMESTAMP
            case Kind.TIMESTAMP:
                return _moment(f"CAST({name} AS timestamp)"), Kind.TIMESTAMP  # of any precision, with all six places
            case Kind.BOOLEAN | Kind.DATE as kind:
                return name, kind
        raise AssertionError(self.type)  # columns of no kind are never read

    def _numeric(self) -> tuple[int, int]:
        """Digits in all, and how many of them behind the point; (1000, 1000) where nothing is declared."""
        if self.modifier < _HEADER:
            return 1000, 1000
        both = self.modifier - _HEADER
        digits, places = (both >> 16) & 0xFFFF, ((both & 0x7FF) ^ 1024) - 1024
        return (digits, places) if places >= 0 else (digits - places, 0)  # below 0: so many zeros before the point


def _moment(value: str) -> str:
    """A timestamp that Arrow can hold: microseconds since 1970 in 64 bits end sooner than PostgreSQL's, since 2000."""
    return f"CASE WHEN {value} < CAST('{LATEST}' AS timestamp) THEN {value} END"


def _numeric_text(name: str) -> str:
    """A number has one text: 7 and 7.00 are one person."""
    return f'CAST(pg_catalog.trim_scale({name}) AS text) COLLATE "C"'


def _numeric_real(name: str) -> str:
    """The nearest double. PostgreSQL's own cast fails beyond the doubles at both ends: there, an infinity and 0."""
    return (
        f"CASE WHEN {name} = 'NaN' THEN NULL WHEN {name} > 1e308 THEN CAST('Infinity' AS double precision)"
        f" WHEN {name} < -1e308 THEN CAST('-Infinity' AS double precision)"
        f" WHEN {name} BETWEEN -1e-300 AND 1e-300 THEN CAST(0 AS double precision)"
        f" ELSE CAST({name} AS double precision) END"
    )

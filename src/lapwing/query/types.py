"""What is known about a column and about a relation: the facts that rules derive and sensitivities are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.query.expressions import Constant, Kind


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The kind of a column, whether it may be NULL, and what bounds its values, where something does.

    ``low`` and ``high`` are bounds of numbers (either may be missing). ``keys`` is a finite list of the values it can
    have besides NULL, from public knowledge: the policy, a CASE of constants, a comparison.
    Bounds are never trusted where they are used: whatever is summed is clipped to them again in the engine.
    """

    kind: Kind
    nullable: bool = True
    low: Fraction | None = None
    high: Fraction | None = None
    keys: tuple[Constant, ...] | None = None


@dataclass(frozen=True, slots=True)
class RelationType:
    """The columns of a relation of private rows, and who owns the rows.

    ``unit`` is the column that says whose row it is; None: each row is a person of its own. ``rows_per_unit`` bounds
    the rows one person can own here; None: nothing does, and an aggregate must bound them itself.
    """

    columns: Mapping[str, ColumnType]
    unit: str | None
    rows_per_unit: int | None

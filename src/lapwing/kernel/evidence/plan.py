"""The plan of a query, as far as people are concerned: a tree of relations of private rows, and one aggregate.

The one idea: below the aggregate every row belongs to one person; above it there are only answers. What an engine is
asked for is printed from these nodes, and what one person can change is derived from the same nodes by the kernel: it
believes of a ``type`` only which columns there are, and derives whose rows they are by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from lapwing.kernel.evidence.expressions import ColumnType, Constant, Expression, Word


@dataclass(frozen=True, slots=True)
class RelationType:
    """The columns of a relation of private rows, and who owns the rows.

    ``unit`` is the column that says whose row it is; None: each row is a person of its own. ``rows_per_unit`` bounds
    the rows one person can own here; None: nothing does, and an aggregate must bound them itself.
    """

    columns: Mapping[str, ColumnType]
    unit: str | None
    rows_per_unit: int | None


# --- relations of private rows ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a private table of the policy."""

    table: str
    type: RelationType


@dataclass(frozen=True, slots=True)
class Where:
    """The rows of which a condition is true (not false, not NULL)."""

    source: Relation
    condition: Expression
    type: RelationType


@dataclass(frozen=True, slots=True)
class Project:
    """The same rows with other columns; the unit column is always among them under the name ``type.unit``."""

    source: Relation
    columns: tuple[tuple[str, Expression], ...]
    type: RelationType


@dataclass(frozen=True, slots=True)
class PublicJoin:
    """Each row with the rows of a public table that have the same values: inner, or left (NULLs where there is none).

    ``on`` pairs a column of the source with one of the public table. ``columns`` are those kept of the public table:
    (name in the result, name in the table). ``unique``: the engine must see at most one public row per key.
    """

    source: Relation
    table: str
    on: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    left: bool
    unique: bool
    type: RelationType


@dataclass(frozen=True, slots=True)
class UnitJoin:
    """Rows of two private relations that belong to the same person (and agree on the further pairs in ``on``)."""

    first: Relation
    second: Relation
    on: tuple[tuple[str, str], ...]
    #: (name in the result, name in the second relation); all columns of the first keep their names
    columns: tuple[tuple[str, str], ...]
    left: bool
    type: RelationType


class Meeting(StrEnum):
    """What becomes of a row that meets others."""

    INNER = "inner"  # a row for each that it meets
    LEFT = "left"  # the same, and one without values where it meets none
    MARK = "mark"  # one row, and whether it meets any: EXISTS, IN (SELECT ...)


@dataclass(frozen=True, slots=True)
class Match:
    """Each row with the rows of another relation that compare with it: of a public one, or of the same person.

    ``on`` are comparisons that all hold: (column here, word, column there); of private relations the units are equal,
    too. ``columns`` are those kept of the other: (name in the result, name there); ``mark`` names a MARK.
    """

    source: Relation
    other: Relation
    on: tuple[tuple[str, Word, str], ...]
    columns: tuple[tuple[str, str], ...]
    how: Meeting
    mark: str | None
    public: bool
    type: RelationType


class UnitFunction(StrEnum):
    """What a sub-query that groups by the person may compute for each person; all exact, whatever the order of rows."""

    COUNT = "count"
    DIFFERENT = "different"  # values that are not NULL, each once
    SUM = "sum"  # of whole numbers, or of reals on a lattice
    MIN = "min"
    MAX = "max"
    #: the middle value, or of an even number of values the lower or the upper of the two
    LOWER_MEDIAN = "lower median"
    UPPER_MEDIAN = "upper median"


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """One aggregate for each person; a SUM is of ``argument`` clipped to [low, high] in whole ``step``s."""

    name: str
    function: UnitFunction
    argument: Expression | None
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class PerUnit:
    """One row per person and distinct values of ``keys``: GROUP BY unit, keys in a sub-query."""

    source: Relation
    keys: tuple[str, ...]
    columns: tuple[UnitColumn, ...]
    type: RelationType


@dataclass(frozen=True, slots=True)
class Sampled:
    """At most ``most`` rows of each person, those with the smallest keyed hash; a table is sampled before it is split.

    Without it a person could own rows in every part, and parts would not be about different people.
    """

    source: Relation
    most: int
    type: RelationType


@dataclass(frozen=True, slots=True)
class Foremost:
    """The first ``most`` rows of each person (and of each of their values of ``within``) in an order of columns.

    ``order`` says of each column whether it descends; NULLs come last. Rows that tie come in the order of a keyed hash.
    """

    source: Relation
    most: int
    within: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]
    type: RelationType


Relation = Scan | Where | Project | PublicJoin | UnitJoin | Match | PerUnit | Sampled | Foremost

# --- the aggregate ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Key:
    """A column to group by. ``values`` are all its keys, known in advance; None: unknown, chosen privately at a δ."""

    name: str
    expression: Expression
    type: ColumnType
    values: tuple[Constant, ...] | None


class Function(StrEnum):
    """What is measured with noise in each group."""

    ROWS = "rows"  # rows (where argument is given: rows with argument not NULL)
    TOTAL = "total"  # the sum of argument - centre, clipped, over rows with argument not NULL
    SQUARES = "squares"  # the sum of (argument - centre)², over rows with argument not NULL
    UNITS = "units"  # different people (where argument is given: with argument not NULL in some row)
    DISTINCT = "distinct"  # different values of argument
    QUANTILE = "quantile"  # the value below which a fraction of the rows lies
    SHARE = "share"  # the part of each row's weight that lies at one place of its range, over rows with a value


class Bounding(StrEnum):
    """How the rows of one person are kept to a limit before the aggregate."""

    NONE = "none"  # a person already has at most that many
    WEIGHTS = "weights"  # a person's m > k rows count k/m each
    SAMPLE = "sample"  # a person's k rows with the smallest keyed hash are kept


@dataclass(frozen=True, slots=True)
class Measurement:
    """One noisy number per group (a choice, for a quantile), and how much one person can move it.

    Before noise the engine returns whole numbers: Σ weight · X, with weights in steps of 1/weight_steps (1 without
    weights) and X = argument/step rounded to the nearest whole number (a half up), clipped to [low, high]/step, less
    centre; X is 1 for ROWS, UNITS and DISTINCT, and floor(X²/2^shift) for SQUARES. A person's weights sum to at most
    ``rows_per_unit`` · weight_steps over all groups together. A row's weight does not depend on the argument.

    SHARE divides the weight of a row among ``degree`` + 1 places of its range. With centre at the low end, X is in
    [0, N], and a row counts floor(X^degree/2^shift) at the last place and floor((N - X)^degree/2^shift) at place 0;
    of degree 2, what is left of floor(N²/2^shift) is at place 1. So the places together count the same in every row.
    """

    name: str
    function: Function
    argument: Expression | None
    bounding: Bounding
    rows_per_unit: int
    weight_steps: int
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction = Fraction(1)
    centre: int = 0
    #: for a quantile: the fraction wanted, and the number of equal buckets its range is divided into
    fraction: Fraction | None = None
    buckets: int = 0
    #: for squares and shares of degree 2: how often they are halved, so that they can be added
    shift: int = 0
    #: for shares: among how many places, less one, a row is divided, and which of them this is
    degree: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The measurements of one relation, in every group. ``limit`` is the most rows of one person that count."""

    source: Relation
    keys: tuple[Key, ...]
    measurements: tuple[Measurement, ...]
    #: With unknown keys: how many different people a group has, for choosing which groups may be shown. It is bounded
    #: by SAMPLE, at most k groups of a person: with weights a person could touch any number of groups, and the chance
    #: that one of them is shown would not be bounded by δ.
    selection: Measurement | None

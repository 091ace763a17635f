"""Tables of answers: what a question makes of its answers by windows, groups, joins and unions, as data.

The one idea: everything here reads answers, which already have their noise, and never a row of anybody: it costs
nothing. Nodes name columns of the sheet below them; the lowest are the answers of one aggregate, by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from lapwing.kernel.evidence.expressions import Expression


@dataclass(frozen=True, slots=True)
class Order:
    """One item of ORDER BY, over answers."""

    expression: Expression
    descending: bool
    nulls_first: bool


class Reduction(StrEnum):
    """What a window computes for each row of answers, and what a group of them comes to."""

    SUM = "sum"
    COUNT = "count"
    DIFFERENT = "count distinct"
    MEAN = "avg"
    MIN = "min"
    MAX = "max"
    MEDIAN = "median"
    VARIANCE = "var_pop"
    DEVIATION = "stddev_pop"
    SAMPLE_VARIANCE = "variance"
    SAMPLE_DEVIATION = "stddev"
    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    PERCENT_RANK = "percent_rank"
    CUME_DIST = "cume_dist"
    NTILE = "ntile"
    LAG = "lag"
    LEAD = "lead"
    FIRST_VALUE = "first_value"
    LAST_VALUE = "last_value"


#: What follows from the order of rows alone.
OF_ORDER = frozenset(
    {
        Reduction.ROW_NUMBER,
        Reduction.RANK,
        Reduction.DENSE_RANK,
        Reduction.PERCENT_RANK,
        Reduction.CUME_DIST,
        Reduction.NTILE,
    }
)
#: What is the value of another row.
OF_ROWS = frozenset({Reduction.LAG, Reduction.LEAD, Reduction.FIRST_VALUE, Reduction.LAST_VALUE})


@dataclass(frozen=True, slots=True)
class Around:
    """The rows around one that a window looks at: so many before and after; None: all of them.

    With ``peers`` a row stands for all that are equal to it in the order, as without ROWS.
    """

    before: int | None
    after: int | None
    peers: bool


@dataclass(frozen=True, slots=True)
class Windowed:
    """A column that is computed over other rows of the same sheet; ``many`` is LAG's distance, or NTILE's parts."""

    name: str
    function: Reduction
    argument: Expression | None
    partition: tuple[Expression, ...]
    order: tuple[Order, ...]
    frame: Around
    many: int = 1
    otherwise: Expression | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """The answers of one aggregate of the question, a row for each group."""

    part: int


@dataclass(frozen=True, slots=True)
class View:
    """A SELECT over a sheet: rows that are kept, windows over them, columns, rows kept by those, order and cut."""

    source: Sheet
    kept: Expression | None
    windows: tuple[Windowed, ...]
    outputs: tuple[tuple[str, Expression], ...]
    #: over the columns of the source, the windows and the outputs
    qualify: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Gathered:
    """One number of a group of answers; ``argument`` is None for COUNT(*)."""

    name: str
    function: Reduction
    argument: Expression | None


@dataclass(frozen=True, slots=True)
class Gather:
    """GROUP BY over a sheet: one row for each combination of keys; without keys, one row."""

    source: Sheet
    keys: tuple[tuple[str, Expression], ...]
    columns: tuple[Gathered, ...]


@dataclass(frozen=True, slots=True)
class Meet:
    """Two sheets side by side: rows that agree on the pairs; ``left`` and ``right`` say whose lonely rows stay.

    ``columns`` renames those of the second sheet: (name in the result, name there).
    """

    first: Sheet
    second: Sheet
    on: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    left: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Stack:
    """UNION ALL: the rows of one sheet after those of another, column by column, under the names of the first."""

    sheets: tuple[Sheet, ...]
    columns: tuple[tuple[str, ...], ...]


Sheet = Base | View | Gather | Meet | Stack


def below(sheet: Sheet) -> tuple[Sheet, ...]:
    """What a sheet is made of."""
    match sheet:
        case Base():
            return ()
        case View(source) | Gather(source):
            return (source,)
        case Meet(first, second):
            return first, second
        case Stack(sheets):
            return sheets


def sheets_in(sheet: Sheet) -> Iterator[Sheet]:
    """A sheet and all that it is made of."""
    yield sheet
    for each in below(sheet):
        yield from sheets_in(each)


def moved(sheet: Sheet, parts: dict[int, int]) -> Sheet:
    """The same with other numbers of aggregates."""
    match sheet:
        case Base(part):
            return Base(parts[part])
        case View(source) | Gather(source):
            return replace(sheet, source=moved(source, parts))
        case Meet(first, second):
            return replace(sheet, first=moved(first, parts), second=moved(second, parts))
        case Stack(sheets):
            return replace(sheet, sheets=tuple(moved(each, parts) for each in sheets))

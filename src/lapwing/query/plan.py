"""A whole query: the plan that the kernel derives everything from, and post-processing of its answers.

The one idea: below the aggregate every row belongs to one person; above it there are only answers. Nodes hold a type
that a rule of ``rules`` derived; ``rules`` is the only place that makes nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lapwing.kernel.evidence.expressions import Expression
from lapwing.kernel.evidence.plan import (
    Aggregate,
    Bounding,
    Foremost,
    Function,
    Key,
    Match,
    Measurement,
    Meeting,
    PerUnit,
    Project,
    PublicJoin,
    Relation,
    Sampled,
    Scan,
    UnitColumn,
    UnitFunction,
    UnitJoin,
    Where,
)
from lapwing.query.sheets import Order, Sheet

__all__ = [
    "Aggregate",
    "Answer",
    "Bounding",
    "Foremost",
    "Function",
    "Key",
    "Match",
    "Measurement",
    "Meeting",
    "Order",
    "PerUnit",
    "Project",
    "PublicJoin",
    "Query",
    "Relation",
    "Sampled",
    "Scan",
    "Statistic",
    "UnitColumn",
    "UnitFunction",
    "UnitJoin",
    "Where",
]

# --- answers ---------------------------------------------------------------------------------------------


class Statistic(StrEnum):
    """What the analyst asked for, computed from measurements."""

    KEY = "key"  # a group key
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "variance"
    STDDEV = "stddev"
    QUANTILE = "quantile"
    HISTOGRAM = "histogram"
    COVARIANCE = "covariance"
    CORRELATION = "correlation"
    SLOPE = "slope"
    INTERCEPT = "intercept"
    DETERMINATION = "r2"


@dataclass(frozen=True, slots=True)
class Answer:
    """One statistic: the names of the measurements (or the key) it is computed from, in order."""

    name: str
    statistic: Statistic
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A whole typed query. ``outputs``, ``having`` and ``order`` are expressions over the names of ``answers``.

    ``notes`` are sentences the reader of the release should see (MIN is a quantile, values are clipped, ...).
    """

    text: str
    aggregate: Aggregate
    answers: tuple[Answer, ...]
    outputs: tuple[tuple[str, Expression], ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int
    notes: tuple[str, ...]
    #: what is made of the answers where that is more than columns of one row; then the rest is about the answers below
    sheet: Sheet | None = None
    #: further aggregates that the sheet reads; they cost, too
    beside: tuple[Query, ...] = ()

"""The table of answers: statistics, then HAVING, ORDER BY, LIMIT and the columns asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.query.answers import statistics
from lapwing.query.answers.cells import Cells
from lapwing.query.answers.evaluate import evaluate, truth
from lapwing.query.expressions import columns_of
from lapwing.query.plan import Answer, Measurement, Order, Query, Statistic


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement after noise: in the units of its argument, and how far noise reaches when it is one of ``n``.

    ``reach(n)`` holds with probability 1 - (1 - confidence)/n, so that n of them hold together at the confidence asked.
    """

    measurement: Measurement
    values: NDArray[Any]
    reach: Callable[[int], float | None]

    def cells(self, together: int) -> Cells:
        """The values with their intervals, when ``together`` measurements are used in one cell."""
        reach = self.reach(together)
        return Cells.known(self.values) if reach is None else Cells.around(self.values, reach)


@dataclass(frozen=True, slots=True)
class Answers:
    """Columns of answers, in the order of the query."""

    names: tuple[str, ...]
    columns: tuple[Cells, ...]
    rows: int


def answer(query: Query, keys: Mapping[str, Cells], measured: Mapping[str, Measured], rows: int) -> Answers:
    """The table for one set of noisy measurements: ``rows`` groups with these keys."""
    uses = {each.name: each for each in query.answers}

    def columns(names: Sequence[str]) -> dict[str, Cells]:
        """These answers, with intervals that hold together."""
        parts = {part for name in names for part in uses[name].parts if part in measured}
        return {name: _statistic(uses[name], keys, measured, max(1, len(parts))) for name in names}

    outputs = [
        (name, evaluate(expression, columns(sorted(set(columns_of(expression)))), rows))
        for name, expression in query.outputs
    ]
    kept = np.arange(rows)
    if query.having is not None:
        kept = kept[truth(query.having, columns(sorted(set(columns_of(query.having)))), rows)]
    if query.order:
        sorted_by = [
            (evaluate(each.expression, columns(sorted(set(columns_of(each.expression)))), rows).take(kept), each)
            for each in query.order
        ]
        kept = kept[_ordered(sorted_by, len(kept))]
    last = None if query.limit is None else query.offset + query.limit
    kept = kept[query.offset : last]
    return Answers(tuple(name for name, _ in outputs), tuple(cells.take(kept) for _, cells in outputs), len(kept))


def _statistic(wanted: Answer, keys: Mapping[str, Cells], measured: Mapping[str, Measured], together: int) -> Cells:
    if wanted.statistic is Statistic.KEY:
        return keys[wanted.parts[0]]
    parts = [measured[part] for part in wanted.parts]
    cells = [part.cells(together) for part in parts]
    plans = [part.measurement for part in parts]
    match wanted.statistic:
        case Statistic.COUNT | Statistic.HISTOGRAM:
            return statistics.count(cells[0], plans[0])
        case Statistic.SUM:
            return statistics.total(cells[0], plans[0])
        case Statistic.MEAN:
            return statistics.mean(cells[0], cells[1], plans[0])
        case Statistic.VARIANCE:
            return statistics.variance(cells[0], cells[1], cells[2], plans)
        case Statistic.STDDEV:
            return statistics.deviation(statistics.variance(cells[0], cells[1], cells[2], plans))
        case _:
            return cells[0]


def _ordered(sorted_by: Sequence[tuple[Cells, Order]], rows: int) -> NDArray[np.intp]:
    """Row numbers in the order asked for; ties keep the order of the groups."""
    layers: list[NDArray[Any]] = [np.arange(rows)]
    for cells, order in reversed(sorted_by):
        layers.append(_ranks(cells) * (-1 if order.descending else 1))
        layers.append(cells.missing != order.nulls_first)
    return np.lexsort(layers)


def _ranks(cells: Cells) -> NDArray[np.intp]:
    """Whole numbers in the order of the values; 0 where there is none."""
    ranks = np.zeros(len(cells.values), np.intp)
    present = cells.values[~cells.missing]
    if present.dtype == object:
        present = present.astype(str)
    ranks[~cells.missing] = np.unique(present, return_inverse=True)[1]
    return ranks

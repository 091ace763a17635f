"""The table of answers: statistics, then HAVING, ORDER BY, LIMIT and the columns asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing import watching
from lapwing.query.answers import regressions, statistics
from lapwing.query.answers.answer_expressions import evaluate, is_true
from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.answers.ordering import ordered
from lapwing.query.answers.replay import MANY, Answering, Noise, leaves, replaced, replayed, without_nullif
from lapwing.query.answers.sheeting import Source, on_sheet
from lapwing.query.expressions import Call, Column, Expression, Word, columns_of
from lapwing.query.plan import Answer, Measurement, Query, Statistic
from lapwing.query.sheets import Sheet


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement after noise: in the units of its argument, and how far noise reaches when it is one of ``n``.

    ``reach(n)`` holds with probability 1 - (1 - confidence)/n, so that n of them hold together at the confidence asked.
    ``most`` is what a count is at most, where that is no secret: something is divided by no more.
    """

    measurement: Measurement
    values: NDArray[Any]
    reach: Callable[[int], float | None]
    most: NDArray[Any] | None = None

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
    #: how many groups there were, before HAVING and LIMIT
    shown: int = 0


def answer(
    query: Query,
    keys: Mapping[str, Cells],
    measured: Mapping[str, Measured],
    rows: int,
    noise: Noise | None = None,
) -> Answers:
    """The table for one set of noisy measurements: ``rows`` groups with these keys.

    With ``noise`` to draw again an interval is the narrow one of ``replay``; without, that of interval arithmetic.
    """
    if query.sheet is not None:
        return on_one_sheet(query.sheet, [source_of(query, keys, measured, rows)], noise)
    uses = {each.name: each for each in query.answers}

    def valued(expression: Expression) -> Cells:
        """An expression over answers, with intervals that hold together."""
        names = sorted(set(columns_of(expression)))
        parts = {part for name in names for part in uses[name].parts if part in measured}
        whole, together = not _divides(expression), max(1, len(parts))
        known = {name: _statistic(uses[name], keys, measured, together, whole=whole) for name in names}
        return evaluate(expression, known, rows)

    outputs = []
    for name, expression in query.outputs:
        cells = valued(expression)
        if noise is not None and not cells.certain and 0 < rows <= MANY:
            cells = _Intervals(uses, keys, measured, rows, noise).around(expression, cells)
        outputs.append((name, cells))
    kept = np.arange(rows)
    if query.having is not None:
        kept = kept[is_true(valued(query.having))]
    if query.order:
        sorted_by = [(valued(each.expression).take(kept), each) for each in query.order]
        kept = kept[ordered(sorted_by, len(kept))]
    last = None if query.limit is None else query.offset + query.limit
    kept = kept[query.offset : last]
    return Answers(tuple(name for name, _ in outputs), tuple(cells.take(kept) for _, cells in outputs), len(kept), rows)


def on_one_sheet(sheet: Sheet, sources: Sequence[Source], noise: Noise | None = None) -> Answers:
    """The table that a sheet makes of the answers of one or several aggregates."""
    columns, rows = on_sheet(sheet, sources, noise)
    return Answers(tuple(columns), tuple(columns.values()), rows, sources[0].rows)


def source_of(query: Query, keys: Mapping[str, Cells], measured: Mapping[str, Measured], rows: int) -> Source:
    """The answers of one aggregate, as a sheet reads them."""

    def answered(found: Mapping[str, Measured | _Points], by: Mapping[str, Cells]) -> dict[str, Cells]:
        return {each.name: _statistic(each, by, found, max(1, len(each.parts))) for each in query.answers}

    def replayed(noise: Noise, many: int) -> dict[str, Cells]:
        points = {}
        for name, each in measured.items():
            drawn = noise.draw(name, many * rows)
            values = np.tile(each.values.astype(np.float64), many)
            points[name] = _Points(replace(each, values=values if drawn is None else values - drawn))
        again = np.tile(np.arange(rows), many)
        return answered(points, {name: cells.take(again) for name, cells in keys.items()})

    return Source(query.answers, answered(measured, keys), rows, replayed)


@dataclass(frozen=True, slots=True)
class _Intervals:
    """The ends around the values of an output, by replay where it turns nowhere, put together where it does."""

    uses: Mapping[str, Answer]
    keys: Mapping[str, Cells]
    measured: Mapping[str, Measured]
    rows: int
    noise: Noise

    def around(self, expression: Expression, cells: Cells) -> Cells:
        """The same values, each with its interval."""
        expression, whole = without_nullif(expression), not _divides(expression)
        if any(self.uses[name].statistic is Statistic.QUANTILE for name in columns_of(expression)):
            unknown = np.full(self.rows, np.inf)  # a choice has no ± in its own units
            return replace(cells, low=-unknown, high=unknown)
        parts = list(dict.fromkeys(leaves(expression, self.uses)))
        names = {leaf: f"\0{at}" for at, leaf in enumerate(parts)}
        known = {names[leaf]: self._leaf(leaf, len(parts), whole=whole) for leaf in parts}
        known |= {name: self.keys[name] for name in columns_of(expression) if name in self.keys}
        found = evaluate(replaced(expression, names), known, self.rows)
        return replace(cells, low=found.lows, high=found.highs)

    def _leaf(self, leaf: Expression, share: int, *, whole: bool) -> Cells:
        watching.check()
        used = sorted(set(columns_of(leaf)))
        names = sorted({part for name in used for part in self.uses[name].parts if part in self.measured})
        together = share * max(1, len(names))
        boxes = {name: _statistic(self.uses[name], self.keys, self.measured, together, whole=whole) for name in used}
        cells = evaluate(leaf, boxes, self.rows)
        if isinstance(leaf, Column) and len(names) == 1:  # the noise of one number has an interval of its own
            return _possible(cells, self.uses[leaf.name].statistic)
        values = {name: self.measured[name].values.astype(np.float64) for name in names}
        ends = replayed(leaf, values, self._answers(used, whole=whole), self.noise, share)
        if ends is not None:
            cells = replace(cells, low=ends[0], high=ends[1])
        return self._honest(leaf, cells)

    def _answers(self, used: Sequence[str], *, whole: bool) -> Answering:
        """Answers for replayed measurements: points, but where statistics have no value."""

        def answered(moved: Mapping[str, Floats], groups: NDArray[np.intp], many: int) -> dict[str, Cells]:
            at = {name: replace(self.measured[name], values=values, most=None) for name, values in moved.items()}
            points = {name: _Points(each) for name, each in at.items()}
            keys = {name: self.keys[name].take(np.repeat(groups, many)) for name in self.keys if name in used}
            return {name: _statistic(self.uses[name], keys, points, 1, whole=whole) for name in used}

        return answered

    def _honest(self, leaf: Expression, cells: Cells) -> Cells:
        """Where the interval is all that was possible anyhow, nothing is known."""
        if not isinstance(leaf, Column):
            return cells
        wanted = self.uses[leaf.name]
        if wanted.statistic not in (Statistic.MEAN, Statistic.VARIANCE, Statistic.STDDEV):
            return cells
        low, high = statistics.possible(wanted.statistic, self.measured[wanted.parts[0]].measurement)
        nothing = (cells.lows <= low) & (cells.highs >= high)
        return replace(cells, low=np.where(nothing, -np.inf, cells.lows), high=np.where(nothing, np.inf, cells.highs))


@dataclass(frozen=True, slots=True)
class _Points:
    """A replayed measurement: numbers without any reach."""

    measured: Measured

    @property
    def measurement(self) -> Measurement:
        """What was measured."""
        return self.measured.measurement

    def cells(self, _together: int) -> Cells:
        """Each number as an interval of its own."""
        return Cells.points(self.measured.values.astype(np.float64, copy=False))


def _possible(cells: Cells, statistic: Statistic) -> Cells:
    """Counts are not negative."""
    if statistic not in (Statistic.COUNT, Statistic.HISTOGRAM):
        return cells
    return replace(cells, low=np.maximum(cells.lows, 0.0), high=np.maximum(cells.highs, 0.0))


def _at_most(part: Measured | _Points, cells: Cells) -> Cells:
    """A count, kept to what it can be; how far noise may have moved it stays as it is."""
    if not isinstance(part, Measured) or part.most is None:
        return cells
    return replace(cells, values=np.minimum(cells.numbers, part.most), low=cells.lows, high=cells.highs)


def _divides(expression: Expression) -> bool:
    """Whether something is divided: then counts keep the fractions that noise leaves, which divide better."""
    if not isinstance(expression, Call):
        return False
    return expression.word is Word.DIVIDE or any(map(_divides, expression.arguments))


def _statistic(
    wanted: Answer,
    keys: Mapping[str, Cells],
    measured: Mapping[str, Measured | _Points],
    together: int,
    *,
    whole: bool = True,
) -> Cells:
    """An answer from its measurements; counts are ``whole`` numbers where they are shown."""
    if wanted.statistic is Statistic.KEY:
        return keys[wanted.parts[0]]
    parts = [measured[part] for part in wanted.parts]
    cells = [part.cells(together) for part in parts]
    plans = [part.measurement for part in parts]
    match wanted.statistic:
        case Statistic.COUNT | Statistic.HISTOGRAM:
            return statistics.count(cells[0], plans[0]) if whole else cells[0]
        case Statistic.SUM:
            return statistics.total(cells[0], plans[0])
        case Statistic.MEAN:
            return statistics.mean(cells[0], _at_most(parts[1], cells[1]), plans[0])
        case Statistic.VARIANCE:
            return statistics.variance(cells[0], cells[1], cells[2], plans)
        case Statistic.STDDEV:
            return statistics.deviation(statistics.variance(cells[0], cells[1], cells[2], plans))
        case (
            Statistic.COVARIANCE
            | Statistic.CORRELATION
            | Statistic.SLOPE
            | Statistic.INTERCEPT
            | Statistic.DETERMINATION
        ):
            return regressions.regression(wanted.statistic, cells, plans)
        case _:
            return cells[0]

"""Windows over rows of answers, and groups of them: sums, ranks, neighbours, each with its interval.

The one idea: rows are put in an order once, by the answers as they were released, and every replay of the noise is
laid out the same way: a window is then a stretch of places in that order, the same one in every replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.query.answers.cells import Bools, Cells, Floats
from lapwing.query.answers.ordering import ordered, ranks
from lapwing.query.sheets import Around, Order, Reduction

Places = NDArray[np.intp]
#: How a stretch of rows becomes one number in every replay; the last axis is that of rows.
_REDUCED: dict[Reduction, Callable[[Floats], Floats]] = {
    Reduction.MIN: lambda x: np.nanmin(x, axis=1),
    Reduction.MAX: lambda x: np.nanmax(x, axis=1),
    Reduction.MEDIAN: lambda x: np.nanmedian(x, axis=1),
    Reduction.VARIANCE: lambda x: np.nanvar(x, axis=1),
    Reduction.DEVIATION: lambda x: np.nanstd(x, axis=1),
    Reduction.SAMPLE_VARIANCE: lambda x: _sampled(x),
    Reduction.SAMPLE_DEVIATION: lambda x: np.sqrt(_sampled(x)),
}
#: What turns where its argument is in the middle: nothing is known of its ends.
_SPREADS = (Reduction.VARIANCE, Reduction.DEVIATION, Reduction.SAMPLE_VARIANCE, Reduction.SAMPLE_DEVIATION)


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows in order, and for each place there where its partition and its equals begin and end (the place behind)."""

    order: Places
    start: Places
    end: Places
    first_equal: Places
    last_equal: Places

    @classmethod
    def of(cls, partition: Sequence[Cells], by: Sequence[tuple[Cells, Order]], rows: int) -> Layout:
        """The layout of so many rows."""
        groups = numbered(partition, rows)
        inside = ordered(by, rows) if by else np.arange(rows)
        order = inside[np.argsort(groups[inside], kind="stable")]
        apart = _changes(groups[order])
        equal = numbered([cells for cells, _ in by], rows)[order] if by else np.zeros(rows, np.intp)
        return cls(order, *_stretches(apart), *_stretches(apart | _changes(equal)))

    def frames(self, frame: Around) -> tuple[Places, Places]:
        """For each place the first place of its frame, and the first behind it."""
        at = np.arange(len(self.order))
        low, high = self.start, self.end
        if frame.before is not None:
            low = self.first_equal if frame.peers else np.maximum(self.start, at - frame.before)
        if frame.after is not None:
            high = self.last_equal if frame.peers else np.minimum(self.end, at + frame.after + 1)
        low = np.minimum(low, self.end)
        return low, np.maximum(low, high)


def numbered(cells: Sequence[Cells], rows: int) -> Places:
    """A number for each row: equal rows have equal ones, counted from 0 as they first appear. NULLs are equal."""
    if not cells:
        return np.zeros(rows, np.intp)
    layers = [layer for each in cells for layer in (ranks(each), each.missing.astype(np.intp))]
    _, first, found = np.unique(np.stack(layers), axis=1, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[found.ravel()], np.intp)


def by_order(function: Reduction, layout: Layout, parts: int) -> Cells:
    """Ranks and their kin, for each row."""
    at = np.arange(len(layout.order))
    size, within = layout.end - layout.start, at - layout.start
    rank = layout.first_equal - layout.start
    values: NDArray[Any]
    match function:
        case Reduction.ROW_NUMBER:
            values = within + 1
        case Reduction.RANK:
            values = rank + 1
        case Reduction.DENSE_RANK:
            new = at == layout.first_equal
            counted = np.cumsum(new)
            values = counted - counted[layout.start] + 1
        case Reduction.PERCENT_RANK:
            values = np.where(size > 1, rank / np.maximum(size - 1, 1), 0.0)
        case Reduction.CUME_DIST:
            values = (layout.last_equal - layout.start) / np.maximum(size, 1)
        case _:  # NTILE: the first parts have one more where they do not come out even
            small, larger = size // parts, size % parts
            ahead = larger * (small + 1)
            later = larger + (within - ahead) // np.maximum(small, 1)
            values = np.where(within < ahead, within // (small + 1), later) + 1
    placed = np.empty(len(at), values.dtype if values.dtype.kind == "f" else np.int64)
    placed[layout.order] = values
    return Cells.known(placed)


def from_rows(function: Reduction, layout: Layout, frame: Around, many: int) -> Places:
    """For each row the row whose value it has; -1 where there is none."""
    at = np.arange(len(layout.order))
    low, high = layout.frames(frame)
    match function:
        case Reduction.LAG:
            wanted, there = at - many, at - many >= layout.start
        case Reduction.LEAD:
            wanted, there = at + many, at + many < layout.end
        case Reduction.FIRST_VALUE:
            wanted, there = low, low < high
        case _:
            wanted, there = high - 1, low < high
    there &= (wanted >= layout.start) & (wanted < layout.end)
    found = np.full(len(at), -1, np.intp)
    found[layout.order] = np.where(there, layout.order[np.clip(wanted, 0, max(len(at) - 1, 0))], -1)
    return found


def over_frames(
    function: Reduction, cells: Cells | None, layout: Layout, low: Places, high: Places, times: int
) -> Cells:
    """A sum, a mean, an extreme of each stretch from ``low`` up to ``high``, in every replay."""
    rows = len(layout.order)
    if cells is None:  # COUNT(*)
        return Cells.known(np.tile((high - low).astype(np.int64), times))
    table = _Table.of(cells, layout.order, times, rows)
    counts = _summed(table.present.astype(np.int64), low, high)
    if function is Reduction.COUNT:
        return Cells.known(counts.ravel())
    if function is Reduction.DIFFERENT:
        return Cells.known(np.tile(_different(table, low, high), times))  # it turns: one replay is as good as another
    missing = counts == 0
    if cells.values.dtype == object:
        return Cells.known(_texts(function, table, low, high) * times)
    if function in (Reduction.SUM, Reduction.MEAN):
        ends = [_summed(np.where(table.present, each, 0), low, high) for each in table.numbers]
        divided = [end / np.maximum(counts, 1) for end in ends] if function is Reduction.MEAN else ends
        return table.made(divided, missing)
    found = [_sliced(_REDUCED[function], np.where(table.present, each, np.nan), low, high) for each in table.numbers]
    if function in _SPREADS and not cells.certain:
        found[1:] = [np.full_like(found[0], -np.inf), np.full_like(found[0], np.inf)]
    return table.made(found, missing)


@dataclass(frozen=True, slots=True)
class _Table:
    """Cells as a table of replays by places: which are there, and their values (with the ends, where there are any)."""

    cells: Cells
    present: Bools
    numbers: list[NDArray[Any]]
    texts: NDArray[Any]

    @classmethod
    def of(cls, cells: Cells, order: Places, times: int, rows: int) -> _Table:
        def laid(values: NDArray[Any]) -> NDArray[Any]:
            return values.reshape(times, rows)[:, order]

        whole = cells.values.dtype.kind in "ib"
        values = cells.values.astype(np.int64) if whole else cells.numbers
        numbers = [laid(values), *([] if cells.low is None else [laid(cells.lows), laid(cells.highs)])]
        return cls(cells, laid(~cells.missing), numbers, laid(cells.values))

    def made(self, found: Sequence[NDArray[Any]], missing: Bools) -> Cells:
        """What was found as a column; whole where all that was added is."""
        values, *ends = found
        bad = missing | (~np.isfinite(values) if values.dtype.kind == "f" else False)
        values = np.where(bad, 0, values)
        if not ends:
            return Cells(values.ravel(), bad.ravel())
        return Cells(values.ravel(), bad.ravel(), ends[0].ravel().astype(float), ends[1].ravel().astype(float))


def _summed(values: NDArray[Any], low: Places, high: Places) -> NDArray[Any]:
    """Sums of stretches; one infinite end makes a sum infinite, and adds nothing to others."""
    endless = np.zeros(values.shape, bool) if values.dtype.kind != "f" else ~np.isfinite(values)
    running = _running(np.where(endless, 0, values))
    found: NDArray[Any] = running[:, high] - running[:, low]
    if not endless.any():
        return found
    for sign in (-1, 1):
        many = _running((endless & (np.sign(values) == sign)).astype(np.int64))
        found = np.where(many[:, high] - many[:, low] > 0, sign * np.inf, found)
    return found


def _running(values: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = np.concatenate([np.zeros((len(values), 1), values.dtype), np.cumsum(values, axis=1)], axis=1)
    return found


def _sliced(reduce: Callable[[Floats], Floats], values: Floats, low: Places, high: Places) -> Floats:
    found = np.full(values.shape[:1] + low.shape, np.nan)
    known: dict[tuple[int, int], Floats] = {}
    for at, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if (first, last) not in known:
            part = values[:, first:last]
            some = ~np.isnan(part).all(axis=1)
            result = np.full(len(values), np.nan)
            if some.any():
                result[some] = reduce(part[some])
            known[first, last] = result
        found[:, at] = known[first, last]
    return found


def _sampled(values: Floats) -> Floats:
    """The sum of squares over one less than how many there are; of one value there is none."""
    many = np.count_nonzero(~np.isnan(values), axis=1)
    return np.where(many > 1, np.nanvar(values, axis=1) * many / np.maximum(many - 1, 1), np.nan)


def _different(table: _Table, low: Places, high: Places) -> NDArray[np.int64]:
    found = np.zeros(len(low), np.int64)
    for at, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        found[at] = len(set(table.texts[0, first:last][table.present[0, first:last]].tolist()))
    return found


def _texts(function: Reduction, table: _Table, low: Places, high: Places) -> list[object]:
    """MIN and MAX of texts; they are keys, and so the same in every replay."""
    pick = min if function is Reduction.MIN else max
    found: list[object] = []
    for first, last in zip(low.tolist(), high.tolist(), strict=True):
        here = table.texts[0, first:last][table.present[0, first:last]].tolist()
        found.append(pick(map(str, here)) if here else None)
    return found


def _changes(values: Places) -> Bools:
    """Whether each differs from the one before; the first does."""
    return np.concatenate([[True], values[1:] != values[:-1]])[: len(values)]


def _stretches(new: Bools) -> tuple[Places, Places]:
    """For each place where its stretch begins, and the first place behind it."""
    starts = np.flatnonzero(new)
    which = np.cumsum(new) - 1
    ends = np.append(starts[1:], len(new))
    return starts[which], ends[which]

"""Sheets of answers computed: once for what is shown, and again for every replay of the noise, for the ±.

The one idea: which rows are kept, grouped, joined and in which order is decided once, by the answers as they were
released; a replay goes the same way with other noise. Where an output is a sum or a quotient of noisy numbers (a share
of a total, a difference from the month before) its replays are those of ``replay``, and as exact; where it turns (a
rank, a maximum) nothing is said of its ±.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.query.answers.answer_expressions import evaluate, truth
from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.answers.following import kinds_of, shapes_of
from lapwing.query.answers.ordering import ordered
from lapwing.query.answers.replay import Noise, Shape, times
from lapwing.query.answers.windows import Layout, by_order, from_rows, numbered, over_frames
from lapwing.query.expressions import Expression, Kind
from lapwing.query.plan import Answer, Statistic
from lapwing.query.sheets import (
    OF_ORDER,
    OF_ROWS,
    Base,
    Gather,
    Meet,
    Sheet,
    Stack,
    View,
    Windowed,
    sheets_in,
)

Columns = dict[str, Cells]
Places = NDArray[np.intp]
#: Answers of more rows than this have no ± on a sheet.
MANY = 5_000
_COUNTS = (Statistic.COUNT, Statistic.HISTOGRAM)


@dataclass(frozen=True, slots=True)
class Source:
    """The answers of one aggregate: as released, and with noise drawn again so many times, one replay after another."""

    answers: tuple[Answer, ...]
    released: Columns
    rows: int
    replayed: Callable[[Noise, int], Columns]


@dataclass(slots=True)
class _Run:
    """One way through a sheet; ``choices`` are those of the first."""

    base: Callable[[int], tuple[Columns, int]]
    times: int
    choices: dict[object, Any]
    known: dict[int, tuple[Columns, int]] = field(default_factory=dict)

    def sheet(self, node: Sheet) -> tuple[Columns, int]:
        """The columns of a sheet, and how many rows it has in each replay."""
        if id(node) not in self.known:
            self.known[id(node)] = self._sheet(node)
        return self.known[id(node)]

    def _sheet(self, node: Sheet) -> tuple[Columns, int]:
        match node:
            case Base(part):
                return self.base(part)
            case View():
                return self._look(node)
            case Gather():
                return self._gather(node)
            case Meet():
                return self._meet(node)
            case Stack():
                return self._stack(node)

    def _once(self, key: object, choice: Callable[[], Any]) -> Any:  # noqa: ANN401  # whatever was chosen
        if key not in self.choices:
            self.choices[key] = choice()
        return self.choices[key]

    def _take(self, columns: Columns, at: Places, rows: int) -> Columns:
        return {name: self._picked(cells, at, rows) for name, cells in columns.items()}

    def _picked(self, cells: Cells, at: Places, rows: int) -> Cells:
        """These rows of every replay; -1 is a row without values."""
        gone = np.tile(at < 0, self.times)
        if rows == 0:
            empty = np.zeros(len(at) * self.times)
            return Cells(empty, np.ones(len(empty), bool), *(() if cells.certain else (empty, empty)))
        everywhere = (np.arange(self.times)[:, None] * rows + np.maximum(at, 0)[None, :]).ravel()
        found = cells.take(everywhere)
        return Cells(found.values, found.missing | gone, found.low, found.high)

    def _of(self, expression: Expression, columns: Columns, rows: int) -> Cells:
        return evaluate(expression, columns, rows * self.times)

    # --- SELECT ------------------------------------------------------------------------------------------

    def _look(self, node: View) -> tuple[Columns, int]:
        columns, rows = self.sheet(node.source)
        if node.kept is not None:
            kept = node.kept
            at = self._once((id(node), "kept"), lambda: np.flatnonzero(truth(kept, columns, rows)))
            columns, rows = self._take(columns, at, rows), len(at)
        for each in node.windows:
            columns = columns | {each.name: self._window(node, each, columns, rows)}
        outputs = {name: self._of(expression, columns, rows) for name, expression in node.outputs}
        at = self._once((id(node), "order"), lambda: _shown(node, columns, rows))
        return self._take(outputs, at, rows), len(at)

    def _window(self, node: View, wanted: Windowed, columns: Columns, rows: int) -> Cells:
        def laid() -> Layout:
            partition = [evaluate(each, columns, rows) for each in wanted.partition]
            return Layout.of(
                partition, [(evaluate(each.expression, columns, rows), each) for each in wanted.order], rows
            )

        layout: Layout = self._once((id(node), wanted.name), laid)
        if wanted.function in OF_ORDER:
            ranks = by_order(wanted.function, layout, wanted.many)
            return Cells.known(np.tile(ranks.values, self.times))
        argument = None if wanted.argument is None else self._of(wanted.argument, columns, rows)
        if wanted.function in OF_ROWS:
            assert argument is not None  # noqa: S101  # the reader gives it one
            at = from_rows(wanted.function, layout, wanted.frame, wanted.many)
            found = self._picked(argument, at, rows)
            if wanted.otherwise is None:
                return found
            return _or_else(found, np.tile(at < 0, self.times), self._of(wanted.otherwise, columns, rows))
        low, high = layout.frames(wanted.frame)
        found = over_frames(wanted.function, argument, layout, low, high, self.times)
        back = np.empty(rows, np.intp)
        back[layout.order] = np.arange(rows)
        return self._picked(found, back, rows)

    # --- GROUP BY, JOIN, UNION ALL -----------------------------------------------------------------------

    def _gather(self, node: Gather) -> tuple[Columns, int]:
        columns, rows = self.sheet(node.source)
        keys = {name: self._of(expression, columns, rows) for name, expression in node.keys}
        groups: Places = self._once(id(node), lambda: numbered(list(keys.values()), rows))
        layout = self._once((id(node), "laid"), lambda: Layout.of([Cells.known(groups)], [], rows))
        starts = np.flatnonzero(layout.start == np.arange(rows))
        low, high = starts, layout.end[starts]
        if not node.keys and not rows:  # without keys there is a row, whatever there was
            low = high = np.zeros(1, np.intp)
        found = self._take(keys, layout.order[starts], rows)
        for each in node.columns:
            argument = None if each.argument is None else self._of(each.argument, columns, rows)
            found[each.name] = over_frames(each.function, argument, layout, low, high, self.times)
        return found, len(low)

    def _meet(self, node: Meet) -> tuple[Columns, int]:
        (first, many), (second, more) = self.sheet(node.first), self.sheet(node.second)
        mine, theirs = self._once(id(node), lambda: _pairs(node, first, many, second, more))
        found = self._take(first, mine, many)
        renamed = {name: second[inner] for name, inner in node.columns}
        return found | self._take(renamed, theirs, more), len(mine)

    def _stack(self, node: Stack) -> tuple[Columns, int]:
        sheets = [self.sheet(each) for each in node.sheets]
        rows = sum(count for _, count in sheets)
        found = {}
        for at, name in enumerate(node.columns[0]):
            parts = [(columns[names[at]], count) for (columns, count), names in zip(sheets, node.columns, strict=True)]
            found[name] = _stacked(parts, self.times)
        return found, rows


def _shown(node: View, columns: Columns, rows: int) -> Places:
    """The rows that are left, in their order."""
    at = np.arange(rows)
    if node.qualify is not None:
        at = at[truth(node.qualify, columns, rows)]
    if node.order:
        sorted_by = [(evaluate(each.expression, columns, rows).take(at), each) for each in node.order]
        at = at[ordered(sorted_by, len(at))]
    return at[node.offset : None if node.limit is None else node.offset + node.limit]


def _or_else(cells: Cells, gone: NDArray[np.bool_], otherwise: Cells) -> Cells:
    if cells.values.dtype == object or otherwise.values.dtype == object:
        values = np.where(gone, otherwise.values.astype(object), cells.values.astype(object))
        return Cells(values, np.where(gone, otherwise.missing, cells.missing))
    values = np.where(gone, otherwise.values, cells.values)
    missing = np.where(gone, otherwise.missing, cells.missing)
    if cells.certain and otherwise.certain:
        return Cells(values, missing)
    return Cells(values, missing, *(np.where(gone, o, c) for o, c in zip(_ends(otherwise), _ends(cells), strict=True)))


def _ends(cells: Cells) -> tuple[Floats, Floats]:
    return cells.lows, cells.highs


def _pairs(node: Meet, first: Columns, many: int, second: Columns, more: int) -> tuple[Places, Places]:
    """Which rows meet; -1 stands where a row stays alone."""
    mine, theirs = (_keyed([side[name] for name in names], count) for side, names, count in (
        (first, [a for a, _ in node.on], many),
        (second, [b for _, b in node.on], more),
    ))  # fmt: skip
    where: dict[object, list[int]] = {}
    for at, key in enumerate(theirs):
        if key is not None:
            where.setdefault(key, []).append(at)
    pairs = [(at, other) for at, key in enumerate(mine) for other in _met(where, key, alone=node.left)]
    if node.right:
        met = {other for _, other in pairs}
        pairs += [(-1, other) for other in range(more) if other not in met]
    return np.array([at for at, _ in pairs], np.intp), np.array([other for _, other in pairs], np.intp)


def _met(where: Mapping[object, list[int]], key: object, *, alone: bool) -> list[int]:
    return (where.get(key, []) if key is not None else []) or ([-1] if alone else [])


def _keyed(cells: Sequence[Cells], rows: int) -> list[object]:
    """What each row is met by: its values, or None where one is NULL."""
    found: list[object] = []
    for at in range(rows):
        gone = any(bool(each.missing[at]) for each in cells)
        found.append(None if gone else tuple(each.values[at] for each in cells))
    return found


def _stacked(parts: Iterable[tuple[Cells, int]], many: int) -> Cells:
    """Columns one below the other, in every replay."""
    given = list(parts)
    known = [cells for cells, _ in given if not cells.nothing and len(cells.values)]
    as_text = any(cells.values.dtype == object for cells in known)
    noisy = any(not cells.certain for cells, _ in given)

    def laid(of: Callable[[Cells], NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([of(cells).reshape(many, rows) for cells, rows in given], axis=1).ravel()

    def values(cells: Cells) -> NDArray[Any]:
        if as_text:
            return cells.values.astype(object)
        return np.zeros(len(cells.values), np.int64) if cells.nothing else cells.values

    ends = (laid(lambda cells: cells.lows), laid(lambda cells: cells.highs)) if noisy else ()
    return Cells(laid(values), laid(lambda cells: cells.missing), *ends)


def tried(sheet: Sheet, parts: Sequence[tuple[tuple[Answer, ...], Mapping[str, Kind]]]) -> bool:
    """Whether a sheet can be computed of answers like these, made up: said before anything is paid for."""
    try:
        for rows in (0, 2):
            sources = [_made_up(answers, kinds, rows) for answers, kinds in parts]
            on_sheet(sheet, sources, None)
    except (ArithmeticError, AttributeError, KeyError, LookupError, TypeError, ValueError):
        return False
    return True


def _made_up(answers: tuple[Answer, ...], kinds: Mapping[str, Kind], rows: int) -> Source:
    numbers = np.arange(1, rows + 1)
    keys = {
        Kind.INTEGER: Cells.known(numbers.astype(np.int64)),
        Kind.BOOLEAN: Cells.known(numbers > 1),
    }
    texts = Cells.known([f"key {at}" for at in range(rows)])
    found = {
        each.name: keys.get(kinds[each.parts[0]], texts)
        if each.statistic is Statistic.KEY
        else Cells.around(numbers.astype(np.float64), 1.0)
        for each in answers
    }
    return Source(answers, found, rows, lambda _noise, _many: found)


# --- what is shown, and its ± ----------------------------------------------------------------------------


def on_sheet(sheet: Sheet, sources: Sequence[Source], noise: Noise | None) -> tuple[Columns, int]:
    """The columns of a sheet, each noisy number with its interval where one is known."""
    choices: dict[object, Any] = {}
    shown, rows = _Run(lambda part: (sources[part].released, sources[part].rows), 1, choices).sheet(sheet)
    made_of = [each.answers for each in sources]
    kinds, shapes = kinds_of(sheet, made_of), shapes_of(sheet, made_of)
    used = {node.part for node in sheets_in(sheet) if isinstance(node, Base)}
    most = max((sources[part].rows for part in used), default=0)
    again = None
    if noise is not None and 0 < most <= MANY and rows:
        many = times(max(most, rows))
        drawn = {part: (sources[part].replayed(noise, many), sources[part].rows) for part in used}
        again = _Run(lambda part: drawn[part], many, choices).sheet(sheet)[0], many
    replays = {name: None if shapes[name] is Shape.TURNING else again for name in shown}
    return {
        name: _with_ends(name, cells, kinds[name], replays[name], noise, rows) for name, cells in shown.items()
    }, rows


def _with_ends(
    name: str, cells: Cells, kind: Answer, again: tuple[Columns, int] | None, noise: Noise | None, rows: int
) -> Cells:
    if cells.certain or cells.values.dtype == object:
        return Cells(cells.values, cells.missing)
    unknown = np.full(rows, np.inf)
    low, high = -unknown, unknown
    if again is not None and noise is not None:
        columns, many = again
        place = math.floor((1 - noise.confidence) / 2 * (many + 1))
        if place >= 1:
            low, high = _between(columns[name], many, rows, place)
            if kind.statistic in _COUNTS:
                low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return Cells(cells.values, cells.missing, low, high)


def _between(cells: Cells, many: int, rows: int, place: int) -> tuple[Floats, Floats]:
    """The numbers at this place from both ends; what has no value counts at both."""
    low, high = (
        np.where(cells.missing | np.isnan(ends), unknown, ends).reshape(many, rows)
        for ends, unknown in ((cells.lows, -np.inf), (cells.highs, np.inf))
    )
    return np.partition(low, place - 1, axis=0)[place - 1], np.partition(high, many - place, axis=0)[many - place]

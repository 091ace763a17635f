"""A release: the private answers, their ±, what they cost, what is left, and the certificate that says why."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lapwing.errors import InvalidInput, MissingExtra
from lapwing.query.answers import Answers, Cells

if TYPE_CHECKING:
    import pandas
    import polars

    from lapwing.session.error_bars import Picture
    from lapwing.session.independence import ChiSquare


@dataclass(frozen=True, slots=True, repr=False)
class Release:
    """The answers to one query. ``margins`` has the same columns: how far noise can have moved each number.

    ``confidence`` is the probability with which each margin holds, and each interval from ``low`` to ``high``. They are
    about the noise alone: what clipping and the limit on rows per person do is said in ``notes``.
    """

    table: pa.Table
    margins: pa.Table
    confidence: float
    spent: Mapping[str, str]
    remaining: Mapping[str, str]
    receipt: Mapping[str, object]
    notes: tuple[str, ...]
    certificate: Mapping[str, Any]
    #: whether this answer was already paid for
    repeated: bool = False
    #: the ends of the interval around each number, where one is known; they need not be equally far from it
    low: pa.Table | None = None
    high: pa.Table | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.table.column_names)

    def has_margins(self, name: str) -> bool:
        """Whether a column has noise, and a ± in its own units somewhere."""
        return bool(self.margins.column(name).null_count < self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, object]]:
        """The rows, each as a dictionary by the names of the columns."""
        return iter(_rows(self.table))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def to_csv(self, path: str | Path | None = None, *, margins: bool = False) -> str:
        """The answers as CSV, also written to ``path`` where one is given; with ``margins``, with their ±."""
        table = self.to_arrow(margins=margins)
        lines = io.StringIO(newline="")
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
        if path is not None:
            try:
                Path(path).write_text(lines.getvalue(), encoding="utf-8")
            except (OSError, ValueError):
                raise InvalidInput("F003", "the file cannot be written", "Choose a folder you may write to") from None
        return lines.getvalue()

    def to_arrow(self, *, margins: bool = False) -> pa.Table:
        """The answers as an Arrow table; with ``margins``, a column ``NAME ±`` beside each that has noise."""
        return self._with_margins() if margins else self.table

    def to_pandas(self, *, margins: bool = False) -> pandas.DataFrame:
        """The answers as a pandas data frame; with ``margins``, a column ``NAME ±`` beside each that has noise."""
        try:
            import pandas  # noqa: F401  # Arrow needs it to be there
        except ImportError:
            raise MissingExtra(
                "F006", "pandas is not installed", "Install it with: pip install 'lapwing[pandas]'"
            ) from None
        return self.to_arrow(margins=margins).to_pandas()

    def to_polars(self, *, margins: bool = False) -> polars.DataFrame:
        """The answers as a polars data frame; with ``margins``, a column ``NAME ±`` beside each that has noise."""
        try:
            import polars
        except ImportError:
            raise MissingExtra(
                "F006", "polars is not installed", "Install it with: pip install 'lapwing[polars]'"
            ) from None
        frame = polars.from_arrow(self.to_arrow(margins=margins))
        assert isinstance(frame, polars.DataFrame)  # noqa: S101  # a table gives a frame
        return frame

    def plot(self, column: str | None = None) -> Picture:
        """A column with its ± as a picture, which a notebook shows and ``save("answer.svg")`` writes."""
        from lapwing.session.error_bars import picture

        return picture(self, column)

    def chi_square(self) -> ChiSquare:
        """Whether two keys have nothing to do with each other: Pearson's test, with the noise taken into account.

        The release is a two-way table: two keys and COUNT(*) (or COUNT(DISTINCT unit)) as it is, every group shown.
        What is computed from answers costs nothing.
        """
        from lapwing.session.independence import independence

        return independence(self)

    def to_json(self) -> dict[str, object]:
        """The release as one JSON object, with everything needed to check it and to show it again."""
        return {
            "columns": self.columns,
            "rows": _rows(self.table),
            "margins": _rows(self.margins),
            **({} if self.low is None or self.high is None else {"low": _rows(self.low), "high": _rows(self.high)}),
            "spent": _number(self.spent),
            "remaining": _number(self.remaining),
            "price": dict(self.spent),
            "left": dict(self.remaining),
            "confidence": self.confidence,
            "notes": list(self.notes),
            "repeated": self.repeated,
            "receipt": dict(self.receipt),
            "certificate": dict(self.certificate),
            "types": [str(kind) for kind in self.table.schema.types],
        }

    def __str__(self) -> str:
        from lapwing.session.rendering import as_text

        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapwing.session.rendering import as_html

        return as_html(self)

    def _with_margins(self) -> pa.Table:
        columns: list[tuple[str, pa.ChunkedArray]] = []
        for name in self.columns:
            columns.append((name, self.table.column(name)))
            if self.has_margins(name):
                columns.append((_free(f"{name} ±", self.columns), self.margins.column(name)))
        return pa.Table.from_arrays([column for _, column in columns], names=[name for name, _ in columns])


def _free(name: str, taken: list[str]) -> str:
    """A name that no column of the query has."""
    return name if name not in taken else _free(f"{name}±", taken)


def tables(answers: Answers) -> tuple[pa.Table, pa.Table]:
    """The answers and their margins as Arrow tables."""
    names = list(answers.names)
    values = [_array(cells) for cells in answers.columns]
    margins = [_margin_array(cells, answers.rows) for cells in answers.columns]
    return pa.Table.from_arrays(values, names=names), pa.Table.from_arrays(margins, names=names)


def ends(answers: Answers) -> tuple[pa.Table, pa.Table]:
    """The lower and the upper ends of the intervals as Arrow tables; nothing where one of the two is not known."""
    names = list(answers.names)
    lows, highs = [], []
    for cells in answers.columns:
        unknown = np.ones(answers.rows, bool)
        if not cells.certain and cells.values.dtype != object:
            unknown = cells.missing | ~np.isfinite(cells.lows) | ~np.isfinite(cells.highs)
        lows.append(pa.array(np.where(unknown, 0.0, cells.lows), mask=unknown))
        highs.append(pa.array(np.where(unknown, 0.0, cells.highs), mask=unknown))
    return pa.Table.from_arrays(lows, names=names), pa.Table.from_arrays(highs, names=names)


def read_release(text: str, *, repeated: bool = False, remaining: Mapping[str, str] | None = None) -> Release:
    """A release as it was written; refuses anything else."""
    try:
        data = json.loads(text)
        names, rows, margins = data["columns"], data["rows"], data["margins"]
        table = _table(names, data["types"], rows)
        return Release(
            table,
            _table(names, ["double"] * len(names), margins),
            float(data["confidence"]),
            {str(name): str(value) for name, value in data["price"].items()},
            {str(name): str(value) for name, value in (remaining or data["left"]).items()},
            dict(data["receipt"]),
            tuple(str(note) for note in data["notes"]),
            dict(data["certificate"]),
            repeated,
            *(_table(names, ["double"] * len(names), data[end]) if end in data else None for end in ("low", "high")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, pa.ArrowException):
        raise InvalidInput("S141", "this is not a release", "Give the JSON that lapwing run --json wrote") from None


_ARROW = {str(kind): kind for kind in (pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.null())}


def _table(names: list[str], kinds: list[str], rows: list[dict[str, object]]) -> pa.Table:
    columns = [pa.array([row[name] for row in rows], _ARROW[kind]) for name, kind in zip(names, kinds, strict=True)]
    return pa.Table.from_arrays(columns, names=names)


def _array(cells: Cells) -> pa.Array:
    if cells.values.dtype == object:
        return pa.array([None if gone else str(value) for value, gone in zip(cells.values, cells.missing, strict=True)])
    return pa.array(cells.values, mask=cells.missing)


def _margin_array(cells: Cells, rows: int) -> pa.Array:
    margins = cells.margins()
    if margins is None:
        return pa.nulls(rows, pa.float64())
    return pa.array(margins, mask=cells.missing | ~np.isfinite(margins))


def _rows(table: pa.Table) -> list[dict[str, object]]:
    found: list[dict[str, object]] = table.to_pylist()
    return found


def _number(amounts: Mapping[str, str]) -> float:
    """The first amount (ε, or ρ) as an ordinary number."""
    from fractions import Fraction

    return float(Fraction(next(iter(amounts.values()))))

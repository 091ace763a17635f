"""A column of a release as a picture: each answer as a point, with a bar from the least to the most it may be.

The one idea: an answer without its ± is half an answer, so a picture has no points without bars. It is plain SVG, which
browsers, notebooks and documents show, and needs no other library.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.errors import InvalidInput
from lapwing.session.rendering import percent, shown

if TYPE_CHECKING:
    from lapwing.session.release import Release

#: So many rows are drawn; a picture of more cannot be read.
MOST = 60
#: The picture, in points: its width, that of labels and of values, and the height of a row.
_WIDTH, _LABELS, _VALUES, _ROW = 720, 180, 130, 22
_INK, _FAINT = "#22303c", "#c9d1d6"


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A picture in SVG; a notebook shows it as it is."""

    svg: str

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in .svg."""
        place = Path(path)
        if place.suffix.lower() != ".svg":
            raise InvalidInput("F002", "the file does not end in .svg", "Give it a name such as answer.svg")
        try:
            place.write_text(self.svg, encoding="utf-8")
        except (OSError, ValueError):
            raise InvalidInput("F003", "the file cannot be written", "Choose a folder you may write to") from None
        return place

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture of {len(self.svg):,} letters of SVG; save(path) writes it"


@dataclass(frozen=True, slots=True)
class _Bar:
    label: str
    text: str
    value: float | None
    low: float | None
    high: float | None


def picture(release: Release, column: str | None) -> Picture:
    """The picture of a column, by its name; of the first with a ± where none is given."""
    noisy = [name for name in release.columns if release.has_margins(name)]
    if column is None and noisy:
        column = noisy[0]
    if column is None or column not in noisy:
        raise InvalidInput(
            "S155",
            "this release has no such column with a ±" if column else "no column of this release has a ± to draw",
            f"Name one of {', '.join(noisy)}" if noisy else "Ask for a count, a sum or a mean",
        )
    bars = list(_bars(release, column))
    more = len(release) - len(bars)
    under = f"bars are the ± noise at {percent(release.confidence)} confidence"
    return Picture("\n".join(_drawn(column, bars, under + (f"; {more:,} more rows are not drawn" if more else ""))))


def _bars(release: Release, column: str) -> Iterator[_Bar]:
    keys = [name for name in release.columns if name != column and not release.has_margins(name)]
    ends = [table.column(column).slice(0, MOST).to_pylist() if table else None for table in (release.low, release.high)]
    margins = release.margins.column(column).slice(0, MOST).to_pylist()
    for at, row in enumerate(release.table.slice(0, MOST).to_pylist()):
        value, margin = row[column], margins[at]
        label = ", ".join("—" if row[name] is None else str(row[name]) for name in keys)
        number = float(value) if isinstance(value, int | float) and math.isfinite(value) else None
        if number is None or margin is None:
            yield _Bar(label, "not known" if number is not None else "—", number, None, None)
            continue
        low, high = (number - margin, number + margin) if None in ends else (each[at] for each in ends if each)
        yield _Bar(
            label,
            f"{shown(value, margin)} ± {shown(margin, margin)}",
            number,
            number - margin if low is None else low,
            number + margin if high is None else high,
        )


def _drawn(column: str, bars: Sequence[_Bar], under: str) -> Iterator[str]:
    left, right = _LABELS, _WIDTH - _VALUES
    height = 70 + _ROW * len(bars)
    ends = [end for bar in bars for end in (bar.low, bar.high) if end is not None]
    least, most = (min(0.0, *ends), max(0.0, *ends)) if ends else (0.0, 1.0)
    if max(abs(least), abs(most)) > 3 * (max(ends, default=1) - min(ends, default=0)):
        least, most = min(ends), max(ends)  # far from 0, 0 would make all bars alike
    scale = (right - left) / ((most - least) or 1.0)

    def at(value: float) -> float:
        return left + (value - least) * scale

    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{_INK}" role="img">'
    )
    yield f"<title>{_text(column)}</title>"
    yield f'<text x="{left}" y="18" font-size="14" font-weight="bold">{_text(column)}</text>'
    for tick in _ticks(least, most):
        x = at(tick)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="30" y2="{height - 36}" stroke="{_FAINT}"/>'
        yield f'<text x="{x:.1f}" y="{height - 22}" text-anchor="middle" font-size="10">{_text(f"{tick:,.6g}")}</text>'
    for row, bar in enumerate(bars):
        y = 42 + _ROW * row
        yield f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{_text(bar.label, 26)}</text>'
        yield f'<text x="{right + 8}" y="{y + 4}" font-size="11">{_text(bar.text)}</text>'
        if bar.value is None or bar.low is None or bar.high is None:
            continue
        one, two, x = at(bar.low), at(bar.high), min(max(at(bar.value), left), right)
        yield f'<line x1="{one:.1f}" x2="{two:.1f}" y1="{y}" y2="{y}" stroke="{_INK}" stroke-width="2"/>'
        yield from (
            f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4}" y2="{y + 4}" stroke="{_INK}"/>' for end in (one, two)
        )
        yield f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="#2a7f62"/>'
    yield f'<text x="{left}" y="{height - 6}" font-size="10">{_text(under)}</text>'
    yield "</svg>"


def _ticks(least: float, most: float) -> Iterator[float]:
    """Round numbers in the range, about five."""
    width = most - least
    if width <= 0:
        yield least
        return
    step = 10.0 ** math.floor(math.log10(width / 4))
    step *= next(each for each in (1, 2, 5, 10) if width / (step * each) <= 6)
    first = math.ceil(least / step)
    yield from (step * each for each in range(first, math.floor(most / step) + 1))


def _text(text: str, most: int = 200) -> str:
    """Text that no reader of SVG takes for anything else: control characters have no place in XML."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return html.escape(plain if len(plain) <= most else plain[: most - 1] + "…")

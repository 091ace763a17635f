"""Pictures of answers: bars with their ±, drawn here as SVG, so that a page needs no script for them."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lapwing.session.rendering import shown

#: More groups than this are a table, not a picture.
MOST_BARS = 40
#: In units of the drawing, which is scaled to its place.
_WIDTH, _LABELS, _ROW, _BAR = 500, 150, 28, 13
_RIGHT = 80


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of one column, with its name."""

    name: str
    svg: str


def charts(release: Mapping[str, Any]) -> list[Chart]:
    """A picture for each column with a ±, by the columns that have none; none for a single number."""
    rows, margins, columns = release["rows"], release["margins"], release["columns"]
    noisy = [name for name in columns if any(row[name] is not None for row in margins)]
    known = [name for name in columns if name not in noisy]
    if not 2 <= len(rows) <= MOST_BARS or not known:
        return []
    labels = [", ".join("—" if row[name] is None else str(row[name]) for name in known) for row in rows]
    found = []
    for name in noisy:
        values = [_number(row[name]) for row in rows]
        sure = [_number(row[name]) for row in margins]
        if any(value is not None for value in values):
            found.append(Chart(name, _bars(name, labels, values, sure)))
    return found


def gauge(left: Fraction, whole: Fraction) -> str:
    """How much of a budget is left."""
    part = min(1.0, float(left / whole))
    return (
        f'<svg class="gauge" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{part:.0%} left">'
        f'<rect class="whole" width="100" height="6"/><rect class="part" width="{100 * part:.2f}" height="6"/></svg>'
    )


def _bars(name: str, labels: Sequence[str], values: Sequence[float | None], margins: Sequence[float | None]) -> str:
    low, high = _scale(values, margins)

    def at(value: float) -> float:
        return _LABELS + (min(max(value, low), high) - low) / (high - low) * (_WIDTH - _LABELS - _RIGHT)

    height = _ROW * len(labels) + 8
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {height}" role="img">'
        f"<title>{html.escape(name)} with its ±; the table below has the numbers</title>"
        f'<line class="axis" x1="{at(0):.1f}" x2="{at(0):.1f}" y1="0" y2="{height}"/>'
    ]
    for place, (label, value, margin) in enumerate(zip(labels, values, margins, strict=True)):
        middle = 4 + _ROW * place + _ROW / 2
        parts.append(f'<text class="label" x="{_LABELS - 8}" y="{middle + 4.5}">{html.escape(_short(label))}</text>')
        if value is None:
            continue
        left, right = sorted((at(0), at(value)))
        kind = "bar" if _is_told(value, margin) else "bar faint"
        parts.append(
            f'<rect class="{kind}" x="{left:.1f}" y="{middle - _BAR / 2}" width="{right - left:.1f}" height="{_BAR}"/>'
        )
        if margin is not None:
            parts.append(_whisker(at(value - margin), at(value + margin), middle))
        end = at(max(0.0, value + (margin or 0)))
        parts.append(f'<text class="value" x="{end + 6:.1f}" y="{middle + 4.5}">{shown(value, margin)}</text>')
    return "".join([*parts, "</svg>"])


def _scale(values: Sequence[float | None], margins: Sequence[float | None]) -> tuple[float, float]:
    """From the least to the largest end of a whisker; a group that noise has drowned would flatten all others."""
    pairs = [(value, margin or 0.0) for value, margin in zip(values, margins, strict=True) if value is not None]
    told = [pair for pair in pairs if _is_told(*pair)] or pairs
    low = min(0.0, *(value - margin for value, margin in told))
    high = max(0.0, *(value + margin for value, margin in told))
    return (low, high) if high > low else (low, low + 1.0)


def _is_told(value: float, margin: float | None) -> bool:
    """Whether an answer says more than its ± takes back; one whose ± is not known does not."""
    return margin is not None and margin < abs(value)


def _whisker(left: float, right: float, middle: float) -> str:
    line = f'<line class="whisker" x1="{left:.1f}" x2="{right:.1f}" y1="{middle}" y2="{middle}"/>'
    tips = "".join(
        f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{middle - 4}" y2="{middle + 4}"/>' for x in (left, right)
    )
    return line + tips


def _short(label: str) -> str:
    return label if len(label) <= 20 else label[:19] + "…"


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)

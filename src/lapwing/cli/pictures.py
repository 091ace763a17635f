"""Pictures, drawn with Matplotlib (extra ``plot``). Lines are labelled where they end; no legend to look up."""

from __future__ import annotations

import io
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapwing.algebra.exact import decimal_down
from lapwing.audit.choosing_events import Chosen
from lapwing.audit.finding import Finding
from lapwing.audit.report import headline
from lapwing.audit.seen_answers import Batch, Encoder
from lapwing.cli.whole_files import write_whole
from lapwing.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Score = Callable[[Batch], np.ndarray]
#: By method: (repetitions, ε) for each point of its line.
Curves = Mapping[str, Sequence[tuple[int, Fraction]]]

FORMATS = (".png", ".svg", ".pdf")
INK, ACCENT, SECOND, FAINT = "#22303c", "#2a7f62", "#c8553d", "#c9d1d6"
PALETTE = (ACCENT, SECOND, "#3d6fb6", "#8a6fb0", "#b08a2e", "#5b6770", "#4aa3a2")


def prepare(file: Path) -> None:
    """Refuse a picture that could not be written, before any work is done for it."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidInput("F002", f"{file.name} does not end in a picture format", f"End it in {', '.join(FORMATS)}")
    if not file.parent.is_dir():
        raise InvalidInput("F003", f"there is no folder {file.parent}", "Create it first")
    try:
        import matplotlib  # noqa: F401  # only to see that it is there
    except ImportError:
        raise MissingExtra("F004", "pictures need Matplotlib", "Run: pip install 'lapwing[plot]'") from None


def cost_curves(title: str, counted: str, delta: str, curves: Curves) -> Figure:
    """ε against the number of repetitions, one line per method, the lowest drawn strongest."""
    figure, axes = _sheet(title)
    last = max(points[-1][0] for points in curves.values())
    ends = {method: float(points[-1][1]) for method, points in curves.items()}
    best = min(ends, key=lambda method: ends[method])
    colours = dict(zip(sorted(ends, key=lambda method: ends[method]), PALETTE * 4, strict=False))
    for method, points in curves.items():
        x, y = zip(*((count, float(epsilon)) for count, epsilon in points), strict=True)
        axes.plot(x, y, color=colours[method], linewidth=2.8 if method == best else 1.4)
    _label_ends(axes, last, ends, colours)
    axes.set_xlabel(counted)
    axes.set_ylabel(f"ε at δ = {delta}")
    axes.set_xlim(0, last)
    axes.set_ylim(bottom=0)
    return figure


def neighbour_curves(centre: int, panels: Mapping[str, Callable[[int], tuple[float, float]]], reach: int) -> Figure:
    """Output probabilities on two neighbouring tables, one panel per ε."""
    from matplotlib.figure import Figure as Sheet

    figure = Sheet(figsize=(11, 3.4), layout="constrained")
    shown = list(range(centre - reach, centre + reach + 1))
    for axes, (label, probabilities) in zip(figure.subplots(1, len(panels), sharey=False), panels.items(), strict=True):
        left, right = zip(*(probabilities(answer) for answer in shown), strict=True)
        axes.step(shown, left, where="mid", color=ACCENT, linewidth=2, label=f"true count {centre}")
        axes.step(shown, right, where="mid", color=SECOND, linewidth=2, label=f"true count {centre - 1}")
        axes.fill_between(shown, left, step="mid", color=ACCENT, alpha=0.12)
        axes.fill_between(shown, right, step="mid", color=SECOND, alpha=0.12)
        axes.set_title(label, color=INK)
        axes.set_xlabel("released answer")
        _plain(axes)
    figure.axes[0].set_ylabel("probability")
    figure.axes[0].legend(frameon=False, fontsize=8, loc="upper right")
    return figure


def answer_bars(panels: Mapping[str, Sequence[tuple[str, float, float, float]]]) -> Figure:
    """Private answers with their margins beside the truth; a panel is rows of (group, answer, margin, truth)."""
    from matplotlib.figure import Figure as Sheet

    figure = Sheet(figsize=(11, 3.4), layout="constrained")
    for axes, (title, rows) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        names, answers, margins, truths = zip(*reversed(rows), strict=True)
        heights = range(len(names))
        bars = axes.errorbar(answers, heights, xerr=margins, fmt="o", markersize=4, capsize=4, color=ACCENT)
        (marks,) = axes.plot(truths, heights, "|", markersize=15, markeredgewidth=2, color=SECOND)
        axes.set_yticks(heights, names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_title(title, color=INK)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        _plain(axes)
    figure.legend(
        [bars, marks],
        ["private answer, ± 95 %", "truth"],
        loc="outside lower center",
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    return figure


def audit_histograms(finding: Finding) -> Figure:
    """The answers on both inputs, the event shaded; what is no number stands as bars beside them.

    What is drawn is the number that the event is a threshold of, or the first number of an answer where it is none.
    The answers that the event holds for are drawn a second time, filled.
    """
    figure, axes = _sheet(headline(finding).partition(" (")[0])
    samples, chosen = finding.shown.get("samples"), finding.shown.get("chosen")
    if not isinstance(samples, tuple) or not isinstance(chosen, Chosen):
        raise InvalidInput("F022", "there are no answers to draw", "Give the audit more seconds")
    label, score = _axis(chosen)
    sides = [_drawn(batch, score) for batch in samples]
    pooled = np.concatenate(sides)
    low, high = np.quantile(pooled, [0.002, 0.998]) if len(pooled) else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1, 61)
    for batch, numbers, name, colour in zip(samples, sides, ("left", "right"), (ACCENT, SECOND), strict=True):
        weight = 1 / max(1, len(batch))
        axes.hist(np.clip(numbers, low, high), edges, weights=np.full(len(numbers), weight), histtype="step",
                  linewidth=1.8, color=colour, label=f"{name} input")  # fmt: skip
        held = _drawn(batch.take(chosen.holds(batch)), score)
        axes.hist(np.clip(held, low, high), edges, weights=np.full(len(held), weight), color=colour, alpha=0.25)
    _other_answers(axes, samples, edges, finding.shown.get("encoder"))
    axes.set_xlabel(label)
    axes.set_ylabel("share of runs")
    axes.legend(frameon=False, fontsize=9)
    event = textwrap.fill(f"event (filled): {chosen.text}", 110)
    bound = f"claim {float(finding.epsilon):.4g}, certified at least {decimal_down(finding.at_least, 4)}"
    figure.supxlabel(f"{event}\n{bound}", fontsize=8, color=INK)
    return figure


def _axis(chosen: Chosen) -> tuple[str, _Score]:
    """What is drawn, and its name: an event with a threshold says "<this> is at least" or "is at most"."""
    name, threshold, _ = chosen.text.partition(" is at ")
    if not threshold or chosen.score is None:
        return "the first number of the answer", _first
    return name.rpartition("(")[2], chosen.score


def _first(batch: Batch) -> np.ndarray:
    return batch.values[:, 0]


def _drawn(batch: Batch, score: _Score) -> np.ndarray:
    """The number that is drawn, of each answer that has one."""
    if not batch.values.shape[1] or not len(batch):
        return np.zeros(0)
    values = score(batch)
    return values[np.isfinite(values)]


def _other_answers(axes: Any, samples: tuple[Batch, Batch], edges: np.ndarray, encoder: object) -> None:  # noqa: ANN401  # as above
    """Answers that are no number, as bars at the right edge."""
    if not isinstance(encoder, Encoder):
        return
    width = float(edges[1] - edges[0])
    counts = [
        Counter(
            encoder.name(int(code))
            for code, row in zip(batch.tags, batch.values, strict=True)
            if not np.isfinite(row[:1]).any()
        )
        for batch in samples
    ]
    names = [name for name, _ in (counts[0] + counts[1]).most_common(4)]
    for place, name in enumerate(names):
        at = float(edges[-1]) + width * (4 + 6 * place)
        for batch, count, shift, colour in zip(samples, counts, (0, 2), (ACCENT, SECOND), strict=True):
            axes.bar(at + shift * width, count[name] / max(1, len(batch)), 1.8 * width, color=colour, alpha=0.6)
        axes.annotate(name[:24], (at + width, 0), rotation=90, fontsize=7, ha="center", va="bottom", color=INK)


def save(figure: Figure, file: Path) -> None:
    """Write the picture whole or not at all."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=150, format=file.suffix.lower().removeprefix("."))
    write_whole(file, drawn.getvalue())


def _sheet(title: str) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure as Sheet

    figure = Sheet(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(title, color=INK, loc="left")
    _plain(axes)
    return figure, axes


def _plain(axes: Any) -> None:  # noqa: ANN401  # Matplotlib's axes are untyped
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(colors=INK)
    axes.grid(axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)


def _label_ends(axes: Any, at: int, ends: Mapping[str, float], colours: Mapping[str, str]) -> None:  # noqa: ANN401  # as above
    """Each line's name beside its end, moved apart where ends are close."""
    gap = 0.05 * max(ends.values())
    height = -gap
    for method, end in sorted(ends.items(), key=lambda item: item[1]):
        height = max(end, height + gap)
        place = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "annotation_clip": False}
        axes.annotate(f"{method}  {end:.4g}", (at, height), color=colours[method], fontsize=9, **place)

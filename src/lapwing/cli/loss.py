"""``lapwing loss``: what two inputs' answers tell apart, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Listing

from lapwing.algebra.balls import Interval
from lapwing.cli import pictures
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.numbers import answer, loss_text, probability
from lapwing.cli.targets import (
    Target,
    fitting,
    read_inputs,
    read_settings,
    read_target,
    rounds_option,
    set_option,
    states_option,
)
from lapwing.errors import InvalidInput
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.distribution.speaking import check_neighbours
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.event import event_to_json
from lapwing.kernel.evidence.witness import interval_to_json, log_ratio_to_json
from lapwing.search.violation.landscape import Side
from lapwing.search.violation.loss import Loss, Table
from lapwing.search.violation.subject import Subject

#: Rows of the table for people; the JSON has them all.
ROWS = 24


@click.command()
@click.argument("target", metavar="PATH::NAME")
@click.option("--left", required=True, metavar="JSON", help='Arguments of one run: \'{"q": [0, 1], "epsilon": 1}\'.')
@click.option("--right", required=True, metavar="JSON", help="Arguments of the neighbouring run.")
@set_option
@states_option
@rounds_option
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the δ(ε) curve to FILE.")
@json_option
def loss(
    target: str,
    left: str,
    right: str,
    settings: tuple[str, ...],
    max_states: int,
    max_rounds: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """The two exact output distributions, the privacy loss of every answer, and the δ(ε) curve.

    \b
      lapwing loss coin.py --left '{"answer": true}' --right '{"answer": false}'
      lapwing loss max.py::noisy_max --set epsilon=1 \\
          --left '{"q": [0, 1]}' --right '{"q": [1, 0]}'

    Parameters that are the same on both sides may be given once, with --set. Finite randomness gives exact
    probabilities; noise gives intervals that contain them, shown by their digits that are certain. Answers that are
    real numbers are shown in regions, and δ(ε) is then a lower bound.

    Exit codes: 0 done, 2 bad input (also: inputs that are not neighbours), 130 interrupted,
    70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if plot is not None:
        pictures.prepare(plot)
    found = read_target(target)
    shared = read_settings(settings)
    sides = [{**shared, **read_inputs(text, option)} for text, option in ((left, "--left"), (right, "--right"))]
    subject = Subject(found.module, found.mechanism, Limits(max_states, max_rounds))
    first, second = (subject.inputs(fitting(found.mechanism, side)) for side in sides)
    try:
        check_neighbours(found.mechanism, first, second)
    except Doubt as doubt:
        raise InvalidInput("F015", str(doubt), "Give inputs that differ as the decorator says") from None
    with working("computing distributions") as say:
        say("left")
        on_left = Side(subject, first)
        say("right")
        on_right = Side(subject, second)
        say("privacy loss")
        table = Table.of(on_left, on_right)
        points = table.curve()
        if as_json:
            emit(_json(found, table, points))
        _show(found, table, points, people(to_stderr=as_json))
    if plot is not None:
        _draw(found.mechanism.name, points, plot)
        people(to_stderr=True).print(f"picture written to {escape(str(plot))}")


def _rows(table: Table) -> list[Loss]:
    """Every event, the likeliest first."""
    return sorted(table.losses, key=lambda loss: (-max(float(loss.left), float(loss.right)), -float(loss.left)))


def _json(target: Target, table: Table, points: Sequence[tuple[Fraction, Interval]]) -> dict[str, object]:
    def ratio(loss: Loss) -> object:
        if loss.left.lower <= 0:
            return None  # not certainly possible on the left
        return log_ratio_to_json(loss.ratio)

    def one(loss: Loss | None) -> object:
        if loss is None:
            return None
        return {"output": event_to_json(loss.event), "log_ratio": ratio(loss), "closed_form": loss.closed_form}

    return {
        "function": target.mechanism.name,
        "file": target.file,
        "outputs": [
            {
                "output": event_to_json(row.event),
                "probability_left": interval_to_json(row.left),
                "probability_right": interval_to_json(row.right),
                "log_ratio": ratio(row),
                "closed_form": row.closed_form,
            }
            for row in _rows(table)
        ],
        "worst": one(table.worst),
        "worst_backwards": one(table.swapped().worst),
        "curve": [{"epsilon": str(epsilon), "delta": interval_to_json(delta)} for epsilon, delta in points],
    }


def _show(target: Target, found: Table, points: Sequence[tuple[Fraction, Interval]], console: Console) -> None:
    console.print(f"[bold]{escape(target.mechanism.name)}[/]")
    table = Listing(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for heading in ("answer", "P left", "P right", "loss"):
        table.add_column(heading, justify="left" if heading == "answer" else "right", overflow="fold")
    rows = _rows(found)
    for row in rows[:ROWS]:
        table.add_row(escape(answer(row.event)), probability(row.left), probability(row.right), loss_text(row))
    console.print(table)
    if len(rows) > ROWS:
        console.print(f"[dim]and {len(rows) - ROWS} less likely answers (--json has them all)[/]")
    for way, one in (
        ("left to right", found.worst),
        ("right to left", found.swapped().worst),
    ):
        if one is not None:
            console.print(f"worst loss, {way}: [bold]{loss_text(one)}[/] at {escape(answer(one.event))}")
    console.print("\nδ(ε), left to right: the least δ for which (ε, δ) holds on these two inputs")
    curve_table = Listing(box=None, padding=(0, 3, 0, 0), header_style="dim")
    curve_table.add_column("ε", justify="right")
    curve_table.add_column("δ", justify="right")
    for epsilon, delta in points:
        curve_table.add_row(f"{float(epsilon):.4g}", probability(delta))
    console.print(curve_table)


def _draw(name: str, points: Sequence[tuple[Fraction, Interval]], file: Path) -> None:
    from matplotlib.figure import Figure  # here, so that only --plot needs the extra

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    epsilons = [float(epsilon) for epsilon, _ in points]
    axes.fill_between(epsilons, [float(delta.upper) for _, delta in points], color=pictures.ACCENT, alpha=0.12)
    axes.plot(epsilons, [float(delta.upper) for _, delta in points], color=pictures.ACCENT, linewidth=2)
    axes.set_title(f"{name}: the least δ at each ε on these two inputs", color=pictures.INK, loc="left")
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    axes.set_xlim(epsilons[0], epsilons[-1])
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    pictures.save(figure, file)

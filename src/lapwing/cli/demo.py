"""``lapwing demo``: the guided tour. The stops are in :mod:`lapwing.cli.touring`; this shows them one after another."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from lapwing.cli import pictures as drawing
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.touring import ASKING, MORE, TOUR, Clinic, Stop, in_database, open_clinic
from lapwing.cli.touring.neighbours import WITH_CONDITION, three_strengths
from lapwing.cli.touring.questions import COUNTS_PRICE, MEANS_PRICE, compared, counts, means, truths
from lapwing.cli.touring.stop import Indented
from lapwing.errors import InvalidInput

NEIGHBOURS, ANSWERS = "neighbours.png", "answers.png"


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also visit noise, surveys and accounting.")
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Also draw, into FOLDER: the answers with their ± beside the truth, and what one person changes at three ε.",
)
@click.option(
    "--serve",
    "port",
    type=click.IntRange(0, 65535),
    is_flag=False,
    flag_value=8000,
    metavar="[PORT]",
    help="Instead open a server, at port 8000 or at this one; 0 takes a free one.",
)
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "postgresql"]),
    default="duckdb",
    show_default=True,
    help="Take the stops that ask in SQL to a PostgreSQL that is started for them.",
)
@json_option
def demo(everything: bool, pictures: Path | None, port: int | None, engine: str, as_json: bool) -> None:
    """A guided tour: attack a table without names, protect it, ask it, attack it again, prove and refute.

    Everything runs for real, on a temporary copy of tables of synthetic people, so the noisy answers differ each time.

    With --engine postgresql the tables are in a server of that kind, which is started for the tour and gone after it;
    the stops are those that ask in SQL.

    With --serve the tables are served instead, to an analyst and a curator whose passwords are shown.

    Exit codes: 0 the tour is over, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    console = people(to_stderr=as_json)
    if engine != "duckdb" and (everything or port is not None):
        raise InvalidInput("F021", "--engine takes the stops that ask in SQL only", "Leave out --all and --serve")
    if port is not None:
        from lapwing.cli.touring.serving import serve_clinic  # needs the extra

        with open_clinic() as clinic:
            serve_clinic(clinic, port, console)
        return
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        drawing.prepare(pictures / ANSWERS)
    console.print("[bold]Lapwing[/]: answers about people that depend little on any one of them, each with its proof.")
    stops = (*TOUR, *MORE) if everything else TOUR
    with contextlib.ExitStack() as opened:
        clinic = opened.enter_context(open_clinic())
        if engine == "postgresql":
            with working("starting PostgreSQL"):
                clinic = opened.enter_context(in_database(clinic))
            stops = ASKING
        for number, stop in enumerate(stops, 1):
            _visit(number, stop, clinic, console, as_json=as_json)
        if pictures is not None:
            for file in _draw(clinic, pictures):
                console.print(f"\npicture written to {escape(str(file))}", soft_wrap=True)
    console.print("\nNext: [bold]lapwing --help[/], and the README.")


def _visit(number: int, stop: Stop, clinic: Clinic, console: Console, *, as_json: bool) -> None:
    console.print()
    console.print(Rule(f"[bold]{number}[/]  {stop.question}", align="left", style="dim"))
    with working(stop.task):
        seen = stop.visit(clinic)
    for place, part in enumerate(seen.body):
        if place:
            console.print()
        console.print(Indented(part))
    if as_json:
        emit({"stop": number, "question": stop.question, **seen.figures})


def _draw(clinic: Clinic, folder: Path) -> tuple[Path, Path]:
    """Both pictures. The answers are those of the tour: asked again, they cost nothing and are the same."""
    true_number, true_income = truths(clinic)
    panels = {
        f"people by region, ε = {COUNTS_PRICE}": compared(counts(clinic), true_number),
        f"mean income by schooling, ε = {MEANS_PRICE}": compared(means(clinic), true_income),
    }
    drawing.save(drawing.answer_bars(panels), folder / ANSWERS)
    drawing.save(drawing.neighbour_curves(WITH_CONDITION, three_strengths(), reach=14), folder / NEIGHBOURS)
    return folder / ANSWERS, folder / NEIGHBOURS
